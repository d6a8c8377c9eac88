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

/** Range of rowids that contains all rows of a time window. */
export interface RowidRange {
  first: number;
  last: number;
}

interface TimedRow extends Row {
  id: number;
  t: number;
}

/** Rowids as an index on time: history has no such index, but its rowids grow with insertion (storage-format.md 3.8). */
export interface RowidOrder extends RowidRange {
  /** Rowids are in order of time. If not (a tool wrote the rows in another order), bounds are meaningless. */
  ordered: boolean;
  /** Smallest rowid from `low` on whose time is at or after `t`; one past the last if there is none. */
  lowerBound(t: EpochSeconds, low?: number): number;
}

/** As of the caller's snapshot, in which no row is added or removed. Null if the table is empty. */
export function rowidOrder(handle: Queries, table: string, timeColumn: string): RowidOrder | null {
  const first = handle.get<{ id: number }>(`SELECT rowid AS id FROM ${table} ORDER BY rowid LIMIT 1`)?.id;
  const last = handle.get<{ id: number }>(`SELECT rowid AS id FROM ${table} ORDER BY rowid DESC LIMIT 1`)?.id;
  if (first === undefined || last === undefined) return null;
  /** Searches for neighbouring times begin with the same rows. */
  const known = new Map<number, TimedRow | undefined>();
  const timeAt = (rowid: number): TimedRow | undefined => {
    if (!known.has(rowid)) {
      const sql = `SELECT rowid AS id, ${timeColumn} AS t FROM ${table} WHERE rowid >= ? ORDER BY rowid LIMIT 1`;
      known.set(rowid, handle.get<TimedRow>(sql, rowid));
    }
    return known.get(rowid);
  };
  return {
    first,
    last,
    ordered: growsWithRowid(timeAt, first, last),
    lowerBound(t, from = first) {
      let low = from;
      let high = last + 1;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const row = timeAt(middle);
        if (row === undefined || row.t >= t) high = middle;
        else low = row.id + 1;
      }
      return low;
    },
  };
}

/** Finds the rowids of a time window. If rows are not in order, this is the complete table, and the caller's time condition selects the rows. */
export function rowidRange(
  { first, last, ordered, lowerBound }: RowidOrder,
  from: EpochSeconds | undefined,
  to: EpochSeconds | undefined,
): RowidRange {
  if (!ordered) return { first, last };
  return {
    first: from === undefined ? first : lowerBound(from - DISORDER_MARGIN_SECONDS),
    last: to === undefined ? last : lowerBound(to + DISORDER_MARGIN_SECONDS) - 1,
  };
}

function growsWithRowid(timeAt: (rowid: number) => TimedRow | undefined, first: number, last: number): boolean {
  let previous = Number.NEGATIVE_INFINITY;
  for (let i = 0; i <= SAMPLES; i++) {
    const t = timeAt(first + Math.floor(((last - first) * i) / SAMPLES))?.t ?? previous;
    if (t < previous - DISORDER_MARGIN_SECONDS) return false;
    previous = Math.max(previous, t);
  }
  return true;
}
