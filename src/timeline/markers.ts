/** Markers of events and schedules: where they are anchored, and rows above the bars of a lane in which their names do not overlap. */
import { addTo, rowsBy } from "../pynenc/groups.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";
import { type Lanes, UNRECORDED_LANE } from "./lanes.ts";
import type { DrawnData, HistoryWindow } from "./model.ts";
import { type Extent, packRows } from "./packing.ts";
import type { Strand } from "./strands.ts";
import { position, type TimeScale } from "./time-scale.ts";

export interface WantedMarker {
  kind: "event" | "cron";
  event_id: string | null;
  /** For a schedule: trigger runs that one run of the service started because they were due. */
  trigger_run_ids: string[];
  /** Code of the event, or `schedule`. */
  name: string;
  state: "triggered" | "matched" | "unmatched";
  at: EpochSeconds;
  timestamp: string;
  /** Invocation that emitted it. */
  emitter: string | null;
  runner_id: string | null;
  /** Invocations it started. The marker goes there if the emitter is not known. */
  started: string[];
  /** Their tasks, the most frequent first, as far as they are known. */
  tasks: { task: string; total: number }[];
  /** Task of the emitter, then those of what it started: of the first that has a lane, where none of them is drawn. */
  of_tasks: string[];
}

export interface MarkerShape extends Omit<WantedMarker, "at"> {
  lane_key: string;
  x: number;
  /** Vertical middle. */
  y: number;
  /** The name, and its place from the marker to the next one in its row; null if there is no room for it at the nominal width. */
  label: ({ text: string } & Extent) | null;
  /** The name is to the left of the marker, because there is no room to the right. */
  before: boolean;
  /** Lower end of the stem; null if nothing below it is drawn. */
  stem: number | null;
}

/** A marker before the rows of bars are known. `anchor` is where its stem ends. */
export interface PlacedMarker extends Omit<MarkerShape, "stem"> {
  anchor: { y: number } | null;
}

const ROW = 13;
const ROWS = 3;
const MARKER = 10;
/** Width of a letter at the nominal width of the plot. A narrower plot moves positions closer together, but letters keep their size. */
const LETTER = 8;
const LONGEST_NAME = 24;

/** Events of the window by time, and one marker for each schedule and run of the service. */
export function wantedMarkers(data: DrawnData, window: HistoryWindow): WantedMarker[] {
  const started = new Map<string, string[]>();
  for (const run of data.trigger_runs)
    for (const cause of run.causes)
      if (cause.event_id !== null && run.triggered_invocation_id !== null)
        addTo(started, cause.event_id, run.triggered_invocation_id);
  for (const { parent_event_id, invocation_id } of data.invocations)
    if (parent_event_id !== null) addTo(started, parent_event_id, invocation_id);
  const taskOf = new Map([
    ...data.trigger_runs.map((run) => [run.triggered_invocation_id, run.task_id_key] as const),
    ...data.invocations.map((one) => [one.invocation_id, one.task_id_key] as const),
  ]);
  const tasksOf = (ids: readonly string[]) => {
    const tasks = rowsBy(ids, (id) => taskOf.get(id) ?? undefined);
    return [...tasks].map(([task, { length: total }]) => ({ task, total })).sort((a, b) => b.total - a.total);
  };
  const events = data.events.map(
    (event): Omit<WantedMarker, "tasks"> => ({
      of_tasks: event.emitted_by_task_id === null ? [] : [event.emitted_by_task_id],
      kind: "event",
      event_id: event.event_id,
      trigger_run_ids: [],
      name: event.event_code,
      state: event.triggered ? "triggered" : event.matched ? "matched" : "unmatched",
      at: epochFromIso(event.timestamp) ?? Number.NaN,
      timestamp: event.timestamp,
      emitter: event.emitted_by_invocation_id,
      runner_id: event.emitted_by_runner_context_id,
      started: [...new Set(started.get(event.event_id) ?? [])],
    }),
  );
  const ticks = new Map<string, Omit<WantedMarker, "tasks">>();
  for (const run of data.trigger_runs) {
    const cron = run.causes.find((cause) => cause.kind === "cron");
    const timestamp = run.claimed_at ?? run.executed_at ?? cron?.timestamp ?? null;
    if (cron === undefined || timestamp === null) continue;
    // Schedules that were due together in one run of the service share a tick.
    const key = run.atomic_service_run_id ?? run.trigger_run_id;
    const tick = ticks.get(key) ?? {
      of_tasks: [],
      kind: "cron",
      event_id: null,
      trigger_run_ids: [],
      name: "schedule",
      state: "matched",
      at: epochFromIso(timestamp) ?? Number.NaN,
      timestamp,
      emitter: null,
      runner_id: run.atomic_service_runner_id,
      started: [],
    };
    ticks.set(key, tick);
    tick.trigger_run_ids.push(run.trigger_run_id);
    if (run.triggered_invocation_id !== null) {
      tick.state = "triggered";
      tick.started.push(run.triggered_invocation_id);
    }
  }
  return [...events, ...ticks.values()]
    .filter(({ at }) => at >= window.start && at <= window.end)
    .map((marker) => {
      const tasks = tasksOf(marker.started);
      return { ...marker, tasks, of_tasks: [...marker.of_tasks, ...tasks.map(({ task }) => task)] };
    })
    .sort((a, b) => a.at - b.at || (a.timestamp < b.timestamp ? -1 : 1));
}

