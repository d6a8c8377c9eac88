import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Row } from "../file/connection.ts";
import type { Queries } from "./queries.ts";

/**
 * Before 0.2.4 each history row was written by its own thread, so rows may be slightly out of order (storage-format.md 0.2). Rows this close to a
 * bound are checked individually.
 */
const DISORDER_MARGIN_SECONDS = 30;

/** Rows sampled to check whether rowids follow the time. */
const SAMPLES = 12;

/** Absent ends do not restrict. */
interface TimeWindow {
  from?: EpochSeconds | undefined;
  to?: EpochSeconds | undefined;
}

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

/**
 * As of the caller's snapshot, in which no row is added or removed. Null if the table is empty.
 *
 * @param times whose bounds are found in the same statement.
 */
export function rowidOrder(
  handle: Queries,
  table: string,
  timeColumn: string,
  times: readonly EpochSeconds[] = [],
): RowidOrder | null {
  const end = (direction: string) => `(SELECT rowid FROM ${table} ORDER BY rowid ${direction} LIMIT 1)`;
  const middle = "(s.low + s.high) / 2";
  const rowFrom = (rowid: string) => `(SELECT rowid FROM ${table} WHERE rowid >= ${rowid} ORDER BY rowid LIMIT 1)`;
  const search = `ends(first, last) AS (SELECT ${end("ASC")}, ${end("DESC")}),
     search(position, time, low, high) AS (
       SELECT key, value, first, last + 1 FROM json_each(?), ends WHERE first IS NOT NULL
       UNION ALL
       SELECT s.position, s.time, iif(h.${timeColumn} < s.time, h.rowid + 1, s.low), iif(h.${timeColumn} < s.time, s.high, ${middle})
       FROM search s LEFT JOIN ${table} h ON h.rowid = ${rowFrom(middle)}
       WHERE s.low < s.high)`;
  const bounds = "SELECT position, low AS value, NULL AS first, NULL AS last FROM search WHERE low >= high";
  const known = new Map<EpochSeconds, number>();
  const remember = (sought: readonly EpochSeconds[], found: readonly BoundRow[]) => {
    for (const { position, value } of found) known.set(sought[position] ?? Number.NaN, value ?? 0);
  };

  // Samples have negative positions.
  const rows = handle.all<BoundRow>(
    `WITH RECURSIVE ${search}
     SELECT value - ${SAMPLES + 1} AS position,
       (SELECT ${timeColumn} FROM ${table} WHERE rowid >= first + (last - first) * value / ${SAMPLES} ORDER BY rowid LIMIT 1) AS value,
       first, last FROM json_each(?), ends
     UNION ALL ${bounds} ORDER BY position`,
    JSON.stringify(times),
    JSON.stringify(Array.from({ length: SAMPLES + 1 }, (_, i) => i)),
  );
  const samples = rows.slice(0, SAMPLES + 1);
  const [{ first = null, last = null } = {}] = samples;
  if (first === null || last === null) return null;
  remember(times, rows.slice(SAMPLES + 1));
  return {
    first,
    last,
    ordered: isAscending(samples.flatMap(({ value }) => value ?? [])),
    lowerBounds(sought) {
      const fresh = [...new Set(sought.filter((time) => !known.has(time)))];
      if (fresh.length > 0)
        remember(fresh, handle.all<BoundRow>(`WITH RECURSIVE ${search} ${bounds}`, JSON.stringify(fresh)));
      return sought.map((time) => known.get(time) ?? first);
    },
  };
}

interface BoundRow extends Row {
  position: number;
  value: number | null;
  first: number | null;
  last: number | null;
}

/** The times whose bounds `rowidRanges` looks up. */
export function timesOf(windows: readonly TimeWindow[]): EpochSeconds[] {
  return windows.flatMap(({ from, to }) => [
    ...(from === undefined ? [] : [from - DISORDER_MARGIN_SECONDS]),
    ...(to === undefined ? [] : [to + DISORDER_MARGIN_SECONDS]),
  ]);
}

/** Finds the rowids of time windows. If rows are not in order, this is the complete table, and the caller's time condition selects the rows. */
export function rowidRanges(
  { first, last, ordered, lowerBounds }: RowidOrder,
  windows: readonly TimeWindow[],
): RowidRange[] {
  if (!ordered) return windows.map(() => ({ first, last }));
  const bounds = lowerBounds(timesOf(windows));
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
