/** The positions of everything in a timeline: numbers in, numbers out. Lengths are pixels at the nominal width of the plot. */

import type { CriticalPath } from "../api/model/critical-path.ts";
import type { TimelineDensity, TimelineInvocation, TimelineServiceRun } from "../api/timeline.ts";
import { rowsBy } from "../pynenc/groups.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch } from "../pynenc/time.ts";
import { cellsByLane, cellsOf, isFailure, type LaneCells } from "./cells.ts";
import { placeLabels } from "./labels.ts";
import { type Lane, type LaneMark, type LaneOptions, type Lanes, lanesOf, MAX_LANES } from "./lanes.ts";
import { type MarkerShape, placeMarkers, type WantedMarker, wantedMarkers } from "./markers.ts";
import type { DrawnData } from "./model.ts";
import { packRows } from "./packing.ts";
import { pathPieces } from "./path.ts";
import { lastOf, placesOf, stretchesOf } from "./places.ts";
import { type RelationShape, relationsOf } from "./relations.ts";
import type { StrandShape } from "./strand-shapes.ts";
import { type Strand, strandsOf } from "./strands.ts";
import { clampedPosition, position, type Tick, type TimeScale, timeTicks } from "./time-scale.ts";
import { zoomGroups } from "./zoom-groups.ts";

export interface GeometryOptions extends Partial<LaneOptions> {
  /** Nominal width of the plot. */
  width?: number;
  /** Smaller rows and no labels next to markers, for a timeline embedded in another page. */
  compact?: boolean;
  /** Invocations that are drawn in lanes of columns too. */
  first?: ReadonlySet<string>;
  /** Drawn below the bars that it goes through. */
  path?: CriticalPath | null;
}

export interface LaneShape extends Lane {
  y: number;
  height: number;
  /** Its invocations are columns, apart from those that were asked for. */
  closed: boolean;
  /** Of those in columns, which count no such time: how many a silent runner holds. */
  silent: number;
}

