import { text } from "../collections/fields.ts";
import type { CollectionReads } from "../collections/reading.ts";
import type { Filter } from "../server/db.ts";

/** Most documents of one millisecond among which the place of one is found. */
const MOST = 10_000;

/**
 * Where a list, newest first, continues after one of its documents. Times have milliseconds, and documents of the same one stay in the order of the
 * index: sorting them by another field would need the whole list in memory.
 *
 * @param at time of the document; if it is gone, the list continues after all of that time.
 * @returns the condition on the rest and how many of that to skip.
 */
export async function continuedAfter(
  collection: CollectionReads,
  where: Filter,
  fields: { time: string; id: string },
  at: unknown,
  after: string,
): Promise<{ where: Filter; skip: number }> {
  const { time, id } = fields;
  const same = await collection.find(
    { $and: [where, { [time]: at }] },
    { sort: { [time]: -1 }, limit: MOST, only: { [id]: 1 } },
  );
  const place = same.findIndex((stored) => text(stored[id]) === after);
  return { where: { $and: [where, { [time]: { $lte: at } }] }, skip: place === -1 ? same.length : place + 1 };
}
