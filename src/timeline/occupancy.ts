/** The occupancy columns of a timeline, on the same axis. */
import type { TimelineData, TimelineOccupancy } from "../api/timeline.ts";
import { epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import type { TimelineGeometry } from "./geometry.ts";
import { clampedPosition } from "./time-scale.ts";
import { zoomGroups } from "./zoom-groups.ts";

export interface OccupancyLayer {
  /** Also the name of the status that gives it its colour. */
  category: string;
  columns: { x: number; y: number; width: number; height: number }[];
}

/** The most invocations of each category in a column. */
export type Peaks = { category: string; most: number }[];

export interface OccupancyGeometry {
  /** A compact timeline follows below. */
  compact: boolean;
  width: number;
  height: number;
  /** What the height stands for: the highest column or level of the queue. */
  max: number;
  /** Count of the highest column. */
  peak: number;
  /** Columns are the most at once; otherwise all that were in a status within them, once for each. */
  at_once: boolean;
  /** The most of each category in a column. */
  peaks: Peaks;
  /** Seconds of a column; null if nothing is known. */
  step: number | null;
  categories: string[];
  /** Never more than one invocation: then the chart adds nothing to the bars below. */
  single: boolean;
  layers: OccupancyLayer[];
  /** Parts of the window to zoom into. */
  slices: {
    x: number;
    width: number;
    start: string;
    end: string;
    total: number;
    peak: number;
    peaks: Peaks;
    waited: number | null;
  }[];
  /** The length of the queue: a level for each slice. Empty where it is not known. */
  queue: { x: number; width: number; y: number }[];
  /** The longest, and how long it was at the end of the window. */
  queue_max: number;
  /** The first slice with the most. Null if the queue is empty or not known. */
  queue_longest: { start: string; end: string } | null;
  queue_last: number | null;
  /** The window ends now. */
  until_now: boolean;
  /** Its length is that at the end of each slice, not the most in it. */
  queue_at_ends: boolean;
  /** Why it is not known. */
  queue_unknown: string | null;
  /** Periods for which it is not known. */
  unknown: { x: number; width: number }[];
  /** In an overview: its extent, and the window that is shown below. */
  overview: { start: string; end: string; x: number; width: number } | null;
}

/** Height of the chart: low enough to keep the first lane near the top of a screen. */
const HEIGHT = 44;
const OVERVIEW_HEIGHT = 12;

/** Everything that is stored, with the window that is shown. Null if nothing is known of it. */
export function overviewGeometry(
  occupancy: TimelineOccupancy | null,
  { start, end }: Pick<TimelineData, "start" | "end">,
  width: number,
): OccupancyGeometry | null {
  if (occupancy === null) return null;
  const from = epochFromIso(occupancy.from) ?? 0;
  const to = from + occupancy.slices * occupancy.slice_seconds;
  const whole = { start: occupancy.from, end: isoFromEpoch(to) };
  const plot = { width, compact: false };
  const drawn = occupancyGeometry({ occupancy, ...whole }, plot, OVERVIEW_HEIGHT);
  const xOf = (iso: string) => clampedPosition({ start: from, end: to, width }, epochFromIso(iso) ?? 0);
  const x = Math.min(xOf(start), width - LEAST_BRUSH);
  return drawn && { ...drawn, overview: { ...whole, x, width: Math.max(LEAST_BRUSH, xOf(end) - x) } };
}

/** Wide enough to be seen. */
const LEAST_BRUSH = 4;

/**
 * Layers add up to the total of a slice: what runs at the bottom, what waits above it. Null if no invocation was in any of the categories during the window.
 *
 * @param plot the timeline below.
 */
export function occupancyGeometry(
  { occupancy, ...data }: Pick<TimelineData, "start" | "end"> & { now?: string; occupancy: TimelineOccupancy | null },
  plot: Pick<TimelineGeometry, "width" | "compact">,
  height = HEIGHT,
): OccupancyGeometry | null {
  const { width, compact } = plot;
  const shared = {
    ...{ compact, width, height, overview: null },
    queue_at_ends: occupancy?.waiting_is === "at_end",
    queue_unknown: occupancy?.waiting_unknown ?? null,
    queue_last: occupancy?.waiting_last ?? null,
    until_now: data.now !== undefined && data.end >= data.now,
    at_once: occupancy?.totals_are === "at_once",
  };
  const queue_max = Math.max(0, ...(occupancy?.waiting ?? []).map((waiting) => waiting ?? 0));
  const peak = Math.max(0, ...(occupancy?.totals ?? []).map((total) => total ?? 0));
  const max = Math.max(queue_max, peak);
  if (occupancy === null) {
    return {
      ...shared,
      max,
      peak,
      peaks: [],
      step: null,
      categories: [],
      single: true,
      layers: [],
      slices: [],
      queue: [],
      ...{ queue_max, queue_longest: null },
      unknown: [{ x: 0, width }],
    };
  }
  if (max === 0 && !occupancy.totals.includes(null)) return null;
  const { slices, totals, groups, categories } = occupancy;
  const start = epochFromIso(data.start) ?? 0;
  const length = (epochFromIso(data.end) ?? 0) - start;
  const first = epochFromIso(occupancy.from) ?? 0;
  /** Positions of slice starts. The first and last slice are cut at the ends of the window. */
  const scale = { start, end: start + length, width };
  const xOf = (slice: number) => clampedPosition(scale, first + slice * occupancy.slice_seconds);
  const spanOf = (from: number, to: number) => ({ x: xOf(from), width: xOf(to) - xOf(from) });
  const timesOf = (from: number, to: number) => ({
    start: isoFromEpoch(Math.max(start, first + from * occupancy.slice_seconds)),
    end: isoFromEpoch(Math.min(start + length, first + to * occupancy.slice_seconds)),
  });
  const below = new Array<number>(slices).fill(0);
  const layers = [...groups].reverse().map(({ category, counts }): OccupancyLayer => {
    const columns: OccupancyLayer["columns"] = [];
    counts.forEach((n, slice) => {
      if (n === null || n === 0) return;
      const high = (n / max) * height;
      const base = below[slice] ?? 0;
      below[slice] = base + high;
      columns.push({ ...spanOf(slice, slice + 1), y: height - base - high, height: high });
    });
    return { category, columns };
  });
  const parts = zoomGroups(occupancy, { start, end: start + length }).map(([begin, end]) => {
    const own = totals.slice(begin, end).map((n) => n ?? 0);
    const waited = occupancy.waiting?.slice(begin, end).map((n) => n ?? 0);
    return {
      ...spanOf(begin, end),
      ...timesOf(begin, end),
      total: own.reduce((sum, n) => sum + n, 0),
      peak: Math.max(0, ...own),
      peaks: peaksOf(groups, begin, end),
      waited: waited === undefined ? null : Math.max(0, ...waited),
    };
  });
  const unknown = totals.flatMap((total, slice) => (total === null ? [spanOf(slice, slice + 1)] : []));
  const queue = (occupancy.waiting ?? []).flatMap((waiting, slice) =>
    waiting === null ? [] : [{ ...spanOf(slice, slice + 1), y: height - (waiting / max) * height }],
  );
  const longest = queue_max === 0 ? -1 : (occupancy.waiting ?? []).indexOf(queue_max);
  return {
    ...shared,
    max,
    peak,
    peaks: peaksOf(groups),
    queue,
    queue_max,
    queue_longest: longest < 0 ? null : timesOf(longest, longest + 1),
    step: occupancy.slice_seconds,
    categories,
    single: max <= 1,
    layers,
    slices: parts,
    unknown,
  };
}

/** The most of each category that occurs, running first. */
function peaksOf(groups: TimelineOccupancy["groups"], begin = 0, end?: number): Peaks {
  return groups
    .map(({ category, counts }) => ({ category, most: Math.max(0, ...counts.slice(begin, end).map((n) => n ?? 0)) }))
    .filter(({ most }) => most > 0)
    .reverse();
}
