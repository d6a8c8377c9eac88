/** Sets of ids of unknown size. */
import { inChunks } from "../../server/chunks.ts";
import { numberOf, type RedisDb, textsOf } from "./db.ts";

/** Commands sent per round trip. */
const BATCH = 10_000;

/** Sets up to this size are small, as nearly all are. */
const FEW = 100;

/** Most members that sets may have which are read in one round trip. */
const READ_AT_ONCE = 100_000;

/** Sizes of these sets, in order; 0 for a missing one. */
export async function sizesOf(db: RedisDb, sets: readonly string[]): Promise<number[]> {
  const sizes: number[] = [];
  for (const some of inChunks(sets, BATCH)) {
    sizes.push(...(await db.exchange(some.map((set) => ["SCARD", set]))).map(numberOf));
  }
  return sizes;
}

/** Members of each of these sets, null for a set with more than `max`. One round trip if all are small. */
export async function membersOf(db: RedisDb, sets: readonly string[], max: number): Promise<(string[] | null)[]> {
  // All of them, in no order, unless there are more.
  const upTo = async (some: readonly string[], most: number): Promise<string[][]> => {
    const found: string[][] = [];
    for (const few of inChunks(some, Math.ceil(READ_AT_ONCE / most))) {
      found.push(...(await db.exchange(few.map((set) => ["SRANDMEMBER", set, String(most + 1)]))).map(textsOf));
    }
    return found;
  };
  const small = await upTo(sets, FEW);
  const large = sets.filter((_, i) => (small[i]?.length ?? 0) > FEW);
  const rest = await upTo(large, max);
  return small.map((members) => {
    const all = members.length > FEW ? (rest.shift() ?? []) : members;
    return all.length > max ? null : all;
  });
}

/** The ids that are members of the set. */
export async function among(db: RedisDb, set: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await db.membership(set, ids);
  return new Set(ids.filter((_, i) => found[i]));
}
