/** Sets of ids of unknown size. */
import { inChunks, numberOf, type RedisDb, textsOf } from "./db.ts";

/** Limit of commands sent, and of members expected, per round trip. */
const BATCH = 10_000;

/** Sets up to this size are read without asking for it. */
const FEW = 100;

/** Sizes of these sets, in order; 0 for a missing one. */
export async function sizesOf(db: RedisDb, sets: readonly string[]): Promise<number[]> {
  const sizes: number[] = [];
  for (const some of inChunks(sets, BATCH)) {
    sizes.push(...(await db.exchange(some.map((set) => ["SCARD", set]))).map(numberOf));
  }
  return sizes;
}

/** Members of each of these sets, null for a set with more than `max`. One round trip if all are small, else at least three. */
export async function membersOf(db: RedisDb, sets: readonly string[], max: number): Promise<(string[] | null)[]> {
  const members: (string[] | null)[] = [];
  for (const some of inChunks(sets, BATCH / FEW)) {
    // All of them, in no order, unless there are more.
    members.push(...(await db.exchange(some.map((set) => ["SRANDMEMBER", set, String(FEW + 1)]))).map(textsOf));
  }
  const larger = members.flatMap((few, i) => (few !== null && few.length > FEW ? [i] : []));
  const whole = await largeMembersOf(
    db,
    larger.map((i) => sets[i] ?? ""),
    max,
  );
  for (const [n, i] of larger.entries()) members[i] = whole[n] ?? null;
  return members;
}

async function largeMembersOf(db: RedisDb, sets: readonly string[], max: number): Promise<(string[] | null)[]> {
  const sizes = await sizesOf(db, sets);
  const members: (string[] | null)[] = sizes.map((size) => (size > max ? null : []));
  let batch: number[] = [];
  let expected = 0;
  const read = async () => {
    const replies = await db.exchange(batch.map((i) => ["SMEMBERS", sets[i] ?? ""]));
    batch.forEach((i, n) => {
      members[i] = textsOf(replies[n]);
    });
    batch = [];
    expected = 0;
  };
  for (const [i, size] of sizes.entries()) {
    if (size === 0 || size > max) continue;
    if (expected > 0 && expected + size > BATCH) await read();
    batch.push(i);
    expected += size;
  }
  await read();
  return members;
}

/** The ids that are members of the set. */
export async function among(db: RedisDb, set: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await db.membership(set, ids);
  return new Set(ids.filter((_, i) => found[i]));
}
