/**
 * Walks over a collection by the time of its documents, in steps. Its index has the time alone, with milliseconds, and thousands of documents may have the
 * same: those of one instant are ordered by `_id`, which the server sorts only among them.
 */
import type { Cursor } from "../../ports/common.ts";
import type { Document, Filter } from "../server/db.ts";
import { text } from "./fields.ts";
import { idAt } from "./queries.ts";
import type { CollectionReads } from "./reading.ts";

/** A place between two documents. */
export interface Place {
  /** Milliseconds. */
  at: number;
  /** `_id` of the document of this time before it; null if none of this time is before it. */
  id: string | null;
}

export interface TimeWalk {
  /** Member with the time, a Date. */
  time: string;
  direction: "up" | "down";
  /** Both inclusive, in milliseconds. */
  low?: Date | undefined;
  high?: Date | undefined;
  after?: Place | undefined;
  only?: Readonly<Record<string, 0 | 1>>;
  where?: Filter;
}

/** The next documents, at most `limit`; fewer than that only at the end. */
export async function nextByTime(collection: CollectionReads, walk: TimeWalk, limit: number): Promise<Document[]> {
  const { time, direction, low, high, after, only, where = {} } = walk;
  const sign = direction === "up" ? 1 : -1;
  const find = (range: Filter, sort: Readonly<Record<string, 1 | -1>>, most: number) =>
    collection.find({ ...where, [time]: range }, { sort, limit: most, ...(only === undefined ? {} : { only }) });
  const ofInstant = async (at: number, id: string | null, most: number): Promise<Document[]> => {
    const further = id === null ? {} : { _id: { [direction === "up" ? "$gt" : "$lt"]: idAt(id) } };
    return collection.find(
      { ...where, ...further, [time]: new Date(at) },
      { sort: { _id: sign }, limit: most, ...(only === undefined ? {} : { only }) },
    );
  };
  const bounds = {
    ...(low === undefined ? { $gte: EARLIEST } : { $gte: low }),
    ...(high === undefined ? { $lte: LATEST } : { $lte: high }),
  };
  const found = after === undefined ? [] : await ofInstant(after.at, after.id, limit);
  const beyond = after === undefined ? {} : { [direction === "up" ? "$gt" : "$lt"]: new Date(after.at) };
  const rest =
    found.length >= limit ? [] : await find({ ...bounds, ...beyond }, { [time]: sign }, limit - found.length);
  const complete = rest.length < limit - found.length;
  const last = instantOf(rest.at(-1), time);
  const ordered = inOrder(rest, time, sign);
  if (complete || last === null) return [...found, ...ordered];
  // The limit may have cut through the documents of the last instant.
  const before = ordered.filter((document) => instantOf(document, time) !== last);
  return [...found, ...before, ...(await ofInstant(last, null, limit - found.length - before.length))];
}

/** Where a walk continues after a document. */
export function placeOf(document: Document, time: string): Place {
  return { at: instantOf(document, time) ?? 0, id: text(document._id) };
}

export function cursorAt({ at, id }: Place): Cursor {
  return `${at}:${id ?? ""}`;
}

/** Undefined for what is no cursor of these lists. */
export function placeAt(cursor: Cursor | undefined): Place | undefined {
  const [, at, id] = /^(-?\d{1,16}):(.*)$/s.exec(cursor ?? "") ?? [];
  return at === undefined ? undefined : { at: Number(at), id: id || null };
}

/** What Date can hold; a range of Dates leaves out members of other types. */
export const EARLIEST = new Date(-8.64e15);
export const LATEST = new Date(8.64e15);

function instantOf(document: Document | undefined, time: string): number | null {
  const at = document?.[time];
  return at instanceof Date ? at.getTime() : null;
}

function inOrder(documents: readonly Document[], time: string, sign: 1 | -1): Document[] {
  const keyed = documents.map((document) => ({ document, at: instantOf(document, time) ?? 0, id: text(document._id) }));
  keyed.sort((a, b) => sign * (a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)));
  return keyed.map(({ document }) => document);
}
