/** The position of everything in a timeline: numbers in, numbers out. Lengths are pixels at the nominal width of the plot. */
import type { TimelineInvocation, TimelineServiceRun } from "../api/timeline.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import { bandsByLane } from "./bands.ts";
import { type Lane, type LaneOptions, type Lanes, lanesOf } from "./lanes.ts";
import { type MarkerShape, placeMarkers, type WantedMarker, wantedMarkers } from "./markers.ts";
import type { DrawnData } from "./model.ts";
import { packRows } from "./packing.ts";
import { type RelationShape, relationsOf } from "./relations.ts";
import type { StrandShape } from "./strand-shapes.ts";
import { type Strand, strandsOf } from "./strands.ts";
import { clampedPosition, position, type Tick, type TimeScale, timeTicks } from "./time-scale.ts";

export interface GeometryOptions extends Partial<LaneOptions> {
  /** Nominal width of the plot. */
  width?: number;
  /** Smaller rows and no words beside markers: for a timeline inside another page. */
  compact?: boolean;
  /** Seconds between two ticks at least. */
  step?: number;
}

export interface LaneShape extends Lane {
  y: number;
  height: number;
}

/** From the end of one strand to the next one of the same invocation. */
export interface TransitionShape {
  invocation_id: string;
  from_status: string;
  to_status: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface ServiceShape {
  atomic_service_run_id: string;
  lane_key: string;
  runner_id: string;
  status: string;
  start_time: string;
  end_time: string | null;
  seconds: number | null;
  x: number;
  width: number;
  y: number;
  height: number;
}

export interface BandShape {
  lane_key: string;
  status: string;
  total: number;
  y: number;
  height: number;
  runs: { x: number; width: number; level: number }[];
}

/** A slice of the window with the number of changes that are not drawn one by one. */
export interface SliceShape {
  x: number;
  width: number;
  start: string;
  end: string;
  total: number;
}

export interface TimelineGeometry {
  start: string;
  end: string;
  width: number;
  height: number;
  /** Height of the axis above the first lane. */
  axis: number;
  /** Height of the axis beneath the last lane: a tall drawing has one there too. */
  foot: number;
  barHeight: number;
  compact: boolean;
  ticks: Tick[];
  /** Place of the present; null outside the window. */
  now: number | null;
  lanes: LaneShape[];
  strands: StrandShape[];
  transitions: TransitionShape[];
  services: ServiceShape[];
  markers: MarkerShape[];
  relations: RelationShape[];
  bands: BandShape[];
  slices: SliceShape[];
}

const PLOT_WIDTH = 1_200;
const MAX_LANES = 120;
/** Narrower bars could not be seen or hit. */
const LEAST_BAR = 2;
const LEAST_SERVICE = 3;
const BAND = { height: 4, gap: 1 };
/** Slices that are offered for zooming: wide enough to be hit. */
const ZOOM_SLICES = 24;

interface Sizes {
  axis: number;
  row: number;
  bar: number;
  padding: number;
  least: number;
  service: number;
}

const FULL: Sizes = { axis: 36, row: 16, bar: 12, padding: 5, least: 30, service: 7 };
const COMPACT: Sizes = { axis: 22, row: 11, bar: 8, padding: 3, least: 18, service: 5 };

/** Taller than most windows: the axis above is out of sight where its end is read. */
const TALL = 640;
const FOOT = 20;

/** Number of rows that the single points of a lane share. */
const POINT_ROWS = 3;
const POINT_GAP = 6;

/** A strand on its way to a place. */
interface PositionedStrand {
  strand: Strand;
  invocation: TimelineInvocation;
  /** Row among the bars, or among the lone points beneath them. */
  row: number;
  lone: boolean;
  y: number;
}

export function timelineGeometry(data: DrawnData, options: GeometryOptions = {}): TimelineGeometry {
  const { width = PLOT_WIDTH, compact = false, step = 0 } = options;
  const sizes = compact ? COMPACT : FULL;
  const window = { start: instant(data.start), end: instant(data.end), now: instant(data.now) };
  const scale: TimeScale = { start: window.start, end: window.end, width };
  const positioned = data.invocations.flatMap((invocation) =>
    strandsOf(invocation, window).map(
      (strand): PositionedStrand => ({ strand, invocation, row: 0, lone: strand.segments.length === 0, y: 0 }),
    ),
  );
  const wanted = wantedMarkers(data, window);
  const lanes = lanesOf(data.runners, marksByRunner(data, positioned, wanted), {
    collapseExternal: options.collapseExternal ?? true,
    maxLanes: options.maxLanes ?? MAX_LANES,
  });
  const bands = data.density === null ? new Map() : bandsByLane(data.density, (id) => lanes.laneOf(id)?.key);
  const strandsByLane = groupBy(positioned, ({ strand }) => lanes.laneOf(strand.runner_id)?.key);
  const servicesByLane = groupBy(data.atomic_service_runs, (run) => lanes.laneOf(run.runner_id)?.key);
  const markersByLane = placeMarkers(wanted, positioned, lanes, scale, compact);

  const shapes: LaneShape[] = [];
  const services: ServiceShape[] = [];
  const bandShapes: BandShape[] = [];
  let y = sizes.axis;
  for (const lane of lanes.lanes) {
    const own = strandsByLane.get(lane.key) ?? [];
    const markers = markersByLane.get(lane.key) ?? { markers: [], height: 0 };
    const runs = servicesByLane.get(lane.key) ?? [];
    const strips = bands.get(lane.key) ?? [];
    let at = y + sizes.padding;
    for (const marker of markers.markers) marker.y += at;
    at += markers.height;
    at = placeStrands(own, scale, sizes, at);
    if (runs.length > 0) {
      services.push(...runs.map((run) => serviceShape(run, lane.key, scale, window.now, at, sizes.service)));
      at += sizes.service + 2;
    }
    for (const strip of strips) {
      const slice = width / (data.density?.slices ?? 1);
      bandShapes.push({
        lane_key: lane.key,
        status: strip.status,
        total: strip.total,
        y: at,
        height: BAND.height,
        runs: strip.runs.map(({ first, length, level }: { first: number; length: number; level: number }) => ({
          x: first * slice,
          width: length * slice,
          level,
        })),
      });
      at += BAND.height + BAND.gap;
    }
    const height = Math.max(sizes.least, at + sizes.padding - y);
    shapes.push({ ...lane, y, height });
    y += height;
  }
  const foot = y > TALL ? FOOT : 0;
  const strands = positioned.flatMap((one) => strandShape(one, lanes, scale) ?? []);
  const markers = [...markersByLane.values()].flatMap((lane) =>
    lane.markers.map(({ anchor, ...marker }): MarkerShape => ({ ...marker, stem: anchor?.y ?? null })),
  );
  return {
    start: data.start,
    end: data.end,
    width,
    height: y + foot,
    axis: sizes.axis,
    foot,
    barHeight: sizes.bar,
    compact,
    ticks: timeTicks(scale, step),
    now: window.now > window.start && window.now < window.end ? position(scale, window.now) : null,
    lanes: shapes,
    strands,
    transitions: transitionsOf(strands),
    services,
    markers,
    relations: relationsOf(data, strands, markers, scale),
    bands: bandShapes,
    slices: slicesOf(data, scale),
  };
}

/** Text that is no instant would make every place NaN: it is refused loudly, our own services write these. */
function instant(iso: string): EpochSeconds {
  const at = epochFromIso(iso);
  if (at === null) throw new RangeError(`not an instant: ${iso}`);
  return at;
}

function marksByRunner(
  data: DrawnData,
  positioned: readonly PositionedStrand[],
  wanted: readonly WantedMarker[],
): Map<string | null, number> {
  const marks = new Map<string | null, number>();
  const add = (id: string | null, n: number) => marks.set(id, (marks.get(id) ?? 0) + n);
  for (const { strand } of positioned) add(strand.runner_id, strand.segments.length + strand.points.length);
  for (const run of data.atomic_service_runs) add(run.runner_id, 1);
  const drawn = new Set(positioned.map(({ strand }) => strand.invocation_id));
  for (const { runner_id, emitter, started } of wanted) {
    // A marker that nothing drawn belongs to still needs a lane to stand in.
    const homeless = runner_id === null && ![emitter, ...started].some((id) => id !== null && drawn.has(id));
    if (runner_id !== null || homeless) add(runner_id, 1);
  }
  for (const row of data.density?.rows ?? [])
    add(
      row.runner_id,
      row.counts.reduce((sum, n) => sum + n, 0),
    );
  return marks;
}

/** Gives each strand of a lane its row and height; returns where the lane continues below them. */
function placeStrands(own: readonly PositionedStrand[], scale: TimeScale, sizes: Sizes, top: number): number {
  const bars = own.filter((one) => !one.lone);
  const rows = packRows(bars.map(({ strand }) => strand));
  bars.forEach((one, index) => {
    one.row = rows[index] ?? 0;
    one.y = top + one.row * sizes.row + sizes.row / 2;
  });
  const depth = rows.length === 0 ? 0 : Math.max(...rows) + 1;
  const below = top + depth * sizes.row;
  const barsOf = groupBy(bars, ({ strand }) => strand.invocation_id);
  // A child's registration is drawn on the bar of the parent that registered it.
  const lone = own.filter((one) => {
    if (!one.lone) return false;
    const parents = barsOf.get(one.invocation.parent_invocation_id ?? "") ?? [];
    const parent = parents.find(({ strand }) => strand.from <= one.strand.from && strand.to >= one.strand.to);
    if (parent === undefined) return true;
    one.row = parent.row;
    one.y = parent.y;
    return false;
  });
  if (lone.length === 0) return below;
  const places = lone.map(({ strand }) => ({
    from: clampedPosition(scale, strand.from),
    to: clampedPosition(scale, strand.to),
  }));
  const loneRows = packRows(places, { gap: POINT_GAP, rows: POINT_ROWS });
  lone.forEach((one, index) => {
    one.row = depth + (loneRows[index] ?? 0);
    one.y = below + (loneRows[index] ?? 0) * (sizes.row * 0.625) + sizes.row / 2;
  });
  return below + Math.max(...loneRows) * (sizes.row * 0.625) + sizes.row;
}

function strandShape(
  { strand, invocation, row, y }: PositionedStrand,
  lanes: Lanes,
  scale: TimeScale,
): StrandShape | null {
  const lane = lanes.laneOf(strand.runner_id);
  if (lane === undefined) return null;
  return {
    invocation_id: strand.invocation_id,
    task_id_key: invocation.task_id_key,
    workflow_root: invocation.workflow_root,
    lane_key: lane.key,
    runner_id: strand.runner_id,
    row,
    y,
    bars: strand.segments.map((segment) => {
      const { x, width } = stretch(scale, segment.from, segment.to, LEAST_BAR);
      return {
        status: segment.status,
        outcome: segment.outcome,
        ongoing: segment.ongoing,
        began: isoFromEpoch(segment.began),
        ended: segment.ended === null ? null : isoFromEpoch(segment.ended),
        seconds: segment.ended === null ? null : segment.ended - segment.began,
        x,
        width,
      };
    }),
    points: strand.points.map(({ status, at }) => ({ status, at: isoFromEpoch(at), x: position(scale, at) })),
  };
}

/** Place and width of a stretch of time, widened to be seen and kept within the plot. */
function stretch(scale: TimeScale, from: EpochSeconds, to: EpochSeconds, least: number): { x: number; width: number } {
  const left = clampedPosition(scale, from);
  const width = Math.min(scale.width, Math.max(least, clampedPosition(scale, to) - left));
  return { x: Math.min(left, scale.width - width), width };
}

function serviceShape(
  run: TimelineServiceRun,
  lane_key: string,
  scale: TimeScale,
  now: EpochSeconds,
  y: number,
  height: number,
): ServiceShape {
  const from = instant(run.start_time);
  // One that runs ends at the present; its record may be from a clock that is ahead.
  const to = run.end_time === null ? Math.max(from, Math.min(now, scale.end)) : instant(run.end_time);
  const seconds = run.end_time === null ? null : to - from;
  return { ...run, lane_key, seconds, y, height, ...stretch(scale, from, to, LEAST_SERVICE) };
}

function transitionsOf(strands: readonly StrandShape[]): TransitionShape[] {
  const transitions: TransitionShape[] = [];
  let previous: StrandShape | null = null;
  for (const strand of strands) {
    if (previous?.invocation_id === strand.invocation_id) {
      const from = endOf(previous);
      const to = beginningOf(strand);
      if (from !== null && to !== null) {
        transitions.push({
          invocation_id: strand.invocation_id,
          from_status: from.status,
          to_status: to.status,
          x1: from.x,
          y1: previous.y,
          x2: to.x,
          y2: strand.y,
        });
      }
    }
    previous = strand;
  }
  return transitions;
}

function endOf({ bars, points }: StrandShape): { status: string; x: number } | null {
  const ends = [
    ...bars.map(({ status, x, width }) => ({ status, x: x + width })),
    ...points.map(({ status, x }) => ({ status, x })),
  ];
  return ends.reduce<{ status: string; x: number } | null>(
    (latest, one) => (latest === null || one.x >= latest.x ? one : latest),
    null,
  );
}

function beginningOf({ bars, points }: StrandShape): { status: string; x: number } | null {
  const beginnings = [...bars, ...points];
  return beginnings.reduce<{ status: string; x: number } | null>(
    (earliest, one) => (earliest === null || one.x < earliest.x ? { status: one.status, x: one.x } : earliest),
    null,
  );
}

function slicesOf({ density }: DrawnData, scale: TimeScale): SliceShape[] {
  if (density === null) return [];
  const together = Math.max(1, Math.ceil(density.slices / ZOOM_SLICES));
  const shapes: SliceShape[] = [];
  const at = (slice: number) => scale.start + ((scale.end - scale.start) * slice) / density.slices;
  for (let first = 0; first < density.slices; first += together) {
    const last = Math.min(density.slices, first + together);
    shapes.push({
      x: (first / density.slices) * scale.width,
      width: ((last - first) / density.slices) * scale.width,
      start: isoFromEpoch(at(first)),
      end: isoFromEpoch(at(last)),
      total: density.totals.slice(first, last).reduce((sum, n) => sum + n, 0),
    });
  }
  return shapes;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
