/** A lane as columns over time: how busy it was where that is known, otherwise how much changed; failures on top. */
import type { TimelineDensity } from "../api/timeline.ts";
import { STATUSES } from "../pynenc/statuses.ts";
import type { Home } from "./lanes.ts";

/** Drawn separately in a column. */
const FAILURES: readonly string[] = ["failed", "killed"];

/** Minimum height of a column, and of its failed part (6 pixels at the usual height), as shares of the full height. */
const MIN_HEIGHT = 0.08;
const MIN_FAILED_HEIGHT = 0.24;

/** Heights are whole parts of so many, so that neighbours that look the same are drawn as one. */
const STEPS = 26;

/** Adjacent slices that look the same. */
export interface CellRun {
  /** Number of slices, starting with `first`. */
  first: number;
  length: number;
  /** Shares of the height of the lane's cells. The failed part is included in `height`. */
  height: number;
  failedHeight: number;
}

export interface LaneCells {
  total: number;
  failed: number;
  /** What has the full height: the changes of the fullest slice, or with `busy` how many invocations were executed at a time on average, at least 1. */
  most: number;
  busy: boolean;
  /** By status, in the order of an invocation's life. */
  statuses: { status: string; total: number }[];
  runs: CellRun[];
}

const ORDER: readonly string[] = STATUSES.map((status) => status.name);

/**
 * The cells of each lane. Full height means busy all the time, by one invocation or as many as in the busiest slice; where that is not known, as many
 * changes as in the fullest slice of the lane, so that quiet lanes show their pattern too. A single failure among ten thousand successes stays visible.
 *
 * @param laneKeyOf lane of a row; rows without one are left out.
 */
export function cellsByLane(
  density: Pick<TimelineDensity, "slices" | "slice_seconds" | "rows" | "busy">,
  laneKeyOf: (home: Home) => string | undefined,
): Map<string, LaneCells> {
  const lanes = new Map<string, { totals: number[]; failed: number[]; statuses: Map<string, number> }>();
  for (const row of density.rows) {
    const key = laneKeyOf(row);
    if (key === undefined) continue;
    const zeros = () => new Array<number>(density.slices).fill(0);
    const lane = lanes.get(key) ?? { totals: zeros(), failed: zeros(), statuses: new Map<string, number>() };
    lanes.set(key, lane);
    const failure = isFailure(row.status);
    let all = 0;
    row.counts.forEach((n, slice) => {
      // Thousands of runners that ran one invocation each have rows of little but zeros.
      if (n === 0) return;
      all += n;
      lane.totals[slice] = (lane.totals[slice] ?? 0) + n;
      if (failure) lane.failed[slice] = (lane.failed[slice] ?? 0) + n;
    });
    lane.statuses.set(row.status, (lane.statuses.get(row.status) ?? 0) + all);
  }
  const busyOf = new Map<string, number[]>();
  for (const row of density.busy ?? []) {
    const key = laneKeyOf(row);
    if (key === undefined) continue;
    const busy = busyOf.get(key) ?? new Array<number>(density.slices).fill(0);
    busyOf.set(key, busy);
    row.busy_seconds.forEach((seconds, slice) => {
      busy[slice] = (busy[slice] ?? 0) + seconds / density.slice_seconds;
    });
  }
  return new Map(
    [...lanes].flatMap(([key, { totals, failed, statuses }]): [string, LaneCells][] => {
      if (sum(totals) === 0) return [];
      const busy = busyOf.get(key);
      const most = busy === undefined ? Math.max(...totals) : Math.max(1, ...busy);
      return [
        [
          key,
          {
            total: sum(totals),
            failed: sum(failed),
            most,
            busy: busy !== undefined,
            statuses: [...statuses]
              .filter(([, total]) => total > 0)
              .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
              .map(([status, total]) => ({ status, total })),
            runs: runsOf(busy ?? totals, failed, totals, most),
          },
        ],
      ];
    }),
  );
}

/** Whether entries of a status are shown as failures. */
export function isFailure(status: string): boolean {
  return FAILURES.includes(status);
}

/** The cells of one lane, for counts of something that cannot fail. */
export function cellsOf(totals: readonly number[]): Omit<LaneCells, "statuses"> {
  const most = Math.max(0, ...totals);
  return { total: sum(totals), failed: 0, most, busy: false, runs: most === 0 ? [] : runsOf(totals, [], totals, most) };
}

function rank(status: string): number {
  const index = ORDER.indexOf(status);
  return index < 0 ? ORDER.length : index;
}

/** @param values what the height says, of each slice. */
function runsOf(
  values: readonly number[],
  failed: readonly number[],
  totals: readonly number[],
  most: number,
): CellRun[] {
  const runs: CellRun[] = [];
  values.forEach((value, slice) => {
    const [failures, total] = [failed[slice] ?? 0, totals[slice] ?? 0];
    if (value === 0 && failures === 0) return;
    const ofAll = total === 0 ? 0 : failures / total;
    const own = Math.max(MIN_HEIGHT, value / most);
    const failedHeight = failures === 0 ? 0 : stepped(Math.max(MIN_FAILED_HEIGHT, own * ofAll));
    const height = Math.max(failedHeight, stepped(own));
    const last = runs.at(-1);
    const same = last?.height === height && last.failedHeight === failedHeight;
    if (last !== undefined && same && last.first + last.length === slice) last.length++;
    else runs.push({ first: slice, length: 1, height, failedHeight });
  });
  return runs;
}

function stepped(height: number): number {
  return Math.min(STEPS, Math.ceil(height * STEPS)) / STEPS;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, n) => all + n, 0);
}