/** From the end of a strand to the next strand of the same invocation. */
export interface TransitionShape {
  invocation_id: string;
  from_status: string;
  to_status: string;
  /** Where it begins. */
  lane_key: string;
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

/** A lane without room for all its bars, or all events, as columns over time. */
export interface CellsShape {
  lane_key: string;
  of: "changes" | "events";
  total: number;
  failed: number;
  /** As of `LaneCells`. */
  most: number;
  busy: boolean;
  statuses: { status: string; total: number }[];
  y: number;
  height: number;
  /** Adjacent slices that look the same. `height` is measured from the lower edge; its upper part is failures. */
  runs: { x: number; width: number; height: number; failedHeight: number }[];
}

/** A piece of the critical path, and where the one before it is. */
export interface PathShape {
  lane_key: string;
  x: number;
  width: number;
  y: number;
  /** Null for the first. */
  from_y: number | null;
}

/** A part of a window with columns: how many of the changes that these count were in it. */
export interface SliceShape {
  x: number;
  width: number;
  start: string;
  end: string;
  total: number;
  /** Failed or killed, by lane, the most first. */
  failed: { lane_key: string; count: number }[];
}

export interface TimelineGeometry {
  start: string;
  end: string;
  width: number;
  height: number;
  /** Height of the axis above the first lane. */
  axis: number;
  barHeight: number;
  compact: boolean;
  ticks: Tick[];
  /** From the first to the last thing in the window; null if there is none. */
  extent: { start: string; end: string } | null;
  /** Position of the current time; null outside the window. */
  now: number | null;
  lanes: LaneShape[];
  strands: StrandShape[];
  transitions: TransitionShape[];
  services: ServiceShape[];
  markers: MarkerShape[];
  relations: RelationShape[];
  cells: CellsShape[];
  /** Times whose changes are not counted. */
  uncounted: { x: number; width: number }[];
  /** The critical path, in the order of time. */
  path: PathShape[];
  /** To zoom into. */
  slices: SliceShape[];
}

const PLOT_WIDTH = 1_200;
/** Narrower bars could not be seen or clicked. */
const MIN_BAR = 2;
const MIN_SERVICE = 3;

interface Sizes {
  axis: number;
  row: number;
  bar: number;
  padding: number;
  least: number;
  service: number;
  cells: number;
}

const FULL: Sizes = { axis: 36, row: 18, bar: 14, padding: 5, least: 30, service: 7, cells: 26 };
const COMPACT: Sizes = { axis: 22, row: 11, bar: 8, padding: 3, least: 18, service: 5, cells: 14 };

/** Number of rows shared by the single points of a lane. */
const POINT_ROWS = 3;
/** Distance of two of them, as a share of that of rows of bars. */
const POINT_ROW = 0.625;
const POINT_GAP = 6;

/** A strand while it is being positioned. */
interface PositionedStrand {
  strand: Strand;
  invocation: TimelineInvocation;
  /** Row in its lane, from the top: single points, then bars. */
  row: number;
  lone: boolean;
  y: number;
}

export function timelineGeometry(data: DrawnData, options: GeometryOptions = {}): TimelineGeometry {
  const { width = PLOT_WIDTH, compact = false, group = "runner" } = options;
  const sizes = compact ? COMPACT : FULL;
  const window = { start: instant(data.start), end: instant(data.end), now: instant(data.now) };
  const byRunner = group === "runner";
  const closed = closedHomes(data.density, byRunner);
  const positioned = data.invocations.flatMap((invocation) =>
    strandsOf(invocation, window)
      .filter(
        (strand) =>
          !closed.has(byRunner ? strand.runner_id : strand.task_id_key) || options.first?.has(strand.invocation_id),
      )
      .map((strand): PositionedStrand => ({ strand, invocation, row: 0, lone: strand.segments.length === 0, y: 0 })),
  );
  const wanted = wantedMarkers(data, window);
  const scale: TimeScale = { start: window.start, end: window.end, width };
  const lanes = lanesOf(data.runners, marksOf(data, positioned, wanted, byRunner), {
    group,
    collapseExternal: options.collapseExternal ?? true,
    maxLanes: options.maxLanes ?? MAX_LANES,
    open: options.open ?? [],
  });
  const counted: ReadonlyMap<string, LaneCells> =
    data.density === null ? new Map() : cellsByLane(data.density, (home) => lanes.laneOf(home)?.key);
  const isClosed = (key: string) => closed.size > 0 && counted.has(key);
  const strandsByLane = rowsBy(positioned, ({ strand }) => lanes.laneOf(strand)?.key);
  const servicesByLane = rowsBy(data.atomic_service_runs, ({ runner_id }) => lanes.laneOf({ runner_id })?.key);
  const markersByLane = placeMarkers(wanted, positioned, lanes, scale, { compact, byRunner, isClosed });

  const shapes: LaneShape[] = [];
  const services: ServiceShape[] = [];
  const cells: CellsShape[] = [];
  let y = sizes.axis;
  const cellsShape = (
    of: CellsShape["of"],
    key: string,
    counted: LaneCells,
    slices: Slices,
    top: number,
  ): CellsShape => {
    const edge = sliceEdges(scale, slices);
    const { runs, silent: _, ...sums } = counted;
    return {
      ...sums,
      of,
      lane_key: key,
      y: top,
      height: sizes.cells,
      runs: runs.map(({ first, length, height, failedHeight, ...run }) => ({
        ...run,
        x: edge(first),
        width: edge(first + length) - edge(first),
        height: height * sizes.cells,
        failedHeight: failedHeight * sizes.cells,
      })),
    };
  };
  if (data.event_counts !== null) {
    const { totals } = data.event_counts;
    const height = Math.max(sizes.least, sizes.cells + 2 * sizes.padding);
    cells.push(
      cellsShape("events", EVENTS_LANE.key, { ...cellsOf(totals), statuses: [] }, data.event_counts, y + sizes.padding),
    );
    shapes.push({ ...EVENTS_LANE, y, height, closed: false, silent: 0 });
    y += height;
  }
  for (const lane of lanes.lanes) {
    const own = strandsByLane.get(lane.key) ?? [];
    const markers = markersByLane.get(lane.key) ?? { markers: [], height: 0 };
    const runs = servicesByLane.get(lane.key) ?? [];
    const ownCells = counted.get(lane.key);
    let at = y + sizes.padding;
    for (const marker of markers.markers) marker.y += at;
    at += markers.height;
    const rows = byRunner ? rowsByRunner(own, scale) : rowsByInvocation(own);
    const pointsTop = at;
    at += rows.points === 0 ? 0 : sizes.row + (rows.points - 1) * POINT_ROW * sizes.row;
    if (runs.length > 0) {
      services.push(...runs.map((run) => serviceShape(run, lane.key, scale, window.now, at, sizes.service)));
      at += sizes.service + 2;
    }
    for (const one of own) {
      const top =
        one.row < rows.points ? pointsTop + one.row * POINT_ROW * sizes.row : at + (one.row - rows.points) * sizes.row;
      one.y = top + sizes.row / 2;
    }
    at += rows.bars * sizes.row;
    if (ownCells !== undefined && data.density !== null) {
      cells.push(cellsShape("changes", lane.key, ownCells, data.density, at));
      at += sizes.cells;
    }
    const height = Math.max(sizes.least, at + sizes.padding - y);
    shapes.push({ ...lane, y, height, closed: isClosed(lane.key), silent: ownCells?.silent ?? 0 });
    y += height;
  }
  const strands = positioned.flatMap((one) => strandShape(one, lanes, scale) ?? []);
  if (!compact) placeLabels(strands, width);
  const markers = [...markersByLane.values()].flatMap((lane) =>
    lane.markers.map(({ anchor, ...marker }): MarkerShape => ({ ...marker, stem: anchor?.y ?? null })),
  );
  return {
    start: data.start,
    end: data.end,
    width,
    height: y,
    axis: sizes.axis,
    barHeight: sizes.bar,
    compact,
    ticks: timeTicks(scale),
    extent: extentOf(busyTimes(data, positioned, wanted), window),
    now: window.now > window.start && window.now < window.end ? position(scale, window.now) : null,
    lanes: shapes,
    strands,
    transitions: transitionsOf(strands),
    services,
    markers,
    relations: relationsOf(data, strands, markers, scale),
    cells,
    uncounted: uncountedTimes(data.density, scale),
    path: pathOf(options.path ?? null, strands, scale),
    slices: slicesOf(data, scale, lanes),
  };
}

/** Runners or tasks all of whose changes are columns; none in a window with too many changes to follow, where bars are drawn beside them. */
function closedHomes(density: DrawnData["density"], byRunner: boolean): ReadonlySet<string | null> {
  if (density === null || density.busy === null) return new Set();
  const homes = new Set([...density.rows, ...density.busy].map((row) => (byRunner ? row.runner_id : row.task_id_key)));
  for (const runners of density.together ?? []) {
    if (homes.has(runners[0] ?? "")) for (const runner_id of runners) homes.add(runner_id);
  }
  return homes;
}

/** Before and after what is counted. */
function uncountedTimes(density: DrawnData["density"], scale: TimeScale): TimelineGeometry["uncounted"] {
  if (!density?.counted) return [];
  const [from, to] = [density.counted.from, density.counted.to].map((iso) => clampedPosition(scale, instant(iso)));
  return [
    { x: 0, width: from ?? 0 },
    { x: to ?? scale.width, width: scale.width - (to ?? scale.width) },
  ].filter(({ width }) => width >= 1);
}

/** Invalid text would turn every position into NaN. Our own services write these values, so fail loudly. */
function instant(iso: string): EpochSeconds {
  const at = epochFromIso(iso);
  if (at === null) throw new RangeError(`not an instant: ${iso}`);
  return at;
}

/** All events of the window, if there are too many to draw individually. */
const EVENTS_LANE: Lane = {
  key: "events",
  kind: "events",
  runner: null,
  task_id_key: null,
  tasks: 0,
  failed: 0,
  runner_ids: [],
  depth: 0,
};

/** When invocations did something, events arrived or schedules were due. Runs of the atomic service do not count: they also happen when nothing else does. */
function busyTimes(
  { density, event_counts }: DrawnData,
  positioned: readonly PositionedStrand[],
  wanted: readonly WantedMarker[],
): { from: EpochSeconds; to: EpochSeconds }[] {
  return [
    ...positioned.flatMap(({ strand: { segments, points } }) => [
      ...segments.map((one) => ({ from: one.from, to: one.to })),
      ...points.map(({ at }) => ({ from: at, to: at })),
    ]),
    ...wanted.map(({ at }) => ({ from: at, to: at })),
    ...[density, event_counts].flatMap((counted) => {
      if (counted === null) return [];
      const begins = sliceBeginnings(counted);
      return counted.totals.flatMap((total, n) => (total === 0 ? [] : [{ from: begins(n), to: begins(n + 1) }]));
    }),
  ];
}

function extentOf(
  busy: readonly { from: EpochSeconds; to: EpochSeconds }[],
  { start, end }: { start: EpochSeconds; end: EpochSeconds },
): TimelineGeometry["extent"] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { from, to } of busy) [first, last] = [Math.min(first, from), Math.max(last, to)];
  return first > last ? null : { start: isoFromEpoch(Math.max(first, start)), end: isoFromEpoch(Math.min(last, end)) };
}

