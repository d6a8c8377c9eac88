/** Lines between causes and effects. Only recorded ones: nothing is inferred from proximity in time. */
import { epochFromIso } from "../pynenc/time.ts";
import type { MarkerShape } from "./markers.ts";
import type { DrawnData } from "./model.ts";
import { markersById, type Place, placesOf } from "./places.ts";
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

/** Relations with both ends drawn. */
export function relationsOf(
  data: DrawnData,
  strands: readonly StrandShape[],
  markers: readonly MarkerShape[],
  scale: TimeScale,
): RelationShape[] {
  const places = placesOf(strands);
  const markerById = markersById(markers);
  const markerOf = (id: string): Place | null => markerById.get(id) ?? null;
  const found = new Map<string, RelationShape>();
  const add = (kind: RelationKind, from: string, to: string, ends: (Place | null)[], run: string | null = null) => {
    const key = `${kind}\n${from}\n${to}`;
    const [start, end] = ends;
    if (!start || !end || found.has(key)) return;
    const { x: x1, y: y1, lane_key } = start;
    found.set(key, { kind, from, to, trigger_run_id: run, lane_key, x1, y1, x2: end.x, y2: end.y });
  };
  for (const { invocation_id: id, parent_invocation_id: parent } of data.invocations) {
    if (parent === null) continue;
    const child = places.first(id);
    add("direct-call", parent, id, [child && places.nearest(parent, child.x), child]);
  }
  for (const marker of markers) {
    if (marker.event_id === null || marker.emitter === null) continue;
    const origin = places.nearest(marker.emitter, marker.x);
    // The stem of a marker on its emitter's bar already shows the origin.
    const isAtOrigin = origin !== null && marker.stem === origin.y && Math.abs(origin.x - marker.x) < 1;
    if (!isAtOrigin) add("event-origin", marker.emitter, marker.event_id, [origin, marker]);
  }
  for (const { trigger_run_id: run, triggered_invocation_id: target, causes } of data.trigger_runs) {
    if (target === null) continue;
    const effect = places.first(target);
    for (const { kind, event_id, source_invocation_id: source, timestamp } of causes) {
      if (kind === "event") {
        if (event_id !== null) add("event-trigger", event_id, target, [markerOf(event_id), effect], run);
      } else if (kind === "cron") {
        add("cron-trigger", run, target, [markerOf(run), effect], run);
      } else if (source !== null && kind !== null) {
        const at = epochFromIso(timestamp ?? "");
        const cause = at === null ? places.last(source) : places.nearest(source, position(scale, at));
        add(`${kind}-trigger`, source, target, [cause, effect], run);
      }
    }
  }
  // An event can be named as the parent although its run is no longer stored.
  for (const { invocation_id: id, parent_event_id: event } of data.invocations) {
    if (event !== null) add("event-trigger", event, id, [markerOf(event), places.first(id)]);
  }
  return [...found.values()];
}
