/** Lines between causes and effects. Only recorded ones: nothing is inferred from proximity in time. */
import { rowsBy } from "../pynenc/groups.ts";
import { epochFromIso } from "../pynenc/time.ts";
import type { MarkerShape } from "./markers.ts";
import type { DrawnData } from "./model.ts";
import type { StrandShape } from "./strand-shapes.ts";
import { position, type TimeScale } from "./time-scale.ts";

export type RelationKind =
  | "direct-call"
  | "event-origin"
  | "event-trigger"
  | "status-trigger"
  | "result-trigger"
  | "exception-trigger"
  | "cron-trigger";

export interface RelationShape {
  kind: RelationKind;
  /** Id of the cause: an invocation or event, or for a schedule the trigger run. */
  from: string;
  /** Id of the effect: an invocation or event. */
  to: string;
  trigger_run_id: string | null;
  /** Where it begins. */
  lane_key: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

interface Point {
  x: number;
  y: number;
  lane_key: string;
}

/** Relations with both ends drawn. */
export function relationsOf(
  data: DrawnData,
  strands: readonly StrandShape[],
  markers: readonly MarkerShape[],
  scale: TimeScale,
): RelationShape[] {
  const strandsOf = rowsBy(strands, (strand) => strand.invocation_id);
  const markerOfEvent = new Map(markers.flatMap((m) => (m.event_id === null ? [] : [[m.event_id, m] as const])));
  const markerOfRun = new Map(markers.flatMap((m) => m.trigger_run_ids.map((id) => [id, m] as const)));
  const found = new Map<string, RelationShape>();
  const add = (
    kind: RelationKind,
    from: string,
    to: string,
    run: string | null,
    start: Point | null,
    end: Point | null,
  ) => {
    const key = `${kind}\n${from}\n${to}`;
    if (start === null || end === null || found.has(key)) return;
    const { x: x1, y: y1, lane_key } = start;
    found.set(key, { kind, from, to, trigger_run_id: run, lane_key, x1, y1, x2: end.x, y2: end.y });
  };
  const beginning = (id: string): Point | null => firstPoint(strandsOf.get(id));

  for (const { invocation_id, parent_invocation_id } of data.invocations) {
    if (parent_invocation_id === null) continue;
    const child = beginning(invocation_id);
    add(
      "direct-call",
      parent_invocation_id,
      invocation_id,
      null,
      child === null ? null : pointAt(strandsOf.get(parent_invocation_id), child.x),
      child,
    );
  }
  for (const marker of markers) {
    if (marker.event_id === null) continue;
    const end = pointOf(marker);
    if (marker.emitter !== null) {
      const origin = pointAt(strandsOf.get(marker.emitter), marker.x);
      // The stem of a marker on its emitter's bar already shows the origin.
      const isAtOrigin = origin !== null && marker.stem === origin.y && Math.abs(origin.x - marker.x) < 1;
      if (!isAtOrigin) add("event-origin", marker.emitter, marker.event_id, null, origin, end);
    }
  }
  for (const run of data.trigger_runs) {
    const target = run.triggered_invocation_id;
    if (target === null) continue;
    for (const cause of run.causes) {
      const end = beginning(target);
      if (cause.kind === "event" && cause.event_id !== null) {
        add(
          "event-trigger",
          cause.event_id,
          target,
          run.trigger_run_id,
          pointOf(markerOfEvent.get(cause.event_id)),
          end,
        );
      } else if (cause.kind === "cron") {
        add(
          "cron-trigger",
          run.trigger_run_id,
          target,
          run.trigger_run_id,
          pointOf(markerOfRun.get(run.trigger_run_id)),
          end,
        );
      } else if (cause.source_invocation_id !== null && cause.kind !== null && cause.kind !== "event") {
        const at = epochFromIso(cause.timestamp ?? "");
        const own = strandsOf.get(cause.source_invocation_id);
        const start = at === null ? lastPoint(own) : pointAt(own, position(scale, at));
        add(`${cause.kind}-trigger`, cause.source_invocation_id, target, run.trigger_run_id, start, end);
      }
    }
  }
  // An event can be named as the parent although its run is no longer stored.
  for (const { invocation_id, parent_event_id } of data.invocations) {
    if (parent_event_id === null) continue;
    add(
      "event-trigger",
      parent_event_id,
      invocation_id,
      null,
      pointOf(markerOfEvent.get(parent_event_id)),
      beginning(invocation_id),
    );
  }
  return [...found.values()];
}

function pointOf(marker: MarkerShape | undefined): Point | null {
  return marker === undefined ? null : { x: marker.x, y: marker.y, lane_key: marker.lane_key };
}

interface Stretch extends Point {
  right: number;
}

function stretches(strands: readonly StrandShape[] | undefined): Stretch[] {
  return (strands ?? []).flatMap(({ bars, points, y, lane_key }) => [
    ...bars.map((bar) => ({ x: bar.x, right: bar.x + bar.width, y, lane_key })),
    ...points.map((point) => ({ x: point.x, right: point.x, y, lane_key })),
  ]);
}

function firstPoint(strands: readonly StrandShape[] | undefined): Point | null {
  const [first] = stretches(strands).sort((a, b) => a.x - b.x);
  return first ?? null;
}

function lastPoint(strands: readonly StrandShape[] | undefined): Point | null {
  const last = stretches(strands).reduce<Stretch | null>((l, s) => (l === null || s.right >= l.right ? s : l), null);
  return last === null ? null : { ...last, x: last.right };
}

/** The point on an invocation's bars closest to a position on the time axis. */
function pointAt(strands: readonly StrandShape[] | undefined, x: number): Point | null {
  let best: { point: Point; distance: number } | null = null;
  for (const { x: left, right, y, lane_key } of stretches(strands)) {
    const nearest = Math.min(right, Math.max(left, x));
    const distance = Math.abs(nearest - x);
    if (best === null || distance < best.distance) best = { point: { x: nearest, y, lane_key }, distance };
  }
  return best?.point ?? null;
}
