/** Counted changes of a lane, drawn as columns over time rather than one by one: taller means more, failures on top. */
import type { TimelineDensity } from "../api/timeline.ts";
import { STATUSES } from "../pynenc/statuses.ts";
import type { Home } from "./lanes.ts";

/** Drawn separately in a column. */
const FAILURES: readonly string[] = ["failed", "killed"];

/** Minimum height of a column, and of its failed part, as shares of the full height. */
const MIN_HEIGHT = 0.12;
const MIN_FAILED_HEIGHT = 0.12;

/** Adjacent slices that look the same. */
export interface CellRun {
  /** Number of slices, starting with `first`. */
  first: number;
  length: number;
  /** Counts of each slice. */
  total: number;
  failed: number;
  /** Shares of the height of the lane's cells. The failed part is included in `height`. */
  height: number;
  failedHeight: number;
}

export interface LaneCells {
  total: number;
  failed: number;
  /** Count of the fullest slice, which has the full height. */
  most: number;
  /** By status, in the order of an invocation's life. */
  statuses: { status: string; total: number }[];
  runs: CellRun[];
}

const ORDER: readonly string[] = STATUSES.map((status) => status.name);

/**
 * The cells of each lane. Heights are relative to the fullest slice of the same lane, so that quiet lanes show their pattern too. A single failure
 * among ten thousand successes stays visible.
 *
 * @param laneKeyOf lane of a row; rows without one are left out.
 */
export function cellsByLane(
  density: Pick<TimelineDensity, "slices" | "rows">,
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
  return new Map(
    [...lanes].flatMap(([key, { totals, failed, statuses }]): [string, LaneCells][] => {
      const most = Math.max(0, ...totals);
      if (most === 0) return [];
      return [
        [
          key,
          {
            total: sum(totals),
            failed: sum(failed),
            most,
            statuses: [...statuses]
              .filter(([, total]) => total > 0)
              .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
              .map(([status, total]) => ({ status, total })),
            runs: runsOf(totals, failed, most),
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
  const none = new Array<number>(totals.length).fill(0);
  return { total: sum(totals), failed: 0, most, runs: most === 0 ? [] : runsOf(totals, none, most) };
}

function rank(status: string): number {
  const index = ORDER.indexOf(status);
  return index < 0 ? ORDER.length : index;
}

function runsOf(totals: readonly number[], failed: readonly number[], most: number): CellRun[] {
  const runs: CellRun[] = [];
  totals.forEach((total, slice) => {
    if (total === 0) return;
    const failures = failed[slice] ?? 0;
    const last = runs.at(-1);
    if (last !== undefined && last.total === total && last.failed === failures && last.first + last.length === slice) {
      last.length++;
      return;
    }
    const height = Math.max(MIN_HEIGHT, total / most);
    const failedHeight =
      failures === 0 ? 0 : Math.min(height, Math.max(MIN_FAILED_HEIGHT, (height * failures) / total));
    runs.push({ first: slice, length: 1, total, failed: failures, height, failedHeight });
  });
  return runs;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, n) => all + n, 0);
}
