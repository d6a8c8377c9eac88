/** What the columns of a lane stand for, part by part of the window: parts are wide enough to be pointed at. */
import { rowsBy } from "../pynenc/groups.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import { isFailure } from "./cells.ts";
import type { Home } from "./lanes.ts";
import type { CountedPart, DrawnDensity } from "./model.ts";
import { zoomGroups } from "./zoom-groups.ts";

/** How many changes, of which tasks, the most first, and when. */
export interface PartCount {
  total: number;
  tasks: { task: string; total: number }[];
  first: string;
  last: string;
}

export interface LanePart {
  lane_key: string;
  /** The first slice of the density in it, and the one after its last. */
  slices: [first: number, after: number];
  all: PartCount;
  /** Null if nothing failed. */
  failed: PartCount | null;
}

/** Of all lanes together: each has words of its own, which cost bytes. */
const MOST_PARTS = 240;

/** The parts of all lanes that have columns, without empty ones. */
export function partsOf(
  density: DrawnDensity,
  window: { start: EpochSeconds; end: EpochSeconds },
  laneKeyOf: (home: Home) => string | undefined,
): LanePart[] {
  const groups = zoomGroups(density, window);
  const lanes = rowsBy(density.parts ?? partsOfRows(density, groups), laneKeyOf);
  const each = Math.max(1, Math.ceil((lanes.size * groups.length) / MOST_PARTS));
  return [...lanes].flatMap(([lane_key, counted]) => {
    const parts = [...rowsBy(counted, ({ part }) => Math.floor(part / each))].sort(([a], [b]) => a - b);
    return parts.flatMap(([index, own]): LanePart[] => {
      const [first, last] = [groups[index * each], groups[Math.min(groups.length, (index + 1) * each) - 1]];
      const [all, failed] = [countOf(own), countOf(own.filter((one) => one.failed))];
      if (all === null || first === undefined || last === undefined) return [];
      return [{ lane_key, slices: [first[0], last[1]], all, failed }];
    });
  });
}

/** Where changes were only counted, an instant is that of the slice. */
function partsOfRows(
  { rows, from, slice_seconds: step }: DrawnDensity,
  groups: readonly [number, number][],
): CountedPart[] {
  const begin = epochFromIso(from) ?? 0;
  return rows.flatMap(({ runner_id, task_id_key, status, counts }) =>
    groups.flatMap(([begins, after], part): CountedPart[] => {
      const own = counts.slice(begins, after);
      const [first, last] = [own.findIndex((n) => n > 0), own.findLastIndex((n) => n > 0)];
      if (first < 0) return [];
      return [
        {
          ...{ runner_id, task_id_key, part, task: task_id_key, failed: isFailure(status) },
          total: own.reduce((sum, n) => sum + n, 0),
          first: begin + (begins + first) * step,
          last: begin + (begins + last + 1) * step,
        },
      ];
    }),
  );
}

function countOf(counted: readonly CountedPart[]): PartCount | null {
  if (counted.length === 0) return null;
  const tasks = new Map<string, number>();
  let [total, first, last] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const one of counted) {
    total += one.total;
    [first, last] = [Math.min(first, one.first), Math.max(last, one.last)];
    if (one.task !== null) tasks.set(one.task, (tasks.get(one.task) ?? 0) + one.total);
  }
  const byTotal = [...tasks].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return {
    total,
    tasks: byTotal.map(([task, own]) => ({ task, total: own })),
    first: isoFromEpoch(first),
    last: isoFromEpoch(last),
  };
}
