/** Registers calls again (storage-format.md 7.4, 9.4): all of them completely, or none. */
import type { InvocationRecord, RunnerContextRecord } from "../../../pynenc/records.ts";
import { REGISTERED } from "../../../pynenc/registration.ts";
import {
  type EarlierCall,
  type KnownControl,
  knownControl,
  type RerunFacts,
  rerunRegistration,
} from "../../../pynenc/rerun.ts";
import { type EpochSeconds, MICROSECOND, toMicros } from "../../../pynenc/time.ts";
import { argumentsMap, referencesIn } from "../../../pynenc/values.ts";
import type { Rerun, RerunRefusal, RerunRequest } from "../../ports/actions.ts";
import type { StatusFilter } from "../../ports/orchestrator.ts";
import { VALUE_BYTES } from "../../value-limit.ts";
import { clientDataReads } from "../client-data/client-data.ts";
import { layoutReads } from "../keys/layout.ts";
import type { RedisReading } from "../keys/reading.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import { foundStatuses } from "../orchestrator/status-records.ts";
import { textsOf } from "../server/db.ts";
import { firstEntries } from "../state-backend/history.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import type { Changes, Write } from "./changes.ts";
import { messagesOf, type NewMessage } from "./messages.ts";
import { writesOf } from "./registration-writes.ts";

/** Number of newest invocations of a task read to infer its options, which are set in code and not stored (storage-format.md 7.4). */
const NEWEST_CALLS = 100;

/** No limit: arguments are copied unchanged, whatever their size. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** An invocation whose call may be registered again. */
interface Original {
  record: InvocationRecord;
  /** Null if the stored arguments are not a readable map. */
  stored: ReadonlyMap<string, string> | null;
}

/** Facts about a task, read once for all of its calls. */
interface TaskFacts extends RerunFacts {
  control: KnownControl;
  waiting_of_task: string | null;
}

/**
 * @param newId generates the id of a new invocation; null in a preview, which registers nothing.
 * @throws StoreUnreachableError; RefusedError on a replica.
 */
