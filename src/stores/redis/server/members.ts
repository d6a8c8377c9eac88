/** Walks over sets and indexes in steps, so that the server is never blocked for long. */
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Reply } from "./connection.ts";
import { type RedisDb, textsOf } from "./db.ts";
import { byScore } from "./sorted-set.ts";

/** Members read per step. */
const STEP = 10_000;

/** A member of a time index. */
export interface IndexEntry {
  id: string;
  time: EpochSeconds;
}

/** Comparator: newest first, and at equal times in the server's order, greatest id first. */
export function newestFirst(a: IndexEntry, b: IndexEntry): number {
  if (a.time !== b.time) return b.time - a.time;
  return Buffer.compare(Buffer.from(b.id), Buffer.from(a.id));
}

/**
 * Members of these sets in no order; each step has members of every set. With `pattern`, only those that match. A member may appear twice. Missing
 * keys are empty sets.
 */
export async function* membersInSteps(
  db: RedisDb,
  sets: readonly string[],
  pattern = "*",
): AsyncGenerator<string[], void, undefined> {
  for await (const steps of stepsThrough(db, sets, pattern)) {
    const members = steps.flatMap(({ found }) => found);
    if (members.length > 0) yield members;
  }
}

/** Distinct members of each of these sets, in the order of the sets. Missing keys are empty sets. */
export async function membersOfEach(db: RedisDb, sets: readonly string[]): Promise<string[][]> {
  const members = new Map(sets.map((set) => [set, new Set<string>()]));
  for await (const steps of stepsThrough(db, sets, "*")) {
    for (const { set, found } of steps) for (const member of found) members.get(set)?.add(member);
  }
  return sets.map((set) => [...(members.get(set) ?? [])]);
}

/** Yields one step of every unfinished set per round trip. */
async function* stepsThrough(
  db: RedisDb,
  sets: readonly string[],
  pattern: string,
): AsyncGenerator<{ set: string; found: readonly string[] }[], void, undefined> {
  let open = sets.map((set) => ({ set, cursor: "0" }));
  while (open.length > 0) {
    const replies = await db.step(
      open.map(({ set, cursor }) => ["SSCAN", set, cursor, "MATCH", pattern, "COUNT", String(STEP)]),
    );
    const steps = open.map(({ set }, i) => ({ set, ...scanned(replies[i]) }));
    yield steps;
    open = steps.filter(({ cursor }) => cursor !== "0");
  }
}

/** Every id of an index, latest first. An id may appear twice if others are added meanwhile. */
export async function* idsOf(db: RedisDb, index: string): AsyncGenerator<string[], void, undefined> {
  for (let start = 0; ; start += STEP) {
    const [reply] = await db.step([["ZREVRANGE", index, String(start), String(start + STEP - 1)]]);
    const ids = textsOf(reply);
    if (ids.length > 0) yield ids;
    if (ids.length < STEP) return;
  }
}

/**
 * Entries of an index after `after`, newest first, in steps that grow from `first` members. Positions are scores and ids, so new registrations do not
 * shift them.
 */
export async function* entriesInOrder(
  db: RedisDb,
  index: string,
  after: IndexEntry | null,
  first: number,
): AsyncGenerator<IndexEntry[], void, undefined> {
  const walk = byScore(db, index, {
    direction: "down",
    high: after?.time,
    step: Math.min(first, STEP),
    largest: STEP,
  });
  for await (const scored of walk) {
    const entries = scored.map(({ member, score }): IndexEntry => ({ id: member, time: score }));
    const fresh = after === null ? entries : entries.filter((entry) => newestFirst(after, entry) < 0);
    if (fresh.length > 0) yield fresh;
  }
}

function scanned(reply: Reply | undefined): { cursor: string; found: string[] } {
  const [cursor, found] = Array.isArray(reply) ? reply : [];
  return { cursor: typeof cursor === "string" ? cursor : "0", found: textsOf(found) };
}