type Slices = Pick<TimelineDensity, "from" | "slice_seconds">;

/** Start of each slice. The first may start before the window, the last may end after it. */
function sliceBeginnings({ from, slice_seconds }: Slices): (slice: number) => EpochSeconds {
  const first = instant(from);
  return (slice) => first + slice * slice_seconds;
}

/** Position of the start of each slice, clamped to the plot. */
function sliceEdges(scale: TimeScale, slices: Slices): (slice: number) => number {
  const begins = sliceBeginnings(slices);
  return (slice) => clampedPosition(scale, begins(slice));
}

function marksOf(
  data: DrawnData,
  positioned: readonly PositionedStrand[],
  wanted: readonly WantedMarker[],
  byRunner: boolean,
): LaneMark[] {
  const marks: LaneMark[] = [];
  for (const { strand } of positioned) {
    const { segments, points } = strand;
    const failed = points.filter(({ status }) => isFailure(status)).length;
    marks.push({ home: strand, count: segments.length + points.length, failed });
  }
  for (const { runner_id } of data.atomic_service_runs) marks.push({ home: { runner_id }, count: 1, failed: 0 });
  const drawn = new Set(positioned.map(({ strand }) => strand.invocation_id));
  const tasks = byRunner
    ? null
    : new Set([...positioned.map(({ strand }) => strand), ...(data.density?.rows ?? [])].map((row) => row.task_id_key));
  for (const { runner_id, emitter, started, of_tasks } of wanted) {
    // A marker without a drawn emitter or effect, and without a lane of their tasks, still needs one.
    const unattached =
      ![emitter, ...started].some((id) => id !== null && drawn.has(id)) && !of_tasks.some((task) => tasks?.has(task));
    if (unattached || (byRunner && runner_id !== null)) marks.push({ home: { runner_id }, count: 1, failed: 0 });
  }
  for (const row of data.density?.rows ?? []) {
    const count = row.counts.reduce((sum, n) => sum + n, 0);
    marks.push({ home: row, count, failed: isFailure(row.status) ? count : 0 });
  }
  for (const row of data.density?.busy ?? []) marks.push({ home: row, count: 1, failed: 0 });
  for (const runner_id of data.density?.together?.flat() ?? [])
    marks.push({ home: { runner_id }, count: 0, failed: 0 });
  return marks;
}

