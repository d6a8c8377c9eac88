/** How much history a time window holds, and of what kind, without visiting more rows than are asked for. */
import { type EpochSeconds, MICROSECOND } from "../../../pynenc/time.ts";
import type { HistorySurvey, HistoryWindow, SurveyedSlice } from "../../ports/state-backend.ts";
import { number, text, textOrNull } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import { type RowidOrder, rowidOrder, rowidRange } from "../tables/time-window.ts";

const TIME = "history_timestamp";

/** Windows with fewer rows than this are counted one by one. */
const COUNTED_ROWS = 100_000;

/** Rows that lie beside each other in the file and are looked at together: one page holds about ten. */
const RUN = 8;

export function countHistory(
  handle: Queries,
  table: string,
  { from, to }: HistoryWindow,
): { entries: number; exact: boolean } {
  const order = rowidOrder(handle, table, TIME);
  if (order === null) return { entries: 0, exact: true };
  if (order.ordered) {
    const [first, behind] = boundsOf(order, from, to);
    if (behind - first > COUNTED_ROWS) return { entries: behind - first, exact: false };
  }
  const range = rowidRange(handle, table, TIME, from, to) ?? order;
  const entries = handle.number(
    `SELECT count(*) FROM ${table} WHERE rowid BETWEEN ? AND ? AND ${TIME} >= ? AND ${TIME} <= ?`,
    range.first,
    range.last,
    from ?? Number.MIN_SAFE_INTEGER,
    to ?? Number.MAX_SAFE_INTEGER,
  );
  return { entries, exact: true };
}

/** First rowid of a window, and the one behind its last. */
function boundsOf(
  order: RowidOrder,
  from: EpochSeconds | undefined,
  to: EpochSeconds | undefined,
): [first: number, behind: number] {
  const first = from === undefined ? order.first : order.lowerBound(from);
  // A microsecond on: the end belongs to the window.
  return [first, to === undefined ? order.last + 1 : order.lowerBound(to + MICROSECOND, first)];
}

export function surveyHistory(
  handle: Queries,
  table: string,
  { from, to }: Required<HistoryWindow>,
  slices: number,
  sample: number,
): HistorySurvey {
  const order = rowidOrder(handle, table, TIME);
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
    // NaN is in no slice.
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
  const bounds = [order.lowerBound(from)];
  for (let slice = 1; slice < slices; slice++) {
    bounds.push(order.lowerBound(from + ((to - from) * slice) / slices, bounds.at(-1)));
  }
  bounds.push(order.lowerBound(to + MICROSECOND, bounds.at(-1)));
  return bounds;
}

/** Runs of rows, evenly spread, that make up about `wanted` rows; all rows when there are no more. */
function runStarts(first: number, behind: number, wanted: number): [number, number][] {
  const rows = behind - first;
  if (rows <= 0) return [];
  if (rows <= wanted) return [[first, behind - 1]];
  const runs = Math.max(1, Math.round(wanted / RUN));
  return Array.from({ length: runs }, (_, index) => {
    const start = first + Math.floor(((index + 0.5) * rows) / runs - RUN / 2);
    return [Math.max(first, start), Math.min(behind, Math.max(first, start) + RUN) - 1];
  });
}

/** Rows come in no promised order, so each is looked up: the last bound at or before it. */
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
