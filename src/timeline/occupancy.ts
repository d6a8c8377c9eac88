/** The occupancy columns of a timeline, on the same axis. */
import type { TimelineData, TimelineOccupancy } from "../api/timeline.ts";
import { epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import { positionAmong } from "./broken-scale.ts";
import type { SliceShape, TimelineGeometry } from "./geometry.ts";
import { fnv1a } from "./hash.ts";
import { zoomGroups } from "./zoom-groups.ts";

export interface OccupancyLayer {
  /** Null for all tasks without a layer of their own. */
  task_id_key: string | null;
  /** 0 to TASK_COLOURS.length - 1; null for the rest. */
  hue: number | null;
  /** Highest count in a slice. */
  peak: number;
  columns: { x: number; y: number; width: number; height: number }[];
}

export interface OccupancyGeometry {
  /** A compact timeline follows below. */
  compact: boolean;
  width: number;
  height: number;
  /** Count of the highest column. */
  max: number;
  categories: string[];
  /** Never more than one invocation per category: then the chart adds nothing to the bars below. */
  single: boolean;
  layers: OccupancyLayer[];
  slices: (SliceShape & { peak: number })[];
  /** Periods for which it is not known. */
  unknown: { x: number; width: number }[];
  /** Where the window begins, as in the timeline below. */
  left: number;
}

/** Colours of tasks: none of those that mean an outcome elsewhere, and each with a contrast of 3 on the grounds of both themes. */
export const TASK_COLOURS = [
  "#8e63ad",
  "#3f9490",
  "#9c755f",
  "#cc5f8c",
  "#6b7fa8",
  "#b07aa1",
  "#3f8aa0",
  "#8d8438",
] as const;
/** Height of the chart: low enough to keep the first lane near the top of a screen. */
const HEIGHT = 44;

/**
 * Layers add up to the total of a slice. Null if no invocation was in any of the categories during the window.
 *
 * @param plot the timeline below: if it was scrolled, so are the columns.
 */
export function occupancyGeometry(
  { occupancy, ...data }: Pick<TimelineData, "start" | "end"> & { occupancy: TimelineOccupancy | null },
  plot: Pick<TimelineGeometry, "width" | "compact" | "breaks" | "left">,
): OccupancyGeometry | null {
  const { width, compact, breaks, left } = plot;
  const shared = { compact, width, height: HEIGHT, left };
  const max = Math.max(0, ...(occupancy?.totals ?? []).map((total) => total ?? 0));
  if (occupancy === null) {
    return { ...shared, max, categories: [], single: true, layers: [], slices: [], unknown: [{ x: left, width }] };
  }
  if (max === 0 && !occupancy.totals.includes(null)) return null;
  const { slices, totals, tasks, categories } = occupancy;
  const start = epochFromIso(data.start) ?? 0;
  const length = (epochFromIso(data.end) ?? 0) - start;
  const first = epochFromIso(occupancy.from) ?? 0;
  /** Positions of slice starts. The first and last slice are cut at the ends of the window. */
  const position = positionAmong({ start, end: start + length, width }, breaks);
  const xOf = (slice: number) => left + position(first + slice * occupancy.step);
  const spanOf = (from: number, to: number) => ({ x: xOf(from), width: xOf(to) - xOf(from) });
  const below = new Array<number>(slices).fill(0);
  const hues = huesOf(tasks.flatMap((task) => task.task_id_key ?? []));
  const layers = tasks.map(({ task_id_key, counts }): OccupancyLayer => {
    const columns: OccupancyLayer["columns"] = [];
    counts.forEach((n, slice) => {
      if (n === null || n === 0) return;
      const height = (n / max) * HEIGHT;
      const base = below[slice] ?? 0;
      below[slice] = base + height;
      columns.push({ ...spanOf(slice, slice + 1), y: HEIGHT - base - height, height });
    });
    const peak = Math.max(0, ...counts.map((n) => n ?? 0));
    return { task_id_key, hue: hues.get(task_id_key ?? "") ?? null, peak, columns };
  });
  const parts = zoomGroups(occupancy, { start, end: start + length }).map(([begin, end]) => {
    const own = totals.slice(begin, end).map((n) => n ?? 0);
    return {
      ...spanOf(begin, end),
      start: isoFromEpoch(Math.max(start, first + begin * occupancy.step)),
      end: isoFromEpoch(Math.min(start + length, first + end * occupancy.step)),
      total: own.reduce((sum, n) => sum + n, 0),
      peak: Math.max(0, ...own),
    };
  });
  const unknown = totals.flatMap((total, slice) => (total === null ? [spanOf(slice, slice + 1)] : []));
  const single = occupancy.groups.every(({ counts }) => counts.every((n) => n === null || n <= 1));
  return { ...shared, max, categories, single, layers, slices: parts, unknown };
}

/**
 * A colour for each task, derived from its name, so that it is the same on every page. If two tasks of one drawing would share a colour, the
 * alphabetically later one takes the next free one.
 */
function huesOf(tasks: readonly string[]): Map<string, number> {
  const hues = new Map<string, number>();
  const taken = new Set<number>();
  for (const task of [...tasks].sort()) {
    let hue = fnv1a(task) % TASK_COLOURS.length;
    while (taken.has(hue) && taken.size < TASK_COLOURS.length) hue = (hue + 1) % TASK_COLOURS.length;
    taken.add(hue);
    hues.set(task, hue);
  }
  return hues;
}
