/** Walks over sets and indexes in steps: the server is never busy with one of them for long. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Reply } from "./connection.ts";
import { type RedisDb, scoredOf, textsOf } from "./db.ts";

/** Members that are looked at in one step. */
const STEP = 10_000;

/** A member of an index by time. */
export interface Place {
  id: string;
  time: EpochSeconds;
}

/** Negative when `a` comes before `b`: newest first, and among equals as the server orders them, greatest id first. */
export function newestFirst(a: Place, b: Place): number {
  if (a.time !== b.time) return b.time - a.time;
  return Buffer.compare(Buffer.from(b.id), Buffer.from(a.id));
}

/**
 * Members of these sets in no order, those of all sets in each step; with `pattern` only those that match. One may come twice. Keys that
 * are absent are empty sets.
 */
export async function* membersOf(
  db: RedisDb,
  sets: readonly string[],
  pattern = "*",
): AsyncGenerator<string[], void, undefined> {
  let open = sets.map((set) => ({ set, cursor: "0" }));
  while (open.length > 0) {
    const replies = await db.exchange(open.map(({ set, cursor }) => scan("SSCAN", set, cursor, pattern)));
    const steps = replies.map(scanned);
    const members = steps.flatMap((step) => step.found);
    if (members.length > 0) yield members;
    open = open.flatMap(({ set }, i) => {
      const cursor = steps[i]?.cursor ?? "0";
      return cursor === "0" ? [] : [{ set, cursor }];
    });
  }
}

/** Every place of an index whose id matches, in no order. One may come twice. */
export async function* placesLike(
  db: RedisDb,
  index: string,
  pattern: string,
): AsyncGenerator<Place[], void, undefined> {
  let cursor = "0";
  do {
    const step = scanned(await db.ask(...scan("ZSCAN", index, cursor, pattern)));
    cursor = step.cursor;
    if (step.found.length > 0) yield placesOf(step.found);
  } while (cursor !== "0");
}

/**
 * The places of an index in their order from behind `after` on, in steps that grow from `first` members. It goes on by scores and ids and
 * not by ranks, so that what is registered meanwhile shifts nothing.
 */
export async function* placesInOrder(
  db: RedisDb,
  index: string,
  after: Place | null,
  first: number,
): AsyncGenerator<Place[], void, undefined> {
  let last = after;
  let size = Math.min(first, STEP);
  // Places that were seen and are as new as the last one: the next question begins with them again.
  let seen = 0;
  for (;;) {
    const newest = last === null ? "+inf" : String(last.time);
    const places = placesOf(
      await db.ask(...["ZREVRANGEBYSCORE", index, newest, "-inf", "WITHSCORES", "LIMIT", String(seen), String(size)]),
    );
    const end = places.at(-1);
    const fresh = places.filter((place) => last === null || newestFirst(last, place) < 0);
    if (fresh.length > 0) yield fresh;
    if (end === undefined || places.length < size) return;
    const equal = places.filter((place) => place.time === end.time).length;
    seen = end.time === last?.time ? seen + equal : equal;
    last = fresh.at(-1) ?? last;
    size = Math.min(size * 4, STEP);
  }
}

function scan(name: "SSCAN" | "ZSCAN", key: string, cursor: string, pattern: string): string[] {
  return [name, key, cursor, ...(pattern === "*" ? [] : ["MATCH", pattern]), "COUNT", String(STEP)];
}

function scanned(reply: Reply | undefined): { cursor: string; found: string[] } {
  const [cursor, found] = Array.isArray(reply) ? reply : [];
  return { cursor: typeof cursor === "string" ? cursor : "0", found: textsOf(found) };
}

function placesOf(reply: Reply): Place[] {
  return scoredOf(reply).map(({ member, score }) => ({ id: member, time: score }));
}
