/** Counts of status changes as strips of a lane: one per status, darker where more happened. */
import type { TimelineDensity } from "../api/timeline.ts";
import { STATUSES } from "../pynenc/statuses.ts";

/** Steps of darkness (timeline.css). */
const DENSITY_LEVELS = 4;

/** Neighbouring slices of one level. */
export interface BandRun {
  /** Number of slices from `first` on. */
  first: number;
  length: number;
  /** 1 to DENSITY_LEVELS. */
  level: number;
}

export interface LaneBand {
  status: string;
  total: number;
  runs: BandRun[];
}

const ORDER: readonly string[] = STATUSES.map((status) => status.name);

/**
 * The strips of each lane, in the order of an invocation's life. Levels are steps of the logarithm of the count, relative to the fullest
 * slice of all: one failure among ten thousand successes is seen.
 *
 * @param laneKeyOf the lane of a runner; rows of runners that have none are left out.
 */
export function bandsByLane(
  density: TimelineDensity,
  laneKeyOf: (runnerId: string | null) => string | undefined,
): Map<string, LaneBand[]> {
  const summed = new Map<string, Map<string, number[]>>();
  for (const { runner_id, status, counts } of density.rows) {
    const key = laneKeyOf(runner_id);
    if (key === undefined) continue;
    const statuses = summed.get(key) ?? new Map<string, number[]>();
    summed.set(key, statuses);
    const sums = statuses.get(status) ?? new Array<number>(density.slices).fill(0);
    statuses.set(status, sums);
    for (let slice = 0; slice < density.slices; slice++) sums[slice] = (sums[slice] ?? 0) + (counts[slice] ?? 0);
  }
  let fullest = 1;
  for (const statuses of summed.values())
    for (const sums of statuses.values()) for (const n of sums) fullest = Math.max(fullest, n);
  const bands = [...summed].map(([key, statuses]): [string, LaneBand[]] => [
    key,
    [...statuses]
      .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map(([status, sums]) => ({ status, total: sums.reduce((sum, n) => sum + n, 0), runs: runsOf(sums, fullest) })),
  ]);
  return new Map(bands);
}

function rank(status: string): number {
  const index = ORDER.indexOf(status);
  return index < 0 ? ORDER.length : index;
}

function runsOf(counts: readonly number[], fullest: number): BandRun[] {
  const runs: BandRun[] = [];
  counts.forEach((n, slice) => {
    const level = levelOf(n, fullest);
    const last = runs.at(-1);
    if (level === 0) return;
    if (last !== undefined && last.level === level && last.first + last.length === slice) last.length++;
    else runs.push({ first: slice, length: 1, level });
  });
  return runs;
}

/** 0 for nothing. */
export function levelOf(count: number, fullest: number): number {
  if (count <= 0) return 0;
  if (fullest <= 1) return DENSITY_LEVELS;
  return Math.min(DENSITY_LEVELS, 1 + Math.floor((Math.log(count) / Math.log(fullest)) * DENSITY_LEVELS));
}
