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
  /** Invocations that a silent runner holds, which no column counts. */
  silent: number;
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
  const { slices, slice_seconds: step } = density;
  const zeros = () => new Array<number>(slices).fill(0);
  const lanes = new Map<string, CountedLane>();
  const laneOf = (row: Home) => {
    const key = laneKeyOf(row);
    if (key === undefined) return undefined;
    const lane = lanes.get(key) ?? { totals: zeros(), failed: zeros(), busy: null, silent: 0, statuses: new Map() };
    lanes.set(key, lane);
    return lane;
  };
  for (const row of density.rows) {
    const lane = laneOf(row);
    if (lane === undefined) continue;
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
  for (const row of density.busy ?? []) {
    const lane = laneOf(row);
    if (lane === undefined) continue;
    const busy = lane.busy ?? zeros();
    lane.busy = busy;
    lane.silent += row.silent;
    row.busy_seconds.forEach((seconds, slice) => {
      busy[slice] = (busy[slice] ?? 0) + seconds / step;
    });
  }
  return new Map(
    [...lanes].flatMap(([key, { totals, failed, busy, silent, statuses }]): [string, LaneCells][] => {
      // What runs all through a window changes nothing in it.
      if (sum(totals) === 0 && busy === null) return [];
      const most = busy === null ? Math.max(...totals) : Math.max(1, ...busy);
      return [
        [
          key,
          {
            total: sum(totals),
            failed: sum(failed),
            most,
            busy: busy !== null,
            silent,
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

/** Sums of the rows of a lane. */
interface CountedLane {
  totals: number[];
  failed: number[];
  /** How many were executed at a time on average in each slice; null where that is not known. */
  busy: number[] | null;
  silent: number;
  statuses: Map<string, number>;
}

/** Whether entries of a status are shown as failures. */
export function isFailure(status: string): boolean {
  return FAILURES.includes(status);
}

/** The cells of one lane, for counts of something that cannot fail. */
export function cellsOf(totals: readonly number[]): Omit<LaneCells, "statuses"> {
  const most = Math.max(0, ...totals);
  return {
    total: sum(totals),
    failed: 0,
    most,
    busy: false,
    silent: 0,
    runs: most === 0 ? [] : runsOf(totals, [], totals, most),
  };
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
