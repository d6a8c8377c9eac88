/** Invocations in the order of their registration, which Redis keeps in indexes by time and nowhere else. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Cursor, ListedId } from "../ports.ts";
import { inChunks, numberOrNull, type RedisDb } from "./db.ts";
import type { RedisReading } from "./reading.ts";
import { registrationTimes } from "./registration-times.ts";
import { among, membersOf } from "./sets.ts";
import { byScore } from "./sorted-set.ts";

export type Order = "newest" | "oldest";

export interface Registered {
  invocation_id: string;
  /** Null where neither an index nor a history tells it: torn, or purged. These come last. */
  at: EpochSeconds | null;
}

/** First step of a walk over an index, and its largest. */
const STEP = 1_000;
const LARGEST_STEP = 10_000;

/** Up to so many ids are sorted rather than looked for in an index. */
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

/** Walks an index in steps. `after` is a place in this order; `since` leaves out what is older. */
export async function* walkIndex(
  reading: RedisReading,
  index: string,
  { order, after = null, since }: { order: Order; after?: Registered | null; since?: EpochSeconds | undefined },
): AsyncGenerator<Registered[], void, undefined> {
  if (after !== null && after.at === null) return;
  const walk = byScore(reading.db("orchestrator"), index, {
    direction: order === "newest" ? "down" : "up",
    low: order === "newest" ? since : (after?.at ?? since),
    high: order === "newest" ? (after?.at ?? undefined) : undefined,
    step: STEP,
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
  /** Has all of its members and best few others. */
  index: string;
  /** They were registered after this invocation. */
  begunBy?: string;
}

/**
 * Members of a set in steps. A large one is not sorted but met by walking the index: then members that the index lacks are left out, and
 * it takes as long as others lie between its members.
 */
export async function* membersInOrder(
  reading: RedisReading,
  { db, set, index, begunBy }: RegisteredSet,
  order: Order,
  after: Registered | null = null,
): AsyncGenerator<Registered[], void, undefined> {
  const [members] = await membersOf(db, [set], SORTED_IDS);
  if (members) {
    const rows = await inOrder(reading, members, order);
    yield* inChunks(after === null ? rows : rows.filter((row) => compare(order)(row, after) > 0), STEP);
    return;
  }
  const since = begunBy === undefined ? undefined : await begunAt(reading, begunBy);
  for await (const some of walkIndex(reading, index, { order, after, since })) {
    const ids = some.map((row) => row.invocation_id);
    const met = await among(db, set, ids);
    yield some.filter((row) => met.has(row.invocation_id));
  }
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
export function placeOf(cursor: Cursor | undefined): Registered | null {
  if (cursor === undefined) return null;
  const colon = cursor.indexOf(":");
  const time = cursor.slice(0, colon);
  return { invocation_id: cursor.slice(colon + 1), at: time === "" ? null : Number(time) };
}
