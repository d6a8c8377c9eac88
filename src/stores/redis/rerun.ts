/** Registers calls once more (storage.md 7.4, 9.4; the table of fixtures/redis): everything of all of them, or nothing. */
import type { InvocationRecord } from "../../pynenc/records.ts";
import { REGISTERED, type RerunFacts, rerunRegistration } from "../../pynenc/rerun.ts";
import { type EpochSeconds, toMicros } from "../../pynenc/time.ts";
import { argumentsMap, referencesIn } from "../../pynenc/values.ts";
import type { Rerun, RerunRefusal, RerunRequest } from "../ports.ts";
import type { Changes, Write } from "./changes.ts";
import { clientDataReads } from "./client-data.ts";
import { textsOf } from "./db.ts";
import { layoutReads } from "./layout.ts";
import { orchestratorReads } from "./orchestrator.ts";
import type { RedisReading } from "./reading.ts";
import { messagesOf, writesOf } from "./registration-writes.ts";
import { stateBackendReads } from "./state-backend.ts";

/** Invocations of a task that are looked at to learn how the task is set up: that is code and not stored (storage.md 7.4). */
const LOOK_AT = 100;

/** A call that may be registered again. */
interface Original {
  record: InvocationRecord;
  /** Null where the stored arguments cannot be read as a map. */
  stored: ReadonlyMap<string, string> | null;
}

/** What is known of a task, learned once for a list of its calls. */
interface TaskFacts extends RerunFacts {
  indexes_arguments: boolean;
}

const MICROSECOND = 1e-6;

/**
 * @param newId makes the id of a new invocation; null in a preview, where nothing is registered.
 * @throws StoreUnreachableError; RefusedError on a replica.
 */
export async function rerun(
  reading: RedisReading,
  changes: Changes,
  invocationIds: readonly string[],
  { caller, force, enqueue = true }: RerunRequest,
  newId: (() => string) | null,
): Promise<Rerun[]> {
  const originals = await originalsOf(reading, invocationIds);
  // The layout that is written now: definitions of before an upgrade stay as they were.
  const newer = (await layoutReads(reading).capabilities()).events;
  const [factsByTask, missing] = await Promise.all([
    learnFacts(reading, [...originals.values()], newer),
    missingReferences(reading, [...originals.values()]),
    // A queue that cannot be reached, on a server of its own, is found out before anything is registered.
    enqueue ? reading.db("broker").ask("EXISTS", reading.keys.key("broker", "default_queue")) : null,
  ]);
  const factsOf = ({ record }: Original): TaskFacts =>
    factsByTask.get(record.task_id_key) ?? {
      workflow_required: !newer,
      defines_workflow: false,
      indexes_arguments: false,
    };
  const controlled = force ? [] : [...originals.values()].filter((original) => factsOf(original).indexes_arguments);
  const waiting = await waitingCalls(reading, new Set(controlled.map(({ record }) => record.call_id_key)));

  function refusalOf(original: Original): RerunRefusal | null {
    if (original.stored === null) return { kind: "unreadable" };
    const references = referencesIn(original.stored.values()).filter((reference) => missing.has(reference));
    if (references.length > 0) return { kind: "dangling", references };
    const invocation_id = waiting.get(original.record.call_id_key);
    if (force || invocation_id === undefined || !factsOf(original).indexes_arguments) return null;
    return { kind: "duplicate", invocation_id };
  }

  const writes: Write[] = [];
  const newIds: string[] = [];
  let last: EpochSeconds = 0;
  const answers = invocationIds.map((invocation_id): Rerun => {
    const original = originals.get(invocation_id);
    const refused = { new_invocation_id: null, own_workflow: false, indexed_arguments: 0 };
    if (original === undefined) return { invocation_id, task_id_key: null, ...refused, refusal: { kind: "unknown" } };
    const { record, stored } = original;
    const { task_id_key } = record;
    const refusal = refusalOf(original);
    if (refusal !== null || stored === null) return { invocation_id, task_id_key, ...refused, refusal };
    const facts = factsOf(original);
    const definesWorkflow = facts.defines_workflow || record.workflow_id === invocation_id;
    const id = newId?.() ?? null;
    if (id !== null) {
      // Each has an instant of its own: the indexes have no other order.
      last = Math.max(Date.now() / 1000, toMicros(last + MICROSECOND));
      const made = rerunRegistration(record, id, caller.runner_id, last, {
        ...facts,
        defines_workflow: definesWorkflow,
      });
      const indexed = facts.indexes_arguments ? stored : new Map<string, string>();
      writes.push(...writesOf(reading.keys, made, caller, indexed, newer));
      newIds.push(id);
    }
    // It counts as waiting for the rest of the list.
    waiting.set(record.call_id_key, id ?? invocation_id);
    return {
      invocation_id,
      task_id_key,
      new_invocation_id: id,
      refusal: null,
      own_workflow: facts.workflow_required || definesWorkflow,
      indexed_arguments: facts.indexes_arguments ? stored.size : 0,
    };
  });
  // The messages come last: a runner that takes one whose records are not there stops working.
  await changes.write(enqueue && newIds.length > 0 ? [...writes, messagesOf(reading.keys, newIds)] : writes);
  return answers;
}

