/** Invocations in the order of their registration, which Redis keeps in indexes by time and nowhere else. */
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Cursor } from "../../ports/common.ts";
import type { ListedId } from "../../ports/state-backend.ts";
import type { RedisReading } from "../keys/reading.ts";
import { inChunks, numberOrNull, type RedisDb, scoredOf } from "../server/db.ts";
import { among } from "../server/sets.ts";
import { byScore } from "../server/sorted-set.ts";
import { registrationTimes } from "./registration-times.ts";

type Order = "newest" | "oldest";

export interface Registered {
  invocation_id: string;
  /** Null if neither an index nor a history has it: incomplete or purged. These come last. */
  at: EpochSeconds | null;
}

/** First step of a walk over an index unless its caller knows better, and its largest. */
const STEP = 500;
const LARGEST_STEP = 10_000;

/** Up to so many ids are sorted without a look at an index; up to so many when a look at it did not find enough of them. */
const SORTED_AT_ONCE = 500;
const SORTED_IDS = 20_000;

/** Clocks of machines may differ by so many seconds: a child may be registered by another machine than its parent. */
const CLOCKS_APART = 60;

/** These ids in order of their registration; at most two round trips for each ten thousand. */
export async function inOrder(reading: RedisReading, ids: Iterable<string>, order: Order): Promise<Registered[]> {
  const all = [...new Set(ids)];
  const times = await registrationTimes(reading, all);
  return all
    .map((invocation_id): Registered => ({ invocation_id, at: times.get(invocation_id) ?? null }))
    .sort(compare(order));
}

/** By time, then by id, as an index gives them. */
export function compare(order: Order): (a: Registered, b: Registered) => number {
  const sign = order === "newest" ? -1 : 1;
  return (a, b) => {
    const byId = a.invocation_id < b.invocation_id ? -1 : Number(a.invocation_id > b.invocation_id);
    if (a.at === null || b.at === null) return Number(a.at === null) - Number(b.at === null) || byId;
    return sign * (a.at - b.at || byId);
  };
}

/** An index by time of registration: that of all invocations, or of one task. */
export function timeIndex(reading: RedisReading, taskIdKey?: string): string {
  return taskIdKey === undefined
    ? reading.keys.key("orchestrator", "all_invocations_by_time")
    : reading.keys.key("orchestrator", "task_invocations_by_time", taskIdKey);
}

/** History is written by threads of its own, so that it may come before the index by so many seconds. */
const DISORDER = 1;

/**
 * The oldest registration in the index of all, and whether no history is older, which begins moments later: then the index is whole, and
 * the orchestrator was not purged since.
 */
export async function indexReach(reading: RedisReading): Promise<{ oldest: EpochSeconds | undefined; whole: boolean }> {
  const first = (db: RedisDb, key: string) => db.ask("ZRANGE", key, "0", "0", "WITHSCORES");
  const [oldest, history] = (
    await Promise.all([
      first(reading.db("orchestrator"), timeIndex(reading)),
      first(reading.db("state_backend"), reading.keys.key("state_backend", "history_by_timestamp")),
    ])
  ).map((reply) => scoredOf(reply)[0]?.score);
  return { oldest, whole: oldest !== undefined && (history === undefined || history > oldest - DISORDER) };
}

interface IndexWalk {
  order: Order;
  /** A position in this order. */
  after?: Registered | null;
  /** Skips older ones. */
  since?: EpochSeconds | undefined;
  /** Ids of the first step; every further one is twice as large. */
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
  for await (const placed of walk) {
    const some = placed.map(({ member, score }): Registered => ({ invocation_id: member, at: score }));
    yield after === null ? some : some.filter((row) => compare(order)(row, after) > 0);
  }
}

/** A set of invocations, which may be of any size. */
export interface RegisteredSet {
  db: RedisDb;
  set: string;
  /** Has all of its members, and the fewer others the better. */
  index: string;
  /** They were registered after this invocation. */
  begunBy?: string;
}

/**
 * Members of a set in steps. Those of a larger set are looked for in the index, which costs by what is looked at and mostly ends soon,
 * until that is more than to sort them all; those of a very large one in the index alone, so that members that it lacks are left out.
 */
export async function* membersInOrder(
  reading: RedisReading,
  { db, set, index, begunBy }: RegisteredSet,
  order: Order,
  after: Registered | null = null,
): AsyncGenerator<Registered[], void, undefined> {
  const size = await db.number("SCARD", set);
  let place = after;
  if (size > SORTED_AT_ONCE) {
    const since = begunBy === undefined ? undefined : await begunAt(reading, begunBy);
    let scanned = 0;
    for await (const some of walkIndex(reading, index, { order, after, since })) {
      const ids = some.map((row) => row.invocation_id);
      const met = await among(db, set, ids);
      yield some.filter((row) => met.has(row.invocation_id));
      place = some.at(-1) ?? place;
      scanned += some.length;
      if (scanned >= size && size <= SORTED_IDS) break;
    }
  }
  if (size > SORTED_IDS) return;
  const rows = await inOrder(reading, await db.texts("SMEMBERS", set), order);
  const further = place;
  yield* inChunks(further === null ? rows : rows.filter((row) => compare(order)(row, further) > 0), STEP);
}

async function begunAt(reading: RedisReading, invocationId: string): Promise<EpochSeconds | undefined> {
  const at = numberOrNull(await reading.db("orchestrator").ask("ZSCORE", timeIndex(reading), invocationId));
  return at === null ? undefined : at - CLOCKS_APART;
}

/** A cursor is the time and the id: it means the same whether the row was sorted or met in an index. */
export function listed({ invocation_id, at }: Registered): ListedId {
  return { invocation_id, cursor: `${at ?? ""}:${invocation_id}` };
}

/** Null for one that is none. */
export function positionOf(cursor: Cursor | undefined): Registered | null {
  if (cursor === undefined) return null;
  const colon = cursor.indexOf(":");
  const time = cursor.slice(0, colon);
  return { invocation_id: cursor.slice(colon + 1), at: time === "" ? null : Number(time) || 0 };
}
