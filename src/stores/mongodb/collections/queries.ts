/** Filters and reads that several ports need. */
import type { CutMark } from "../../../pynenc/records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Cursor, RowLimit } from "../../ports/common.ts";
import { LOOKED_THROUGH } from "../../ports/orchestrator.ts";
import { inChunks } from "../../server/chunks.ts";
import { limited, maxPerId } from "../../server/row-limit.ts";
import { cutToBytes } from "../../value-limit.ts";
import { loadedDriver } from "../server/client.ts";
import type { Document, Filter, FindLimits } from "../server/db.ts";
import { text } from "./fields.ts";
import type { CollectionReads, MongoReading } from "./reading.ts";

/** Ids per command. */
const IDS = 5_000;

/** Most documents of one command about some ids. */
const MOST = 100_000;

/** Documents that one command reads for several values before each is asked for alone. */
const TOGETHER = 10_000;

/** Most groups of a count. */
export const GROUPS = 100_000;

/** The documents in which a member has one of these values. */
export async function findIn(
  collection: CollectionReads,
  member: string,
  values: readonly unknown[],
  { where = {}, ...limits }: Omit<FindLimits, "limit"> & { where?: Filter } = {},
): Promise<Document[]> {
  const found: Document[] = [];
  for (const some of inChunks([...new Set(values)], IDS)) {
    found.push(...(await collection.find({ [member]: { $in: some }, ...where }, { ...limits, limit: MOST })));
  }
  return found;
}

/**
 * Rows of the documents in which a member has one of these values, in the order of `sort`, within a `RowLimit`. One command, unless that limit would
 * let one value take the rows of another: then one command for each value.
 *
 * @param rowsOf the rows of a document, with the value that each belongs to.
 */
export async function findPerValue<Row>(
  collection: CollectionReads,
  member: string,
  values: readonly string[],
  limit: RowLimit,
  limits: Omit<FindLimits, "limit">,
  rowsOf: (stored: Document) => { of: string; row: Row }[],
): Promise<Row[]> {
  const wanted = [...new Set(values)];
  if (wanted.length === 0) return [];
  const each = maxPerId(limit);
  const most = typeof limit === "number" ? each : Math.min(TOGETHER, each * wanted.length);
  const together = await collection.find({ [member]: { $in: wanted } }, { ...limits, limit: most });
  const complete = typeof limit === "number" || together.length < most;
  const found = complete
    ? together
    : (
        await Promise.all(wanted.map((value) => collection.find({ [member]: value }, { ...limits, limit: each })))
      ).flat();
  const rows = found.flatMap(rowsOf).filter(({ of }) => wanted.includes(of));
  return limited(rows, limit, ({ of }) => of).map(({ row }) => row);
}

/** The different texts of a member, in order. An index must begin with it: then sorting means to read that alone. */
export async function distinctTexts(collection: CollectionReads, member: string): Promise<string[]> {
  const groups = await collection.aggregate([{ $sort: { [member]: 1 } }, { $group: { _id: `$${member}` } }], GROUPS);
  return groups.map(({ _id }) => text(_id)).sort();
}

/** So many more than `LOOKED_THROUGH` may be looked through, because finding the place of the oldest is a walk too. */
const MORE = LOOKED_THROUGH / 100;

/** Condition that leaves out all but the newest invocations: their ids are indexed, and grow. */
export async function amongNewest(reading: MongoReading): Promise<Filter> {
  const invocations = reading.of("orchestrator", "invocations");
  if ((await invocations.count({})) < LOOKED_THROUGH) return {};
  const known = reading.walked("newest");
  if (known !== undefined && (await invocations.count({ _id: { $gt: known.upTo } }, MORE)) < MORE)
    return { _id: { $gte: known.found[0] } };
  const byId = { sort: { _id: -1 }, only: { _id: 1 } } as const;
  const [newest, oldest] = await Promise.all([
    invocations.findOne({}, byId),
    invocations.findOne({}, { ...byId, skip: LOOKED_THROUGH - 1 }),
  ]);
  if (newest === null || oldest === null) return {};
  reading.remember("newest", { found: [oldest._id], upTo: newest._id });
  return { _id: { $gte: oldest._id } };
}

/** Condition on a member that holds ids. */
export function idsStartingWith(prefix: string): Filter {
  // U+10FFFF has the greatest bytes of UTF-8, and the server compares texts by their bytes.
  return { $gte: prefix, $lt: `${prefix}\u{10ffff}` };
}

/** Condition on a member that contains this text. */
export function containing(part: string): Filter {
  return { $regex: part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") };
}

/** The earliest millisecond at or after an instant. */
export function atOrAfter(at: EpochSeconds): Date {
  const near = milliseconds(at);
  return new Date([near - 1, near].find((ms) => ms / 1000 >= at) ?? near + 1);
}

/** The latest millisecond at or before an instant. */
export function atOrBefore(at: EpochSeconds): Date {
  const near = milliseconds(at);
  return new Date([near + 1, near].find((ms) => ms / 1000 <= at) ?? near - 1);
}

/** Dates end 275,000 years from now. */
const LAST_DATE = 8.64e15 - 1;

function milliseconds(at: EpochSeconds): number {
  return Math.max(-LAST_DATE, Math.min(LAST_DATE, Math.round(at * 1000)));
}

/** A stored text, cut to a number of bytes. */
export function boundedText(stored: unknown, bytes: number): { text: string } & CutMark {
  const whole = text(stored);
  // No character has more than three bytes per unit of length.
  if (whole.length * 3 <= bytes) return { text: whole };
  const size = Buffer.byteLength(whole);
  return size <= bytes ? { text: whole } : { text: cutToBytes(whole, bytes), whole_size: size };
}

/** As `boundedText`, for a text without a mark: a cut one ends with an ellipsis, so it is neither empty nor valid JSON. */
export function cutText(stored: unknown, bytes: number): string {
  const { text: head, whole_size } = boundedText(stored, bytes);
  return whole_size === undefined ? head : `${head}…`;
}

/** The place of a document in a list by `_id`. */
export function cursorOf({ _id }: Document): Cursor {
  return text(_id);
}

/** Condition on `_id`: documents before a place, newest first. */
export function olderThan(cursor: Cursor): Filter {
  return { $lt: idAt(cursor) };
}

/** Seconds by which the clock of a writer may be late. */
const LATE = 60;

/** An `_id` below all that may still be made when the newest is of this second. */
export function idBefore(second: EpochSeconds): unknown {
  return loadedDriver().ObjectId.createFromTime(Math.max(0, second - LATE));
}

/** An instant before all that may still be written when this is the latest that is stored. */
export function momentsBefore(latest: Date): Date {
  return new Date(latest.getTime() - LATE * 1000);
}

/** The `_id` of which a text was made. */
export function idAt(cursor: Cursor): unknown {
  return /^[0-9a-f]{24}$/.test(cursor) ? loadedDriver().ObjectId.createFromHexString(cursor) : cursor;
}