export async function rerun(
  reading: RedisReading,
  changes: Changes,
  invocationIds: readonly string[],
  { caller, force, at = null, enqueue = true, routing }: RerunRequest,
  newId: (() => string) | null,
): Promise<Rerun[]> {
  const originals = await originalsOf(reading, invocationIds, UNLIMITED);
  // The current layout: definitions from before an upgrade keep their old form.
  const newer = (await layoutReads(reading).capabilities()).events;
  const [factsByTask, missing, messages] = await Promise.all([
    learnFacts(reading, [...originals.values()], newer),
    missingReferences(reading, [...originals.values()]),
    // If the queue is on another server, make sure it is reachable before anything is registered.
    enqueue ? messagesOf(reading, routing, "Nothing was registered") : null,
  ]);
  const factsOf = ({ record }: Original): TaskFacts =>
    factsByTask.get(record.task_id_key) ?? {
      workflow_required: !newer,
      defines_workflow: false,
      control: "unknown",
      waiting_of_task: null,
    };
  const mayReuse = (original: Original) => !force && factsOf(original).control !== "none_at_registration";
  const reusable = [...originals.values()].filter(mayReuse).map(({ record }) => record.call_id_key);
  const waiting = await waitingCalls(reading, new Set(reusable));

  function refusalOf(original: Original): RerunRefusal | null {
    if (original.stored === null) return { kind: "unreadable" };
    const references = referencesIn(original.stored.values()).filter((reference) => missing.has(reference));
    if (references.length > 0) return { kind: "dangling", references };
    const invocation_id = waiting.get(original.record.call_id_key);
    return invocation_id === undefined || !mayReuse(original) ? null : { kind: "duplicate", invocation_id };
  }

  const writes: Write[] = [];
  const added: NewMessage[] = [];
  let last: EpochSeconds = 0;
  const answers = invocationIds.map((invocation_id): Rerun => {
    const original = originals.get(invocation_id);
    const refused = { new_invocation_id: null, own_workflow: false, indexed_arguments: 0, route: null };
    if (original === undefined) {
      const unknown = { control: "unknown", waiting_of_task: null, refusal: { kind: "unknown" } } as const;
      return { invocation_id, task_id_key: null, ...refused, ...unknown };
    }
    const { record, stored } = original;
    const { task_id_key } = record;
    const facts = factsOf(original);
    const { control, waiting_of_task } = facts;
    const refusal = refusalOf(original);
    if (refusal !== null || stored === null) {
      return { invocation_id, task_id_key, ...refused, control, waiting_of_task, refusal };
    }
    const definesWorkflow = facts.defines_workflow || record.workflow_id === invocation_id;
    const id = newId?.() ?? null;
    const route = messages?.routeOf(task_id_key) ?? null;
    if (id !== null) {
      // Each gets a distinct time, because the indexes have no other order.
      last = Math.max(at ?? Date.now() / 1000, toMicros(last + MICROSECOND));
      const made = rerunRegistration(record, id, caller.runner_id, last, {
        ...facts,
        defines_workflow: definesWorkflow,
      });
      writes.push(...writesOf(reading.keys, made, caller, stored, newer));
      added.push({ invocation_id: id, route });
    }
    // For the rest of the list it counts as waiting.
    waiting.set(record.call_id_key, id ?? invocation_id);
    return {
      invocation_id,
      task_id_key,
      new_invocation_id: id,
      refusal: null,
      own_workflow: facts.workflow_required || definesWorkflow,
      indexed_arguments: stored.size,
      control,
      waiting_of_task,
      route,
    };
  });
  // Messages are last: a runner that takes a message without records stops working.
  const command = messages !== null && added.length > 0 ? messages.add(added) : null;
  await changes.write(command === null ? writes : [...writes, { component: "broker", command }]);
  return answers;
}

/** @param argumentBytes larger arguments are not read as a map. */
async function originalsOf(
  reading: RedisReading,
  ids: readonly string[],
  argumentBytes: number,
): Promise<Map<string, Original>> {
  const records = await stateBackendReads(reading).invocationsByIds(ids, argumentBytes);
  return new Map(
    records.map((record) => [record.invocation_id, { record, stored: argumentsMap(record.serialized_arguments) }]),
  );
}

/** References of these calls whose values are missing. */
async function missingReferences(reading: RedisReading, originals: readonly Original[]): Promise<ReadonlySet<string>> {
  const references = new Set(originals.flatMap(({ stored }) => (stored === null ? [] : referencesIn(stored.values()))));
  const present = await clientDataReads(reading).valuesByKeys([...references], 0);
  for (const { data_key } of present) references.delete(data_key);
  return references;
}

/** The newest invocation with status registered for each of these calls, if any. */
async function waitingCalls(reading: RedisReading, callKeys: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = await Promise.all(
    [...callKeys].map(async (call_id_key) => [call_id_key, await waitingOf(reading, { call_id_key })] as const),
  );
  return new Map(found.flatMap(([call, id]) => (id === null ? [] : [[call, id] as const])));
}

/** The newest invocation with status registered that matches the filter, or null. */
async function waitingOf(reading: RedisReading, filter: StatusFilter): Promise<string | null> {
  const [waiting] = await orchestratorReads(reading).listInvocations(
    { ...filter, statuses: [REGISTERED] },
    { limit: 1, offset: 0 },
  );
  return waiting?.invocation_id ?? null;
}