/** How many rows a lane has, from the top: of single points, then of bars. */
interface Rows {
  points: number;
  bars: number;
}

/** One row per invocation, from its first to its last strand: all of it is in this lane, and waiting is the line between its bars. */
function rowsByInvocation(own: readonly PositionedStrand[]): Rows {
  const groups = [...rowsBy(own, ({ strand }) => strand.invocation_id).values()];
  const rows = packRows(
    groups.map((strands) => ({
      from: Math.min(...strands.map(({ strand }) => strand.from)),
      to: Math.max(...strands.map(({ strand }) => strand.to)),
    })),
  );
  groups.forEach((strands, index) => {
    for (const one of strands) one.row = rows[index] ?? 0;
  });
  return { points: 0, bars: depthOf(rows) };
}

/** Bars come last: what runs now often needs one row more or less than a moment ago, and nothing else in the lane is to move with it. */
function rowsByRunner(own: readonly PositionedStrand[], scale: TimeScale): Rows {
  const bars = own.filter((one) => !one.lone);
  const barsOf = rowsBy(bars, ({ strand }) => strand.invocation_id);
  // A child's registration is drawn on the bar of the parent that registered it.
  const onBars = new Map<PositionedStrand, PositionedStrand>();
  for (const one of own) {
    if (!one.lone) continue;
    const parents = barsOf.get(one.invocation.parent_invocation_id ?? "") ?? [];
    const parent = parents.find(({ strand }) => strand.from <= one.strand.from && strand.to >= one.strand.to);
    if (parent !== undefined) onBars.set(one, parent);
  }
  const single = own.filter((one) => one.lone && !onBars.has(one));
  const singleRows = packRows(
    single.map(({ strand }) => ({ from: clampedPosition(scale, strand.from), to: clampedPosition(scale, strand.to) })),
    { gap: POINT_GAP, rows: POINT_ROWS },
  );
  const barRows = packRows(bars.map(({ strand }) => strand));
  const rows = { points: depthOf(singleRows), bars: depthOf(barRows) };
  single.forEach((one, index) => {
    one.row = singleRows[index] ?? 0;
  });
  bars.forEach((one, index) => {
    one.row = rows.points + (barRows[index] ?? 0);
  });
  for (const [one, parent] of onBars) one.row = parent.row;
  return rows;
}

