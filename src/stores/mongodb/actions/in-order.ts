import type { CollectionReads } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";

/** How to walk over documents. */
export interface Order {
  /** An indexed member by which they are sorted. */
  by: string;
  /** A member that no two of them share. */
  id: string;
  /** Further members to read; those two are read always. */
  only?: readonly string[];
  step: number;
}

/**
 * The documents that match, smallest first, in steps: each begins where the one before it ended, so documents may be removed meanwhile. If very many
 * have the same value, a step may be longer.
 */
export async function* inOrder(
  collection: CollectionReads,
  filter: Filter,
  { by, id, only = [], step }: Order,
): AsyncGenerator<Document[], void, undefined> {
  const members = Object.fromEntries([by, id, ...only].map((name) => [name, 1 as const]));
  let last: unknown;
  // Those of the last value, which the next step reads again.
  let seen: unknown[] = [];
  for (;;) {
    const rest = by === id ? { [by]: { $gt: last } } : { [by]: { $gte: last }, [id]: { $nin: seen } };
    const found = await collection.find(seen.length === 0 ? filter : { $and: [filter, rest] }, {
      sort: { [by]: 1 },
      limit: step,
      only: members,
    });
    const end = found.at(-1);
    if (end === undefined) return;
    yield found;
    if (found.length < step) return;
    const same = found.filter((one) => isSame(one[by], end[by])).map((one) => one[id]);
    seen = isSame(last, end[by]) ? [...seen, ...same] : same;
    last = end[by];
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;
}
