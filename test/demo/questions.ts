import { isClientDataReference } from "../../src/pynenc/identifiers.ts";
import type { AppReads } from "../../src/stores/ports/store.ts";
import { NOW } from "./support.ts";

const ALL = { limit: 10_000, offset: 0 };

/** What is asked of the demo in a file and on a server. The answers of a port without an order are put into one. */
export const QUESTIONS: Record<string, (reads: AppReads) => Promise<unknown>> = {
  "the app": ({ state_backend }) => state_backend.appInfo().then((info) => ({ ...info, config_values: null })),
  "the queue": async ({ broker }) => ({
    messages: (await broker.peekMessages(ALL)).map((message) => message.invocation_id),
    count: await broker.countMessages(),
  }),
  statuses: ({ orchestrator }) => orchestrator.countByStatus(),
  tasks: async ({ orchestrator }) => sorted(await orchestrator.countByTaskAndStatus()),
  invocations: async ({ orchestrator }) =>
    (await orchestrator.listInvocations({}, ALL)).map(({ cursor: _, ...row }) => row),
  heartbeats: ({ orchestrator }) => orchestrator.heartbeats(ALL),
  "who waits for whom": async ({ orchestrator }) => sorted(await orchestrator.blockingEdges(ALL)),
  "what is stuck": async ({ orchestrator }) => [
    await orchestrator.pendingSince(NOW - 5, 100),
    await orchestrator.ownedByDeadRunner(["running"], NOW - 600, 100),
  ],
  "runs of the atomic service": ({ orchestrator }) => orchestrator.executions(ALL),
  definitions: async (reads) => sorted(await reads.state_backend.invocationsByIds(await idsOf(reads))),
  histories: async (reads) => sorted(await reads.state_backend.historyOf(await idsOf(reads), 100_000)),
  "the history as a whole": async ({ state_backend }) =>
    sorted(await state_backend.historyBetween({}, 100_000, "latest")),
  children: async (reads) => sorted(await reads.state_backend.childrenOf(await idsOf(reads), 100_000)),
  results: async (reads) => sorted(await reads.state_backend.outcomesOf(["result"], await idsOf(reads))),
  exceptions: async (reads) => sorted(await reads.state_backend.outcomesOf(["exception"], await idsOf(reads))),
  "runner contexts": async ({ state_backend }) => sorted(await state_backend.listRunnerContexts(ALL)),
  "workflow types": async ({ state_backend }) => sorted(await state_backend.workflowTypes()),
  "workflow runs": async ({ state_backend }) => sorted(await state_backend.workflowRuns(ALL)),
  "members of workflows": async ({ state_backend }) => {
    const runs = await state_backend.workflowRuns(ALL);
    return Promise.all(
      sorted(runs).map(async ({ workflow_id }) => [workflow_id, await state_backend.workflowMembers(workflow_id, ALL)]),
    );
  },
  "data of workflows": async (reads) => {
    const runs = sorted(await reads.state_backend.workflowRuns(ALL));
    return Promise.all(runs.map(async ({ workflow_id }) => [workflow_id, await workflowData(reads, workflow_id)]));
  },
  events: async ({ trigger }) => trigger.listEvents({}, ALL),
  "records of events": async (reads) => sorted(await reads.trigger.eventsByIds(await eventIdsOf(reads))),
  "counters of events": ({ trigger }) => trigger.eventCounters(),
  "what events triggered": async (reads) =>
    (await reads.trigger.triggeredBy(await eventIdsOf(reads), 100_000))
      .map(({ event_id, invocation_id }) => [event_id, invocation_id].join(" "))
      .sort(),
  "invocations of events": async (reads) =>
    sorted(await reads.state_backend.childrenOf(await eventIdsOf(reads), 100_000, "event")),
  "trigger runs": async ({ trigger }) => trigger.listTriggerRuns({}, ALL),
  "trigger runs of events": async (reads) =>
    sorted(await reads.trigger.triggerRunsOf("event", await eventIdsOf(reads), 100_000)),
  triggers: async ({ trigger }) => trigger.triggers({}, ALL),
  "triggers by task": async ({ trigger }) => sorted(await trigger.triggeredTasks()),
  conditions: async ({ trigger }) => {
    const triggers = await trigger.triggers({}, ALL);
    return sorted(await trigger.conditionsByIds(triggers.flatMap((one) => one.condition_ids)));
  },
  "conditions that wait": ({ trigger }) => trigger.countValidConditions(),
};

async function idsOf({ orchestrator }: AppReads): Promise<string[]> {
  return (await orchestrator.listInvocations({}, ALL)).map((row) => row.invocation_id);
}

async function eventIdsOf({ trigger }: AppReads): Promise<string[]> {
  return (await trigger.listEvents({}, ALL)).map((event) => event.event_id);
}

/** Large values are externalised in a file and in MongoDB, and stand as they are in Redis. */
async function workflowData({ state_backend, client_data_store }: AppReads, workflowId: string) {
  const entries = await state_backend.workflowData(workflowId, ALL);
  const references = entries.map((entry) => entry.data_value).filter(isClientDataReference);
  const values = await client_data_store.valuesByKeys(references, 100_000);
  const texts = new Map(values.map(({ data_key, text }) => [data_key, text]));
  return sorted(entries.map((entry) => ({ ...entry, data_value: texts.get(entry.data_value) ?? entry.data_value })));
}

/** In an order of their content, whatever the order of their members. */
function sorted<T extends object>(items: readonly T[]): T[] {
  const contents = items.map((item) => ({ item, content: JSON.stringify(Object.entries(item).sort()) }));
  return contents.sort((a, b) => (a.content < b.content ? -1 : 1)).map(({ item }) => item);
}
