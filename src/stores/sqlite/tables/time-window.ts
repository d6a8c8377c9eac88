import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Queries } from "./queries.ts";

/**
 * Before 0.2.4 each history row was written by its own thread, so rows may be slightly out of order (storage-format.md 0.2). Rows this close to a
 * bound are checked individually.
 */
const DISORDER_MARGIN_SECONDS = 30;

/** Rows sampled to check whether rowids follow the time. */
const SAMPLES = 12;

/** Range of rowids that contains all rows of a time window. */
export interface RowidRange {
  first: number;
  last: number;
}

/** Rowids as an index on time: history has no such index, but its rowids grow with insertion (storage-format.md 3.8). */
export interface RowidOrder extends RowidRange {
  /** Rowids are in order of time. If not (a tool wrote the rows in another order), bounds are meaningless. */
  ordered: boolean;
  /** For each time, the smallest rowid whose time is at or after it; one past the last if there is none. In one statement. */
  lowerBounds(times: readonly EpochSeconds[]): number[];
}

/** As of the caller's snapshot, in which no row is added or removed. Null if the table is empty. */
export function rowidOrder(handle: Queries, table: string, timeColumn: string): RowidOrder | null {
  const end = (direction: string) => `(SELECT rowid FROM ${table} ORDER BY rowid ${direction} LIMIT 1)`;
  const samples = handle.all<{ first: number | null; last: number; t: number | null }>(
    `WITH ends(first, last) AS (SELECT ${end("ASC")}, ${end("DESC")})
     SELECT first, last,
       (SELECT ${timeColumn} FROM ${table} WHERE rowid >= first + (last - first) * value / ${SAMPLES} ORDER BY rowid LIMIT 1) AS t
     FROM ends, json_each(?) ORDER BY value`,
    JSON.stringify(Array.from({ length: SAMPLES + 1 }, (_, i) => i)),
  );
  const [{ first, last } = { first: null, last: 0 }] = samples;
  if (first === null) return null;
  return {
    first,
    last,
    ordered: isAscending(samples.flatMap(({ t }) => t ?? [])),
    lowerBounds(times) {
      if (times.length === 0) return [];
      const middle = "(s.low + s.high) / 2";
      return handle
        .all<{ low: number }>(
          `WITH RECURSIVE search(position, time, low, high) AS (
             SELECT key, value, ?, ? FROM json_each(?)
             UNION ALL
             SELECT s.position, s.time, iif(h.${timeColumn} < s.time, h.rowid + 1, s.low), iif(h.${timeColumn} < s.time, s.high, ${middle})
             FROM search s LEFT JOIN ${table} h ON h.rowid = (SELECT rowid FROM ${table} WHERE rowid >= ${middle} ORDER BY rowid LIMIT 1)
             WHERE s.low < s.high)
           SELECT low FROM search WHERE low >= high ORDER BY position`,
          first,
          last + 1,
          JSON.stringify(times),
        )
        .map(({ low }) => low);
    },
  };
}

/** Finds the rowids of time windows. If rows are not in order, this is the complete table, and the caller's time condition selects the rows. */
export function rowidRanges(
  { first, last, ordered, lowerBounds }: RowidOrder,
  windows: readonly { from?: EpochSeconds | undefined; to?: EpochSeconds | undefined }[],
): RowidRange[] {
  if (!ordered) return windows.map(() => ({ first, last }));
  const bounds = lowerBounds(
    windows.flatMap(({ from, to }) => [
      ...(from === undefined ? [] : [from - DISORDER_MARGIN_SECONDS]),
      ...(to === undefined ? [] : [to + DISORDER_MARGIN_SECONDS]),
    ]),
  );
  let next = 0;
  return windows.map(({ from, to }) => ({
    first: from === undefined ? first : (bounds[next++] ?? first),
    last: to === undefined ? last : (bounds[next++] ?? last + 1) - 1,
  }));
}

/** @param times of rows in the order of their rowids. */
function isAscending(times: readonly EpochSeconds[]): boolean {
  let previous = Number.NEGATIVE_INFINITY;
  for (const t of times) {
    if (t < previous - DISORDER_MARGIN_SECONDS) return false;
    previous = Math.max(previous, t);
  }
  return true;
}
