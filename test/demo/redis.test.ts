/** The demo in a Redis server compared with the demo in a file, through the ports of both stores. */
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRedisDemo } from "../../src/demo/redis-demo.ts";
import { DEMO_APP_ID, SECOND_APP_ID } from "../../src/demo/story/story.ts";
import { SERVER_LAYOUT } from "../../src/demo/writer/server-writer.ts";
import { RefusedError } from "../../src/errors.ts";
import { isClientDataReference } from "../../src/pynenc/identifiers.ts";
import { connectStore } from "../../src/stores/connect.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { AppReads, Store } from "../../src/stores/ports/store.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { NOW } from "./support.ts";

const ALL = { limit: 10_000, offset: 0 };

/** What is asked of both. The answers of a port without an order are put into one. */
const QUESTIONS: Record<string, (reads: AppReads) => Promise<unknown>> = {
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

/** Large values are externalised in a file and stand as they are in Redis. */
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

function storeOf(server: RedisServer): Promise<Store> {
  const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, server.endpoint]));
  return connectStore({ kind: "redis", endpoints: endpoints as never }, { threads: 0, lockWait: 1, readOnly: false });
}

describeWithRedis("the demo in a Redis server", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  const write = async (seed: number, size?: number) => {
    const writer = await createRedisDemo({ endpoint: server.endpoint, now: NOW, seed, ...(size && { size }) });
    await writer.outbox.connection.close();
  };

  describe.each([
    ["the story", undefined],
    ["bulk data", 2_400],
  ])("%s", (_, size) => {
    const folder = temporaryFolder();
    const path = join(folder.path, "demo.db");
    let file: Store;
    let redis: Store;
    beforeAll(async () => {
      createDemo({ path, now: NOW, seed: 1, layout: SERVER_LAYOUT, ...(size && { size }) });
      await write(1, size);
      file = await connectStore(
        { kind: "sqlite", path, components: new Map() },
        { threads: 0, lockWait: 1, readOnly: false },
      );
      redis = await storeOf(server);
    });
    afterAll(async () => {
      await file.close();
      await redis.close();
      folder.remove();
    });

    it("has the same apps in Redis as in a file", async () => {
      const ids = async (store: Store) => (await store.apps()).map(({ app_id, phantom }) => [app_id, phantom]);
      expect(await ids(redis)).toEqual(await ids(file));
    });

    it.each(Object.keys(QUESTIONS))("has the same %s in Redis as in a file", async (name) => {
      const ask = QUESTIONS[name] ?? (() => Promise.reject(new Error(name)));
      const apps = size === undefined ? [DEMO_APP_ID, SECOND_APP_ID] : [DEMO_APP_ID];
      for (const app of apps) expect(await redis.app(app).read(ask)).toEqual(await file.app(app).read(ask));
    });
  });

  describe("the demo in a Redis database with other apps", () => {
    beforeEach(() => server.exchange([["FLUSHALL"]]));

    const foreign = {
      "__pynenc__:__pynenc__:apps_info:demo-shop-2": "{}",
      "__pynenc__:demo-shop-2:state_backend:invocation:a": "{}",
      "__pynenc__:demo:orchestrator:status:success": "{}",
      "demo-shop": "1",
    };
    const put = (keys: Record<string, string>) =>
      server.exchange(Object.entries(keys).map(([key, value]) => ["SET", key, value]));
    const keys = async () => ((await server.exchange([["KEYS", "*"]]))[0] as string[]).sort();

    it("replaces an earlier demo and nothing else", async () => {
      await put(foreign);
      await write(1, 240);
      const first = await keys();
      await write(2, 24);
      const second = await keys();
      expect(second.length).toBeLessThan(first.length / 3);
      expect(second).toEqual(expect.arrayContaining(Object.keys(foreign)));
      await write(1, 240);
      expect(await keys()).toEqual(first);
    });

    it.each([
      [
        "an app of the same id",
        { "__pynenc__:__pynenc__:apps_info:demo-shop": '{"app_id": "demo-shop", "module": "mine"}' },
      ],
      ["a second app of the same id", { "__pynenc__:__pynenc__:apps_info:demo-billing": '{"module": "billing.app"}' }],
      ["a registration that cannot be read", { "__pynenc__:__pynenc__:apps_info:demo-shop": "demo" }],
      ["keys without a registration", { "__pynenc__:demo-shop:broker:default_queue": "x" }],
    ])("leaves %s alone", async (_, there) => {
      await put({ ...foreign, ...there });
      await expect(write(1, 24)).rejects.toThrow(RefusedError);
      expect(await keys()).toEqual(Object.keys({ ...foreign, ...there }).sort());
    });
  });
});
