import { parseCallKey } from "../../pynenc/identifiers.ts";
import { objectOrNull, parsedJson } from "../../pynenc/plain-json.ts";
import { STATUSES, statusInfo } from "../../pynenc/statuses.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../ports.ts";
import { purgeExecutions } from "./auto-purge-executions.ts";
import { type Changes, membersOfSet, membersOfSortedSet, type Removal, wholeCollection, wholeKeys } from "./changes.ts";
import type { Command } from "./connection.ts";
import { inChunks, textsOf } from "./db.ts";
import { grouped } from "./grouped.ts";
import type { RedisReading } from "./reading.ts";
import { membersDownFrom } from "./sorted-set.ts";
import { foundStatuses } from "./status-records.ts";

/** Invocations that go in one step: each of them whole. */
const STEP = 500;

/** Entries of the index that are looked at in one round trip. */
const LOOK_AT = 2_000;

/** Messages that are looked at in one round trip. */
const MESSAGES = 10_000;

type InvocationCounts = Pick<OrchestratorPurge, "invocations" | "invocation_args" | "blocking_edges">;

/**
 * Removes final invocations and executions that are old enough (storage.md 6.4, 7.3, 9.4). State, history and results stay. The plugin's
 * own auto-purge leaves most of what names an invocation: that goes too.
 */
export async function autoPurgeOrchestrator(
  reading: RedisReading,
  changes: Changes,
  retention: OrchestratorRetention,
): Promise<OrchestratorPurge> {
  const invocations = await purgeInvocations(reading, changes, retention);
  const leaked_index_entries = await sweepIndex(reading, changes, retention);
  return { ...invocations, leaked_index_entries, ...(await purgeExecutions(reading, changes, retention)) };
}

async function purgeInvocations(
  reading: RedisReading,
  changes: Changes,
  { final_until }: OrchestratorRetention,
): Promise<InvocationCounts & Pick<OrchestratorPurge, "invocations_kept">> {
  const db = reading.db("orchestrator");
  const statusKey = (id: string) => reading.keys.key("orchestrator", "invocation_status", id);
  const becameFinal = reading.keys.key("orchestrator", "invocation_auto_purge");
  const total = { invocations: 0, invocation_args: 0, blocking_edges: 0, invocations_kept: 0 };
  if ((await db.number("ZCOUNT", becameFinal, "-inf", String(final_until))) === 0) return total;
  const queued = await dueInQueue(reading, final_until);
  for await (const ids of membersDownFrom(db, becameFinal, final_until, STEP)) {
    const statuses = new Map((await foundStatuses(reading, ids)).map((found) => [found.invocation_id, found.current]));
    // Nothing moves an invocation on once it is final; the status is asked all the same, because what is not final must never go.
    const final = ids.filter((id) => statusInfo(statuses.get(id)?.status ?? "").final);
    const present = new Set(await db.existing(ids.filter((id) => !statuses.has(id)).map(statusKey)));
    const gone = ids.filter((id) => !statuses.has(id) && !present.has(statusKey(id)));
    const due = final.filter((id) => !queued.has(id));
    const counts = await removeInvocations(reading, changes, due, gone);
    total.invocations += counts.invocations;
    total.invocation_args += counts.invocation_args;
    total.blocking_edges += counts.blocking_edges;
    total.invocations_kept += final.length - due.length;
  }
  return total;
}

/**
 * Invocations that are old enough to go but have a message: after a recovery the same one may lie in the queue twice. A runner that
 * takes one whose status is gone stops working (fixtures/redis, correction 18).
 */
async function dueInQueue(reading: RedisReading, finalUntil: number): Promise<ReadonlySet<string>> {
  const queue = reading.keys.key("broker", "default_queue");
  const becameFinal = reading.keys.key("orchestrator", "invocation_auto_purge");
  const length = await reading.db("broker").number("LLEN", queue);
  const due = new Set<string>();
  for (let start = 0; start < length; start += MESSAGES) {
    const ids = await reading.db("broker").texts("LRANGE", queue, String(start), String(start + MESSAGES - 1));
    const times = await reading.db("orchestrator").exchange(ids.map((id) => ["ZSCORE", becameFinal, id]));
    for (const [i, id] of ids.entries()) {
      const at = times[i] ?? null;
      if (at !== null && Number(at) <= finalUntil) due.add(id);
    }
  }
  return due;
}

/** @param gone ids without a status, whose place among the final ones goes too. */
async function removeInvocations(
  reading: RedisReading,
  changes: Changes,
  ids: readonly string[],
  gone: readonly string[],
): Promise<InvocationCounts> {
  const becameFinal = reading.keys.key("orchestrator", "invocation_auto_purge");
  const besides: Command[] = gone.length === 0 ? [] : [["ZREM", becameFinal, ...gone]];
  const statuses: Removal[] =
    ids.length === 0 ? [] : [wholeKeys(ids.map((id) => reading.keys.key("orchestrator", "invocation_status", id)))];
  const traces = await tracesOf(reading, ids);
  const counts = await changes.remove(
    "orchestrator",
    [...statuses, ...traces.edges, ...traces.args],
    [...besides, ...traces.others],
  );
  const sum = (start: number, end: number) => counts.slice(start, end).reduce((total, count) => total + count, 0);
  const firstArgument = statuses.length + traces.edges.length;
  return {
    invocations: sum(0, statuses.length),
    blocking_edges: sum(statuses.length, firstArgument),
    invocation_args: sum(firstArgument, counts.length),
  };
}

