/** How many invocations run in each slice of a window. */
import type { TimelineDensity } from "../api/timeline.ts";
import { bucketOf, micros, occupancySpan, occupancyStep } from "../pynenc/occupancy.ts";
import { type EpochSeconds, isoFromEpoch } from "../pynenc/time.ts";
import { executionsOf, segmentOf, silentHolder, stepsWithin, type TrackedInvocation } from "./histories.ts";
import type { DrawnDensity, HistoryWindow } from "./model.ts";

/**
 * Counts every step in its slice, by task, cause or runner: none is lost, none is counted twice.
 *
 * @param wanted the runners or tasks whose steps count; by default all.
 * @param together runners that share rows.
 */
export function densityOf(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  byTask = false,
  wanted?: ReadonlySet<string | null>,
  together: readonly (readonly string[])[] = [],
): DrawnDensity {
  const { from, step, slices } = alignedSlices(window, (wanted?.size ?? 0) > MANY ? FEW_SLICES : MOST_SLICES);
  const firstOf = new Map(together.flatMap((runners) => runners.map((runner) => [runner, runners[0] ?? runner])));
  const rowName = (name: string | null) => firstOf.get(name ?? "") ?? name;
  const length = micros(step);
  const first = bucketOf(micros(from), length);
  const totals = new Array<number>(slices).fill(0);
  /** By name, then by status. A combined text key would have to be built for each of thousands of steps. */
  const rows = new Map<string | null, Map<string, TimelineDensity["rows"][number]>>();
  const busyOf = new Map<string | null, { seconds: number[]; silent: number }>();
  const busyRow = (name: string | null) => {
    const row = busyOf.get(name) ?? { seconds: new Array<number>(slices).fill(0), silent: 0 };
    busyOf.set(name, row);
    return row;
  };
  const isWanted = (name: string | null) => wanted === undefined || wanted.has(name);
  for (const invocation of invocations) {
    for (const { at, status, runner_id } of stepsWithin(invocation, window)) {
      const home = byTask ? segmentOf(invocation) : runner_id;
      if (!isWanted(home)) continue;
      const name = rowName(home);
      let byStatus = rows.get(name);
      if (byStatus === undefined) {
        byStatus = new Map();
        rows.set(name, byStatus);
      }
      let row = byStatus.get(status);
      if (row === undefined) {
        const counts = new Array<number>(slices).fill(0);
        row = { runner_id: byTask ? null : name, task_id_key: byTask ? name : null, status, counts };
        byStatus.set(status, row);
      }
      const slice = Math.min(slices - 1, bucketOf(micros(at), length) - first);
      row.counts[slice] = (row.counts[slice] ?? 0) + 1;
      totals[slice] = (totals[slice] ?? 0) + 1;
    }
    for (const run of executionsOf(invocation, window)) {
      const home = byTask ? segmentOf(invocation) : run.runner_id;
      if (!isWanted(home)) continue;
      addOverlaps(busyRow(rowName(home)).seconds, run, { from, step });
    }
    const holder = silentHolder(invocation, window);
    const silent = byTask ? segmentOf(invocation) : holder;
    if (holder !== null && isWanted(silent)) busyRow(rowName(silent)).silent++;
  }
  return {
    ...{ counted: null, whole: false },
    ...(together.length > 0 && { together }),
    ...{ from: isoFromEpoch(from), slice_seconds: step, slices, totals },
    rows: [...rows.values()].flatMap((byStatus) => [...byStatus.values()]),
    busy: [...busyOf].map(([name, { seconds, silent }]) => ({
      runner_id: byTask ? null : name,
      task_id_key: byTask ? name : null,
      silent,
      busy_seconds: seconds.map((some) => (some === 0 ? 0 : Math.round(some * 1_000) / 1_000)),
    })),
  };
}

/** Adds to each slice the seconds that a stretch of time lies in it. */
function addOverlaps(
  seconds: number[],
  stretch: { from: EpochSeconds; to: EpochSeconds },
  { from, step }: { from: EpochSeconds; step: number },
): void {
  for (let slice = Math.max(0, Math.floor((stretch.from - from) / step)); slice < seconds.length; slice++) {
    const begin = from + slice * step;
    if (begin >= stretch.to) break;
    const within = Math.min(stretch.to, begin + step) - Math.max(stretch.from, begin);
    seconds[slice] = (seconds[slice] ?? 0) + Math.max(0, within);
  }
}

/** Maximum number of slices of a window, each a few pixels wide. */
const MOST_SLICES = 240;
/** The same for more runners or tasks than this: thousands of rows of mostly zeros would take longer than all else. */
const MANY = 300;
const FEW_SLICES = 60;

/** Slices that begin at multiples of their length, as the columns of the occupancy do: those of a window that moves on stay where they are. */
function alignedSlices({ start, end }: Pick<HistoryWindow, "start" | "end">, most: number) {
  const shortest = occupancyStep(end - start);
  const step = shortest * Math.max(1, Math.ceil((end - start) / shortest / most));
  const { from, buckets } = occupancySpan({ from: start, to: end }, step);
  return { from, step, slices: buckets };
}