async function learnFacts(
  reading: RedisReading,
  originals: readonly Original[],
  newer: boolean,
): Promise<ReadonlyMap<string, TaskFacts>> {
  const { keys } = reading;
  const tasks = [...new Set(originals.map(({ record }) => record.task_id_key))];
  const [newest, started] = await Promise.all([
    reading
      .db("orchestrator")
      .exchange(
        tasks.map((task) => [
          ...["ZREVRANGE", keys.key("orchestrator", "task_invocations_by_time", task)],
          ...["0", String(NEWEST_CALLS - 1)],
        ]),
      ),
    reading
      .db("state_backend")
      .existing(tasks.map((task) => keys.key("state_backend", "workflow", "type_index", task))),
  ]);
  const idsByTask = new Map(tasks.map((task, i) => [task, textsOf(newest[i])]));
  const known = await originalsOf(reading, [...idsByTask.values()].flat(), VALUE_BYTES);
  // Includes the originals: a long list of reruns can displace all others from the newest.
  for (const { record } of originals) {
    idsByTask.get(record.task_id_key)?.push(record.invocation_id);
  }
  const calls = await earlierCalls(reading, [...known.values(), ...originals]);
  const facts = tasks.map(async (task): Promise<[string, TaskFacts]> => {
    const control = knownControl((idsByTask.get(task) ?? []).flatMap((id) => calls.get(id) ?? []));
    return [
      task,
      {
        // Until 0.2.3 every root is its own workflow; newer records show it by another member too (storage-format.md 9.3).
        workflow_required: !newer,
        // A workflow task that never ran is found by its definitions only (storage-format.md 3.4).
        defines_workflow:
          started.includes(keys.key("state_backend", "workflow", "type_index", task)) ||
          [...known.values()].some(
            ({ record }) =>
              record.task_id_key === task &&
              record.workflow_id === record.invocation_id &&
              record.workflow_type_key === task,
          ),
        control,
        waiting_of_task: control === "none_at_registration" ? null : await waitingOf(reading, { task_id_key: task }),
      },
    ];
  });
  return new Map(await Promise.all(facts));
}

/** Facts about calls that have a status: an auto-purge also removes the index entries of what it removes. */
async function earlierCalls(
  reading: RedisReading,
  originals: readonly Original[],
): Promise<ReadonlyMap<string, EarlierCall>> {
  const { keys } = reading;
  const withStatus = new Set(
    (
      await foundStatuses(
        reading,
        originals.map(({ record }) => record.invocation_id),
      )
    ).map(({ invocation_id }) => invocation_id),
  );
  const calls = originals.flatMap(({ record, stored }) => {
    // pynenc indexes all arguments of a call or none, so one suffices.
    const [argument] = stored ?? [];
    return argument === undefined || !withStatus.has(record.invocation_id) ? [] : [{ record, argument }];
  });
  const [indexed, registrars] = await Promise.all([
    reading
      .db("orchestrator")
      .exchange(
        calls.map(({ record, argument: [name, value] }) => [
          "SISMEMBER",
          keys.key("orchestrator", "task", record.task_id_key, "arg", name, "val", value),
          record.invocation_id,
        ]),
      ),
    registrarsOf(
      reading,
      calls.map(({ record }) => record.invocation_id),
    ),
  ]);
  return new Map(
    calls.map(({ record: { invocation_id, call_id_key } }, i) => [
      invocation_id,
      { call_id_key, indexed: indexed[i] === 1, registrar: registrars.get(invocation_id) ?? null },
    ]),
  );
}

/** Who registered each of these invocations, if stored. */
async function registrarsOf(
  reading: RedisReading,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunnerContextRecord>> {
  const registered = (await firstEntries(reading, ids)).filter(({ status }) => status === REGISTERED);
  const runnerIds = new Set(registered.flatMap(({ runner_context_id }) => runner_context_id ?? []));
  const contexts = new Map(
    (await stateBackendReads(reading).runnerContexts([...runnerIds])).map((context) => [context.runner_id, context]),
  );
  return new Map(
    registered.flatMap(({ invocation_id, runner_context_id }) => {
      const context = contexts.get(runner_context_id ?? "");
      return context === undefined ? [] : [[invocation_id, context] as const];
    }),
  );
}