function depthOf(rows: readonly number[]): number {
  return rows.length === 0 ? 0 : Math.max(...rows) + 1;
}

function strandShape(
  { strand, invocation, row, y }: PositionedStrand,
  lanes: Lanes,
  scale: TimeScale,
): StrandShape | null {
  const lane = lanes.laneOf(strand);
  if (lane === undefined) return null;
  return {
    invocation_id: strand.invocation_id,
    task_id_key: invocation.task_id_key,
    arguments: invocation.arguments,
    exception: strand.points.some(({ status }) => status === "failed") ? invocation.exception : null,
    workflow_root: invocation.workflow_root,
    lane_key: lane.key,
    runner_id: strand.runner_id,
    row,
    y,
    bars: strand.segments.map((segment) => {
      const { x, width } = stretch(scale, segment.from, segment.to, MIN_BAR);
      return {
        status: segment.status,
        outcome: segment.outcome,
        ongoing: segment.ongoing,
        dead: segment.dead,
        began: isoFromEpoch(segment.began),
        ended: segment.ended === null ? null : isoFromEpoch(segment.ended),
        seconds: segment.ended === null ? null : segment.ended - segment.began,
        x,
        width,
      };
    }),
    points: strand.points.map(({ status, at }) => ({ status, at: isoFromEpoch(at), x: position(scale, at) })),
    label: null,
  };
}

/** Position and width of a period, widened to be visible and clamped to the plot. */
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
  // One that is still running ends now; its start may come from a clock that is ahead.
  const to = run.end_time === null ? Math.max(from, Math.min(now, scale.end)) : instant(run.end_time);
  const seconds = run.end_time === null ? null : to - from;
  return { ...run, lane_key, seconds, y, height, ...stretch(scale, from, to, MIN_SERVICE) };
}

function transitionsOf(strands: readonly StrandShape[]): TransitionShape[] {
  return strands.flatMap((strand, index): TransitionShape[] => {
    const before = strands[index - 1];
    if (before?.invocation_id !== strand.invocation_id) return [];
    const [from, to] = [lastOf(stretchesOf(before)), stretchesOf(strand)[0]];
    if (from === null || to === undefined) return [];
    const ends = { lane_key: from.lane_key, x1: from.right, y1: from.y, x2: to.x, y2: to.y };
    return [{ invocation_id: strand.invocation_id, from_status: from.status, to_status: to.status, ...ends }];
  });
}

/** In the row of the bar or point of the invocation that is nearest in time: before it was picked up, it was in no lane. */
function pathOf(path: CriticalPath | null, strands: readonly StrandShape[], scale: TimeScale): PathShape[] {
  const { nearest } = placesOf(strands);
  const pieces = pathPieces(
    path,
    (at) => clampedPosition(scale, at),
    (id, x) => nearest(id, x)?.strand ?? null,
  ).filter(({ width }) => width > 0);
  return pieces.map(({ row: { lane_key, y }, x, width }, index) => ({
    ...{ lane_key, x, width, y },
    from_y: pieces[index - 1]?.row.y ?? null,
  }));
}

/** Parts of the window that are wide enough to be pointed at, without empty ones. */
function slicesOf({ density }: DrawnData, scale: TimeScale, lanes: Lanes): SliceShape[] {
  if (density === null) return [];
  const at = sliceBeginnings(density);
  const edge = sliceEdges(scale, density);
  const failures = density.rows.flatMap((row) =>
    isFailure(row.status) ? [{ lane_key: lanes.laneOf(row)?.key ?? "", counts: row.counts }] : [],
  );
  return zoomGroups(density, scale).flatMap(([first, after]): SliceShape[] => {
    const within = (counts: readonly number[]) => counts.slice(first, after).reduce((sum, n) => sum + n, 0);
    const total = within(density.totals);
    if (total === 0) return [];
    const failed = new Map<string, number>();
    for (const { lane_key, counts } of failures) failed.set(lane_key, (failed.get(lane_key) ?? 0) + within(counts));
    return [
      {
        ...{ x: edge(first), width: edge(after) - edge(first), total },
        failed: [...failed]
          .flatMap(([lane_key, count]) => (count === 0 ? [] : [{ lane_key, count }]))
          .sort((a, b) => b.count - a.count),
        // They name the time in which their changes were counted.
        start: isoFromEpoch(density.whole ? at(first) : Math.max(scale.start, at(first))),
        end: isoFromEpoch(density.whole ? at(after) : Math.min(scale.end, at(after))),
      },
    ];
  });
}
