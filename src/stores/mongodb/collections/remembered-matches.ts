/** Documents that meet a condition without an index: a span of times is walked over once, and from then on only what was written since. */
import type { Document, Filter } from "../server/db.ts";
import { madeAt, text } from "./fields.ts";
import { findIn, idBefore, momentsBefore } from "./queries.ts";
import type { CollectionReads, MongoReading } from "./reading.ts";

/** Of more matches the ids are not remembered: the first ones of so many are soon found. */
export const MOST_KEPT = 1_000;

/** A member's value by which documents are sorted: a Date, or a text of one. */
type Instant = Date | string;

export interface MatchSearch {
  /** The same for each search of these documents, whatever the span is by then. */
  key: string;
  /** An indexed member. */
  time: string;
  /** Order of the ids of one instant: the direction in which the index of the time is read. */
  ties: 1 | -1;
  /** Both inclusive. */
  low: Instant;
  high: Instant;
  /** Of indexed members. */
  where?: Filter;
  /** What no update of a document changes. */
  condition: Filter;
  /** Documents may be replaced under their `_id` by ones with a later Date. */
  replaced?: true;
  limit: number;
  only?: Readonly<Record<string, 1>>;
}

/** The latest documents of the span, at most `limit`. */
export async function matchesIn(
  reading: MongoReading,
  collection: CollectionReads,
  { key, time, ties, low, high, where = {}, condition, replaced, limit, only }: MatchSearch,
): Promise<Document[]> {
  const limits = { sort: { [time]: -1 }, limit, ...(only === undefined ? {} : { only }) } as const;
  const matching = (range: Filter, further: Filter = {}) => ({ ...where, ...further, ...condition, [time]: range });
  const known = reading.walked(key);
  const span = known?.span;
  const [newest, latest, kept] = await Promise.all([
    collection.findOne({}, { sort: { _id: -1 }, only: { _id: 1 } }),
    replaced ? collection.findOne({}, { sort: { [time]: -1 }, only: { [time]: 1 } }) : null,
    findIn(collection, "_id", known?.found ?? [], only === undefined ? {} : { only }),
  ]);
  // Where documents were removed, others that were beyond the limit may take their place.
  const isKnown = span !== undefined && span.low <= low && kept.length === known?.found.length;
  const parts = !isKnown
    ? [await collection.find(matching({ $gte: low, $lte: high }), limits)]
    : await Promise.all([
        kept,
        collection.find(matching({ $gte: low, $lte: high }, { _id: { $gt: known?.upTo } }), { ...limits, byId: true }),
        high > span.high ? collection.find(matching({ $gt: span.high, $lte: high }), limits) : [],
      ]);
  const within = new Map(parts.flat().map((stored) => [text(stored._id), stored]));
  const at = (stored: Document) => stored[time] as Instant;
  const found = [...within.values()]
    .filter((stored) => at(stored) >= low && at(stored) <= high)
    .sort((a, b) => (at(a) > at(b) ? -1 : at(a) < at(b) ? 1 : text(a._id) < text(b._id) ? -ties : ties))
    .slice(0, limit);
  const second = madeAt(newest?._id);
  if (second !== null && found.length <= MOST_KEPT) {
    const seen = latest === null ? high : [high, momentsBefore(latest[time] as Date)].reduce((a, b) => (a < b ? a : b));
    reading.remember(key, { found: found.map(({ _id }) => _id), upTo: idBefore(second), span: { low, high: seen } });
  }
  return found;
}
