/** Sets of ids of unknown size. */
import type { Command, Reply } from "./connection.ts";
import { inChunks, numberOf, type RedisDb, textsOf } from "./db.ts";

/** Limit of commands sent, and of members expected, per round trip. */
const MANY = 10_000;

/** Sizes of these sets, in order; 0 for a missing one. */
export async function sizesOf(db: RedisDb, sets: readonly string[]): Promise<number[]> {
  return (await inBatches(db, sets, (set) => ["SCARD", set])).map(numberOf);
}

/** Members of each of these sets, null for a set with more than `most`. Two round trips unless there are very many. */
export async function membersOf(db: RedisDb, sets: readonly string[], most: number): Promise<(string[] | null)[]> {
  const sizes = await sizesOf(db, sets);
  const members: (string[] | null)[] = sizes.map((size) => (size > most ? null : []));
  let batch: number[] = [];
  let awaited = 0;
  const read = async () => {
    const replies = await db.exchange(batch.map((i) => ["SMEMBERS", sets[i] ?? ""]));
    batch.forEach((i, n) => {
      members[i] = textsOf(replies[n]);
    });
    batch = [];
    awaited = 0;
  };
  for (const [i, size] of sizes.entries()) {
    if (size === 0 || size > most) continue;
    if (awaited > 0 && awaited + size > MANY) await read();
    batch.push(i);
    awaited += size;
  }
  await read();
  return members;
}

/** Those of the ids that are members of the set. */
export async function among(db: RedisDb, set: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await db.membership(set, ids);
  return new Set(ids.filter((_, i) => found[i]));
}

/** One command per item; a round trip per ten thousand items. */
export async function inBatches<T>(db: RedisDb, items: readonly T[], command: (item: T) => Command): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const some of inChunks(items, MANY)) replies.push(...(await db.exchange(some.map(command))));
  return replies;
}
