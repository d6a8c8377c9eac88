/** Invocations in the order of registration, which Redis keeps only in time indexes. */
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Cursor } from "../../ports/common.ts";
import type { ListedId } from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOrNull, type RedisDb, scoredOf } from "../server/db.ts";
import { among } from "../server/sets.ts";
import { byScore } from "../server/sorted-set.ts";
import { registrationTimes } from "./registration-times.ts";

type Order = "newest" | "oldest";

export interface Registered {
  invocation_id: string;
  /** Null if neither an index nor a history has it (incomplete or purged). These come last. */
  at: EpochSeconds | null;
}

/** Default size of the first step of a walk over an index, and its largest step. */
const STEP = 500;
const LARGEST_STEP = 10_000;

/** Up to `SORTED_AT_ONCE` ids are sorted without walking an index; up to `SORTED_IDS` if a walk did not find enough. */
const SORTED_AT_ONCE = 500;
const SORTED_IDS = 20_000;

/** Allowed difference between clocks in seconds: a child may be registered by a different machine than its parent. */
const MAX_CLOCK_SKEW = 60;

/** These ids in order of registration; at most two round trips per ten thousand. */
export async function inOrder(reading: RedisReading, ids: Iterable<string>, order: Order): Promise<Registered[]> {
  const all = [...new Set(ids)];
  const times = await registrationTimes(reading, all);
  return all
    .map((invocation_id): Registered => ({ invocation_id, at: times.get(invocation_id) ?? null }))
    .sort(compare(order));
}

/** Comparator: by time, then by id, as in an index. */
export function compare(order: Order): (a: Registered, b: Registered) => number {
  const sign = order === "newest" ? -1 : 1;
  return (a, b) => {
    const byId = a.invocation_id < b.invocation_id ? -1 : Number(a.invocation_id > b.invocation_id);
    if (a.at === null || b.at === null) return Number(a.at === null) - Number(b.at === null) || byId;
    return sign * (a.at - b.at || byId);
  };
}

/** Key of the index by registration time, of all invocations or of one task. */
export function timeIndex(reading: RedisReading, taskIdKey?: string): string {
  return taskIdKey === undefined
    ? reading.keys.key("orchestrator", "all_invocations_by_time")
    : reading.keys.key("orchestrator", "task_invocations_by_time", taskIdKey);
}

/** History is written by separate threads, so it may precede the index by this many seconds. */
const DISORDER = 1;

/**
 * The oldest registration in the index, and whether the index is complete. It is if no history entry is older (history starts moments after
 * registration); otherwise the orchestrator was purged.
 */
export async function indexReach(
  reading: RedisReading,
): Promise<{ oldest: EpochSeconds | undefined; complete: boolean }> {
  const first = (db: RedisDb, key: string) => db.ask("ZRANGE", key, "0", "0", "WITHSCORES");
  const [oldest, history] = (
    await Promise.all([
      first(reading.db("orchestrator"), timeIndex(reading)),
      first(reading.db("state_backend"), reading.keys.key("state_backend", "history_by_timestamp")),
    ])
  ).map((reply) => scoredOf(reply)[0]?.score);
  return { oldest, complete: oldest !== undefined && (history === undefined || history > oldest - DISORDER) };
}

interface IndexWalk {
  order: Order;
  /** A position in this order. */
  after?: Registered | null;
  /** Skips older ones. */
  since?: EpochSeconds | undefined;
  /** Ids in the first step; each further step is twice as large. */
  step?: number;
}

/** Walks an index in steps. */
export async function* walkIndex(
  reading: RedisReading,
  index: string,
  { order, after = null, since, step = STEP }: IndexWalk,
): AsyncGenerator<Registered[], void, undefined> {
  if (after !== null && after.at === null) return;
  const walk = byScore(reading.db("orchestrator"), index, {
    direction: order === "newest" ? "down" : "up",
    low: order === "newest" ? since : (after?.at ?? since),
    high: order === "newest" ? (after?.at ?? undefined) : undefined,
    step,
    largest: LARGEST_STEP,
  });
  for await (const scored of walk) {
    const some = scored.map(({ member, score }): Registered => ({ invocation_id: member, at: score }));
    yield after === null ? some : some.filter((row) => compare(order)(row, after) > 0);
  }
}

/** A set of invocations of any size. */
export interface RegisteredSet {
  db: RedisDb;
  set: string;
  /** Contains all members, and preferably few other ids. */
  index: string;
  /** All members were registered after this invocation. */
  ancestor?: string;
}

/**
 * Members of a set in order of registration, in steps. A small set is sorted. For a larger one the index is walked, which usually finds enough early,
 * until sorting the set would be cheaper. For a very large set only the index is used, so members missing there are omitted.
 */
export async function* membersInOrder(
  reading: RedisReading,
  { db, set, index, ancestor }: RegisteredSet,
  order: Order,
  after: Registered | null = null,
): AsyncGenerator<Registered[], void, undefined> {
  const size = await db.number("SCARD", set);
  let position = after;
  if (size > SORTED_AT_ONCE) {
    const since = ancestor === undefined ? undefined : await earliestAfter(reading, ancestor);
    let scanned = 0;
    for await (const some of walkIndex(reading, index, { order, after, since })) {
      const ids = some.map((row) => row.invocation_id);
      const met = await among(db, set, ids);
      yield some.filter((row) => met.has(row.invocation_id));
      position = some.at(-1) ?? position;
      scanned += some.length;
      if (scanned >= size && size <= SORTED_IDS) break;
    }
  }
  if (size > SORTED_IDS) return;
  const rows = await inOrder(reading, await db.texts("SMEMBERS", set), order);
  const start = position;
  yield* inChunks(start === null ? rows : rows.filter((row) => compare(order)(row, start) > 0), STEP);
}

async function earliestAfter(reading: RedisReading, invocationId: string): Promise<EpochSeconds | undefined> {
  const at = numberOrNull(await reading.db("orchestrator").ask("ZSCORE", timeIndex(reading), invocationId));
  return at === null ? undefined : at - MAX_CLOCK_SKEW;
}

/** A cursor consists of time and id, so it is valid both for sorted rows and for rows from an index. */
export function listed({ invocation_id, at }: Registered): ListedId {
  return { invocation_id, cursor: `${at ?? ""}:${invocation_id}` };
}

/** Null without a cursor. */
export function positionOf(cursor: Cursor | undefined): Registered | null {
  if (cursor === undefined) return null;
  const colon = cursor.indexOf(":");
  const time = cursor.slice(0, colon);
  return { invocation_id: cursor.slice(colon + 1), at: time === "" ? null : Number(time) || 0 };
}
