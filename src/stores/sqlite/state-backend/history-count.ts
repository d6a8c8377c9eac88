/** Counts the history of a time window while reading a limited number of rows. */
import { type EpochSeconds, MICROSECOND } from "../../../pynenc/time.ts";
import type { HistoryWindow } from "../../ports/state-backend.ts";
import type { Queries } from "../tables/queries.ts";
import { type RowidOrder, rowidRanges } from "../tables/time-window.ts";

const TIME = "history_timestamp";

/** Windows with fewer rows than this are counted exactly. */
const COUNTED_ROWS = 100_000;

/** @param order of the table; null if it is missing or empty. */
export function countHistory(
  handle: Queries,
  table: string,
  order: RowidOrder | null,
  { from, to }: HistoryWindow,
): { entries: number; exact: boolean } {
  if (order === null) return { entries: 0, exact: true };
  if (order.ordered) {
    const [first, end] = boundsOf(order, from, to);
    if (end - first > COUNTED_ROWS) return { entries: end - first, exact: false };
  }
  const [range = order] = rowidRanges(order, [{ from, to }]);
  const entries = handle.number(
    `SELECT count(*) FROM ${table} WHERE rowid BETWEEN ? AND ? AND ${TIME} >= ? AND ${TIME} <= ?`,
    range.first,
    range.last,
    from ?? Number.MIN_SAFE_INTEGER,
    to ?? Number.MAX_SAFE_INTEGER,
  );
  return { entries, exact: true };
}

/** First rowid of a window, and the one after its last. */
function boundsOf(
  order: RowidOrder,
  from: EpochSeconds | undefined,
  to: EpochSeconds | undefined,
): [first: number, end: number] {
  // One microsecond later, because the end is inclusive.
  const bounds = order.lowerBounds([from, to === undefined ? to : to + MICROSECOND].flatMap((time) => time ?? []));
  const first = from === undefined ? order.first : (bounds[0] ?? order.first);
  return [first, to === undefined ? order.last + 1 : Math.max(first, bounds.at(-1) ?? first)];
}