async function originalsOf(reading: RedisReading, ids: readonly string[]): Promise<Map<string, Original>> {
  const records = await stateBackendReads(reading).invocationsByIds(ids);
  return new Map(
    records.map((record) => [record.invocation_id, { record, stored: argumentsMap(record.serialized_arguments) }]),
  );
}

/** References of these calls whose values are gone. */
async function missingReferences(reading: RedisReading, originals: readonly Original[]): Promise<ReadonlySet<string>> {
  const references = new Set(originals.flatMap(({ stored }) => (stored === null ? [] : referencesIn(stored.values()))));
  const present = await clientDataReads(reading).valuesByKeys([...references], 0);
  for (const { data_key } of present) references.delete(data_key);
  return references;
}

/** The newest registered invocation of each of these calls that has one. */
async function waitingCalls(reading: RedisReading, callKeys: ReadonlySet<string>): Promise<Map<string, string>> {
  const orchestrator = orchestratorReads(reading);
  const found = await Promise.all(
    [...callKeys].map((call_id_key) =>
      orchestrator.listInvocations({ call_id_key, statuses: [REGISTERED] }, { limit: 1, offset: 0 }),
    ),
  );
  return new Map(found.flat().map(({ call_id_key, invocation_id }) => [call_id_key, invocation_id]));
}

/** A task has concurrency control when the arguments of one of its newest invocations, or of these calls, are indexed. */
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
          ...["0", String(LOOK_AT - 1)],
        ]),
      ),
    reading
      .db("state_backend")
      .existing(tasks.map((task) => keys.key("state_backend", "workflow", "type_index", task))),
  ]);
  const others = [...(await originalsOf(reading, newest.flatMap(textsOf))).values()];
  const known = [...originals, ...others];
  const indexKeys = (task: string) =>
    known.flatMap(({ record, stored }) =>
      record.task_id_key !== task
        ? []
        : [...(stored ?? [])].map(([name, value]) => keys.key("orchestrator", "task", task, "arg", name, "val", value)),
    );
  const keysByTask = new Map(tasks.map((task) => [task, [...new Set(indexKeys(task))]]));
  const indexed = new Set(await reading.db("orchestrator").existing([...keysByTask.values()].flat()));
  return new Map(
    tasks.map((task): [string, TaskFacts] => [
      task,
      {
        // Until 0.2.3 every root is a workflow of its own; what is written now tells by another member too (storage.md 9.3).
        workflow_required: !newer,
        // A workflow task that never ran is found by its definitions only (storage.md 14).
        defines_workflow:
          started.includes(keys.key("state_backend", "workflow", "type_index", task)) ||
          others.some(
            ({ record }) =>
              record.task_id_key === task &&
              record.workflow_id === record.invocation_id &&
              record.workflow_type_key === task,
          ),
        indexes_arguments: (keysByTask.get(task) ?? []).some((key) => indexed.has(key)),
      },
    ]),
  );
}
