/** The columns of the occupancy under a timeline, on the same axis. */
import type { TimelineData, TimelineOccupancy } from "../api/timeline.ts";
import { epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import type { SliceShape, TimelineGeometry } from "./geometry.ts";
import { fnv1a } from "./hash.ts";

export interface OccupancyLayer {
  /** Null for all tasks that have no layer of their own. */
  task_id_key: string | null;
  /** 0 to TASK_HUES - 1; null for the rest. */
  hue: number | null;
  /** The most at one time. */
  peak: number;
  columns: { x: number; y: number; width: number; height: number }[];
}

export interface OccupancyGeometry {
  /** A small timeline is shown below it. */
  compact: boolean;
  width: number;
  height: number;
  /** Invocations at the highest column; at least 1. */
  max: number;
  categories: string[];
  layers: OccupancyLayer[];
  slices: (SliceShape & { peak: number })[];
}

/** Colours of tasks (timeline.css). */
const TASK_HUES = 15;
const HEIGHT = { full: 96, compact: 48 };
const ZOOM_SLICES = 24;

/**
 * An invocation is counted in each task once, so layers add up to the total of a slice. Null where nothing was counted, or no invocation was at work
 * in the window.
 */
export function occupancyGeometry(
  { occupancy, ...data }: Pick<TimelineData, "start" | "end"> & { occupancy: TimelineOccupancy | null },
  { width, compact }: Pick<TimelineGeometry, "width" | "compact">,
): OccupancyGeometry | null {
  const full = compact ? HEIGHT.compact : HEIGHT.full;
  const max = Math.max(0, ...(occupancy?.totals ?? []));
  if (occupancy === null || max === 0) return null;
  const { slices, totals, tasks, categories } = occupancy;
  const column = width / slices;
  const below = new Array<number>(slices).fill(0);
  const hues = huesOf(tasks.flatMap((task) => task.task_id_key ?? []));
  const layers = tasks.map(({ task_id_key, counts }): OccupancyLayer => {
    const columns: OccupancyLayer["columns"] = [];
    counts.forEach((n, slice) => {
      if (n === 0) return;
      const height = (n / max) * full;
      const base = below[slice] ?? 0;
      below[slice] = base + height;
      columns.push({ x: slice * column, y: full - base - height, width: column, height });
    });
    return { task_id_key, hue: hues.get(task_id_key ?? "") ?? null, peak: Math.max(0, ...counts), columns };
  });
  const start = epochFromIso(data.start) ?? 0;
  const length = (epochFromIso(data.end) ?? 0) - start;
  const together = Math.max(1, Math.ceil(slices / ZOOM_SLICES));
  const parts = Array.from({ length: Math.ceil(slices / together) }, (_, index) => {
    const first = index * together;
    const last = Math.min(slices, first + together);
    const own = totals.slice(first, last);
    return {
      x: first * column,
      width: (last - first) * column,
      start: isoFromEpoch(start + (length * first) / slices),
      end: isoFromEpoch(start + (length * last) / slices),
      total: own.reduce((sum, n) => sum + n, 0),
      peak: Math.max(0, ...own),
    };
  });
  return { compact, width, height: full, max, categories, layers, slices: parts };
}

/**
 * A colour for each task, made from its name: the same on every page. Where two of one drawing would share it, the one later in the alphabet
 * takes the next that is free.
 */
function huesOf(tasks: readonly string[]): Map<string, number> {
  const hues = new Map<string, number>();
  const taken = new Set<number>();
  for (const task of [...tasks].sort()) {
    let hue = fnv1a(task) % TASK_HUES;
    while (taken.has(hue) && taken.size < TASK_HUES) hue = (hue + 1) % TASK_HUES;
    taken.add(hue);
    hues.set(task, hue);
  }
  return hues;
}