/**
 * Entries of the index by time whose invocation has no status: the plugin's auto-purge leaves them (fixtures/redis, correction 16), and
 * its pages fail on them. A registration writes its entry last, so that none of these is under way.
 */
async function sweepIndex(
  reading: RedisReading,
  changes: Changes,
  { final_until }: OrchestratorRetention,
): Promise<number> {
  const db = reading.db("orchestrator");
  const byTime = reading.keys.key("orchestrator", "all_invocations_by_time");
  let entries = 0;
  for await (const ids of membersDownFrom(db, byTime, final_until, LOOK_AT)) {
    const statusKey = (id: string) => reading.keys.key("orchestrator", "invocation_status", id);
    const present = new Set(await db.existing(ids.map(statusKey)));
    const leaked = ids.filter((id) => !present.has(statusKey(id)));
    for (const some of inChunks(leaked, STEP)) {
      const traces = await tracesOf(reading, some);
      const others = [...traces.edges, ...traces.args].map(({ erase }) => erase);
      const [count = 0] = await changes.remove(
        "orchestrator",
        [membersOfSortedSet(byTime, some)],
        [...others, ...traces.others],
      );
      entries += count;
    }
  }
  return entries;
}

/** Where invocations are named, besides their status. */
interface Traces {
  /** Who waits for them. */
  edges: Removal[];
  /** Their argument index. */
  args: Removal[];
  others: Command[];
}

async function tracesOf(reading: RedisReading, ids: readonly string[]): Promise<Traces> {
  if (ids.length === 0) return { edges: [], args: [], others: [] };
  const { keys } = reading;
  const edges = await edgesOf(reading, ids);
  const calls = await callsOf(reading, ids);
  const byTask = grouped([...calls].map(([id, { task }]) => [task, id]));
  const byCall = grouped([...calls].map(([id, { call }]) => [call, id]));
  const byArgument = grouped(
    [...calls].flatMap(([id, { task, stored }]) =>
      stored.map(([name, value]): [string, string] => [
        keys.key("orchestrator", "task", task, "arg", name, "val", value),
        id,
      ]),
    ),
  );
  // Most tasks have no concurrency control and index none.
  const indexed = await reading.db("orchestrator").existing([...byArgument.keys()]);
  // What nothing tells the task of is looked for with every task.
  const homeless = ids.filter((id) => !calls.has(id));
  const tasks = homeless.length === 0 ? [] : (await reading.catalogue.names("tasks")).names;
  const taskIds = [...byTask, ...tasks.map((task): [string, string[]] => [task, homeless])];
  const own = ids.flatMap((id) => [
    keys.key("orchestrator", "invocation_retries", id),
    keys.key("orchestrator", "invocation_to_call", id),
    keys.key("blocking_control", "invocation", id),
  ]);
  return {
    edges: edges.map(({ waited }) => wholeCollection(keys.key("blocking_control", "waited_by", waited), "SCARD")),
    args: indexed.map((key) => membersOfSet(key, byArgument.get(key) ?? [])),
    others: [
      ["UNLINK", ...own],
      ...STATUS_WORDS.map((word): Command => ["SREM", keys.key("orchestrator", "status", word), ...ids]),
      ...["all_invocations_by_time", "invocation_auto_purge"].map(
        (name): Command => ["ZREM", keys.key("orchestrator", name), ...ids],
      ),
      ...["all_waited", "not_waiting"].map((name): Command => ["ZREM", keys.key("blocking_control", name), ...ids]),
      ...taskIds.flatMap(([task, some]): Command[] => [
        ["SREM", keys.key("orchestrator", "task", task), ...some],
        ["ZREM", keys.key("orchestrator", "task_invocations_by_time", task), ...some],
      ]),
      ...[...byCall].map(
        ([call, some]): Command => ["SREM", keys.key("orchestrator", "call_to_invocation", call), ...some],
      ),
      ...edges.flatMap(({ waited, waiters }) =>
        waiters.map((waiter): Command => ["SREM", keys.key("blocking_control", "waiting_for", waiter), waited]),
      ),
    ],
  };
}

/** Sets that an invocation may be in: after two changes at once it stays in both (storage.md 9.2). */
const STATUS_WORDS = [...STATUSES.map(({ name }) => name), "resumed"];

async function edgesOf(
  reading: RedisReading,
  ids: readonly string[],
): Promise<{ waited: string; waiters: readonly string[] }[]> {
  const db = reading.db("orchestrator");
  const idByKey = new Map(ids.map((id) => [reading.keys.key("blocking_control", "waited_by", id), id]));
  // Hardly anybody waits for what is final.
  const waitedBy = await db.existing([...idByKey.keys()]);
  const waiters = await db.exchange(waitedBy.map((key) => ["SMEMBERS", key]));
  return waitedBy.map((key, i) => ({ waited: idByKey.get(key) ?? "", waiters: textsOf(waiters[i]) }));
}

/** What is indexed of invocations. */
interface IndexedCall {
  task: string;
  call: string;
  /** Argument names and stored values; with concurrency control both stand in keys. */
  stored: readonly (readonly [string, string])[];
}

/** Calls of invocations, as far as anything tells them: the definition has the arguments, the orchestrator the rest. */
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
