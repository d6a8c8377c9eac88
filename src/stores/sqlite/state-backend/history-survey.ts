/** Counts and samples the history of a time window while reading a limited number of rows. */
import { type EpochSeconds, MICROSECOND } from "../../../pynenc/time.ts";
import type { HistorySurvey, HistoryWindow, SurveyedSlice } from "../../ports/state-backend.ts";
import { number, text, textOrNull } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import { type RowidOrder, rowidRanges } from "../tables/time-window.ts";

const TIME = "history_timestamp";

/** Windows with fewer rows than this are counted exactly. */
const COUNTED_ROWS = 100_000;

/** Neighbouring rows read together: a page contains about ten. */
const RUN = 8;

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

/** @param order of the table; null if it is missing or empty. */
export function surveyHistory(
  handle: Queries,
  table: string,
  order: RowidOrder | null,
  { from, to }: Required<HistoryWindow>,
  slices: number,
  sample: number,
): HistorySurvey {
  const surveyed: SurveyedSlice[] = Array.from({ length: slices }, () => ({ entries: 0, shares: [] }));
  if (order === null) return { slices: surveyed, exact: true };
  const bounds = order.ordered ? sliceBounds(order, from, to, slices) : [order.first, order.last + 1];
  const perRange = sample / (bounds.length - 1);
  const starts = bounds.slice(0, -1).flatMap((first, index) => runStarts(first, bounds[index + 1] ?? first, perRange));
  const rows = handle.all<{ t: unknown; id: number; status: unknown; runner: unknown }>(
    `SELECT h.${TIME} AS t, h.rowid AS id, h.history_status AS status,
       CASE WHEN json_valid(h.history_json) THEN json_extract(h.history_json, '$.runner_context_id') END AS runner
     FROM json_each(?) j CROSS JOIN ${table} h ON h.rowid BETWEEN j.value ->> 0 AND j.value ->> 1`,
    JSON.stringify(starts),
  );
  const met = surveyed.map(() => new Map<string, SurveyedSlice["shares"][number]>());
  let within = 0;
  for (const { t, id, status, runner } of rows) {
    const slice = order.ordered ? sliceOfRow(bounds, id) : Math.floor(((number(t) - from) / (to - from)) * slices);
    // Skips NaN as well.
    if (!(slice >= 0 && slice < slices)) continue;
    const runner_context_id = textOrNull(runner);
    const key = `${text(status)}\n${runner_context_id}`;
    const share = met[slice]?.get(key) ?? { runner_context_id, status: text(status), met: 0 };
    met[slice]?.set(key, share);
    share.met++;
    within++;
  }
  const scale = within === 0 ? 0 : (order.last + 1 - order.first) / rows.length;
  surveyed.forEach((slice, index) => {
    slice.shares = [...(met[index]?.values() ?? [])];
    slice.entries = order.ordered
      ? (bounds[index + 1] ?? 0) - (bounds[index] ?? 0)
      : Math.round(slice.shares.reduce((sum, share) => sum + share.met, 0) * scale);
  });
  return { slices: surveyed, exact: order.ordered };
}

function sliceBounds(order: RowidOrder, from: EpochSeconds, to: EpochSeconds, slices: number): number[] {
  const inner = Array.from({ length: slices }, (_, slice) => from + ((to - from) * slice) / slices);
  let reached = order.first;
  return order.lowerBounds([...inner, to + MICROSECOND]).map((bound) => {
    reached = Math.max(reached, bound);
    return reached;
  });
}

/** Evenly spread runs of rows with about `wanted` rows in total; all rows if there are no more. */
function runStarts(first: number, end: number, wanted: number): [number, number][] {
  const rows = end - first;
  if (rows <= 0) return [];
  if (rows <= wanted) return [[first, end - 1]];
  const runs = Math.max(1, Math.round(wanted / RUN));
  return Array.from({ length: runs }, (_, index) => {
    const start = first + Math.floor(((index + 0.5) * rows) / runs - RUN / 2);
    return [Math.max(first, start), Math.min(end, Math.max(first, start) + RUN) - 1];
  });
}

/** Index of the last bound at or before a row. Rows have no guaranteed order, so each is searched. */
function sliceOfRow(bounds: readonly number[], rowid: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((bounds[middle] ?? 0) <= rowid) low = middle;
    else high = middle;
  }
  return low;
}