interface PlacedStrand {
  strand: Strand;
  y: number;
}

/** Markers by lane; `y` is relative to the first marker row of the lane. */
export function placeMarkers(
  wanted: readonly WantedMarker[],
  strands: readonly PlacedStrand[],
  lanes: Lanes,
  scale: TimeScale,
  { compact, byRunner, isClosed }: { compact: boolean; byRunner: boolean; isClosed: (laneKey: string) => boolean },
): Map<string, { markers: PlacedMarker[]; height: number }> {
  const strandsOf = rowsBy(strands, ({ strand }) => strand.invocation_id);
  const byLane = new Map<string, PlacedMarker[]>();
  const laneOfTasks = (tasks: readonly string[]) =>
    tasks.flatMap((task_id_key) => lanes.laneOf({ runner_id: null, task_id_key }) ?? [])[0];
  for (const { at, ...marker } of wanted) {
    const anchor = anchorOf(marker.emitter, at, strandsOf);
    // Where the emitter is counted, only its points are drawn, which may be in the lane of the runner that registered it.
    const ran = !byRunner || (anchor?.strand.segments.length ?? 0) > 0;
    const ofRunner = marker.runner_id !== null && byRunner ? lanes.laneOf({ runner_id: marker.runner_id }) : undefined;
    const ofEmitter = anchor !== undefined ? lanes.laneOf(anchor.strand) : undefined;
    const first = marker.started.flatMap((id) => strandsOf.get(id)?.[0] ?? [])[0];
    const lane =
      (ran ? (ofEmitter ?? ofRunner) : (ofRunner ?? ofEmitter)) ??
      (first !== undefined ? lanes.laneOf(first.strand) : undefined) ??
      (byRunner ? undefined : (laneOfTasks(marker.of_tasks) ?? lanes.laneOf({ runner_id: null })));
    const key = lane?.key ?? UNRECORDED_LANE;
    const shape: PlacedMarker = {
      ...marker,
      lane_key: key,
      x: position(scale, at),
      y: 0,
      label: null,
      before: false,
      anchor: lane === ofEmitter ? (anchor ?? null) : null,
    };
    addTo(byLane, key, shape);
  }
  return new Map([...byLane].map(([key, markers]) => [key, inRows(markers, scale, compact, isClosed(key))]));
}

/** The strand of the emitter at that time, or the closest one: an event is written shortly before or after its status. */
function anchorOf(
  emitter: string | null,
  at: EpochSeconds,
  strandsOf: ReadonlyMap<string, PlacedStrand[]>,
): PlacedStrand | undefined {
  const own = emitter === null ? [] : (strandsOf.get(emitter) ?? []);
  const distance = ({ strand }: PlacedStrand) => Math.max(strand.from - at, at - strand.to, 0);
  const nearest = own.reduce<PlacedStrand | undefined>(
    (best, one) => (best === undefined || distance(one) < distance(best) ? one : best),
    undefined,
  );
  return nearest;
}

function inRows(
  markers: PlacedMarker[],
  scale: TimeScale,
  compact: boolean,
  closed: boolean,
): { markers: PlacedMarker[]; height: number } {
  const names = markers.map(({ kind, name }) => (compact || closed || kind === "cron" ? "" : shortened(name)));
  const lengths = names.map((name) => name.length * LETTER);
  // As if every name were on the right: a marker keeps its row when the window moves on and its name goes from the left to the right.
  const extents = markers.map(({ x }, index) => ({
    from: x - MARKER / 2,
    to: x + MARKER / 2 + (lengths[index] ?? 0),
  }));
  // A little under 4, so that a marker that is 4 from the one before keeps its row whatever a position is rounded to.
  const rows = packRows(extents, { gap: 3.999, rows: closed ? 1 : ROWS });
  /** The last marker of each row so far, and where its drawing ends. */
  const lastOf = new Map<number, { marker: PlacedMarker; to: number }>();
  markers.forEach((marker, index) => {
    const row = rows[index] ?? 0;
    const { from, to } = extents[index] ?? { from: 0, to: 0 };
    const name = lengths[index] ?? 0;
    const last = lastOf.get(row);
    // If all rows are taken, names would overlap. Such names are left out; the markers keep their tooltips.
    if (last !== undefined && !last.marker.before && last.to > from) {
      last.marker.label = null;
      last.to = last.marker.x + MARKER / 2;
    }
    marker.y = row * ROW + ROW / 2;
    marker.before = to > scale.width;
    const free = last?.to ?? 0;
    const fits = name > 0 && (!marker.before || from - name >= free);
    const earlier = last?.marker.before ? null : (last?.marker.label ?? null);
    // Two names between two markers share what is left.
    const begin = earlier === null ? free : (free + from - name) / 2;
    const place = marker.before ? { from: begin, to: marker.x } : { from: marker.x, to: scale.width };
    marker.label = fits ? { text: names[index] ?? "", ...place } : null;
    if (earlier !== null) earlier.to = marker.before && fits ? begin : from;
    lastOf.set(row, { marker, to: marker.before ? to - name : to });
  });
  return { markers, height: (Math.max(...rows) + 1) * ROW + 2 };
}

function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length <= LONGEST_NAME ? name : `${characters.slice(0, LONGEST_NAME - 1).join("")}…`;
}
