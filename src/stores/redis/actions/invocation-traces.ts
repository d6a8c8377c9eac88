/** Everything that refers to an invocation in the orchestrator, except its status (storage-format.md 9.2). */

import { listsOf } from "../../../pynenc/groups.ts";
import { parseCallKey } from "../../../pynenc/identifiers.ts";
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import { STATUSES } from "../../../pynenc/statuses.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { membersOfEach } from "../server/members.ts";
import { entireCollection, membersOfSet, type Removal } from "./changes.ts";

/** References that are counted when removed. */
export interface CountedTraces {
  /** Edges from their waiters. */
  edges: readonly Removal[];
  /** Entries of their argument index. */
  args: readonly Removal[];
  calls: ReadonlyMap<string, IndexedCall>;
  waiting: readonly Waiting[];
}

interface IndexedCall {
  task: string;
  call: string;
  /** Argument names and stored values, which are part of key names under concurrency control. */
  stored: readonly (readonly [name: string, value: string])[];
}

interface Waiting {
  waited: string;
  waiters: readonly string[];
}

export async function countedTracesOf(reading: RedisReading, ids: readonly string[]): Promise<CountedTraces> {
  const { keys } = reading;
  const [calls, waiting] = await Promise.all([callsOf(reading, ids), waitingFor(reading, ids)]);
  const byArgument = listsOf(
    [...calls].flatMap(([id, { task, stored }]) =>
      stored.map(([name, value]) => [keys.key("orchestrator", "task", task, "arg", name, "val", value), id] as const),
    ),
  );
  // Most tasks have no concurrency control and index none.
  const indexed = await reading.db("orchestrator").existing([...byArgument.keys()]);
  return {
    edges: waiting.map(({ waited }) => entireCollection(keys.key("blocking_control", "waited_by", waited), "SCARD")),
    args: indexed.map((key) => membersOfSet(key, byArgument.get(key) ?? [])),
    calls,
    waiting,
  };
}

/** Commands that remove the uncounted references of the same invocations. If the call of one is unknown, its set of the call is kept. */
export async function otherTracesOf(
  reading: RedisReading,
  ids: readonly string[],
  { calls, waiting }: CountedTraces,
): Promise<Command[]> {
  if (ids.length === 0) return [];
  const { keys } = reading;
  // If the task of an invocation is unknown, it is removed from the sets of all tasks.
  const withoutCall = ids.filter((id) => !calls.has(id));
  const tasks = withoutCall.length === 0 ? [] : (await reading.catalogue.names("tasks")).names;
  const idsByTask = [
    ...listsOf([...calls].map(([id, { task }]) => [task, id] as const)),
    ...tasks.map((task) => [task, withoutCall] as const),
  ];
  const idsByCall = listsOf([...calls].map(([id, { call }]) => [call, id] as const));
  const own = ids.flatMap((id) => [
    keys.key("orchestrator", "invocation_retries", id),
    keys.key("orchestrator", "invocation_to_call", id),
    keys.key("blocking_control", "invocation", id),
  ]);
  return [
    ["UNLINK", ...own],
    ...STATUS_WORDS.map((word): Command => ["SREM", keys.key("orchestrator", "status", word), ...ids]),
    ...TIME_INDEXES.map((name): Command => ["ZREM", keys.key("orchestrator", name), ...ids]),
    ...["all_waited", "not_waiting"].map((name): Command => ["ZREM", keys.key("blocking_control", name), ...ids]),
    ...idsByTask.flatMap(([task, some]): Command[] => [
      ["SREM", keys.key("orchestrator", "task", task), ...some],
      ["ZREM", keys.key("orchestrator", "task_invocations_by_time", task), ...some],
    ]),
    ...[...idsByCall].map(
      ([call, some]): Command => ["SREM", keys.key("orchestrator", "call_to_invocation", call), ...some],
    ),
    ...waiting.flatMap(({ waited, waiters }) =>
      waiters.map((waiter): Command => ["SREM", keys.key("blocking_control", "waiting_for", waiter), waited]),
    ),
  ];
}

/** Commands that remove all references, without counting. */
export async function tracesOf(reading: RedisReading, ids: readonly string[]): Promise<Command[]> {
  const counted = await countedTracesOf(reading, ids);
  const erasures = [...counted.edges, ...counted.args].map(({ erase }) => erase);
  return [...erasures, ...(await otherTracesOf(reading, ids, counted))];
}

/** Status sets an invocation may be in: after concurrent changes it may be in two (storage-format.md 9.2). */
const STATUS_WORDS = [...STATUSES.map(({ name }) => name), "resumed"];

const TIME_INDEXES = ["all_invocations_by_time", "invocation_auto_purge"];

async function waitingFor(reading: RedisReading, ids: readonly string[]): Promise<Waiting[]> {
  const db = reading.db("orchestrator");
  const idByKey = new Map(ids.map((id) => [reading.keys.key("blocking_control", "waited_by", id), id]));
  // Final invocations rarely have waiters.
  const waitedBy = await db.existing([...idByKey.keys()]);
  // Any number may wait for one invocation.
  const waiters = await membersOfEach(db, waitedBy);
  return waitedBy.map((key, i) => ({ waited: idByKey.get(key) ?? "", waiters: waiters[i] ?? [] }));
}

/** Calls of invocations as far as known: arguments from the definition, the rest from the orchestrator. */
async function callsOf(reading: RedisReading, ids: readonly string[]): Promise<ReadonlyMap<string, IndexedCall>> {
  const [callKeys, definitions] = await Promise.all([
    reading.db("orchestrator").strings(ids.map((id) => reading.keys.key("orchestrator", "invocation_to_call", id))),
    reading.db("state_backend").strings(ids.map((id) => reading.keys.key("state_backend", "invocation", id))),
  ]);
  const calls = new Map<string, IndexedCall>();
  for (const [i, id] of ids.entries()) {
    const definition = objectOrNull(parsedJson(definitions[i] ?? ""));
    const call = callKeys[i] ?? textOrNull(definition?.call_id_key);
    const task = (call && parseCallKey(call)?.task_id_key) ?? textOrNull(definition?.task_id_key);
    if (call === null || task === null) continue;
    const stored = Object.entries(objectOrNull(definition?.serialized_arguments) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    calls.set(id, { task, call, stored });
  }
  return calls;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
