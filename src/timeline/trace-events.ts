/**
 * A timeline in the trace event format, which Perfetto, speedscope and chrome://tracing open: runners become processes, rows of their lanes threads,
 * bars complete events, relations flows.
 */

import { epochFromIso } from "../pynenc/time.ts";
import type { LaneShape, TimelineGeometry } from "./geometry.ts";
import { sharedLaneName } from "./lanes.ts";
import { markersById, placesOf } from "./places.ts";
import type { StrandShape } from "./strand-shapes.ts";

export interface TraceEvent {
  name: string;
  cat: string;
  /** X: complete event, s and f: start and end of a flow, M: metadata. */
  ph: "X" | "s" | "f" | "M";
  /** Microseconds since 1970-01-01 UTC. */
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  id?: number;
  /** For the end of a flow: binds it to the enclosing bar. */
  bp?: "e";
  args?: Record<string, unknown>;
}

export interface TraceFile {
  displayTimeUnit: "ms";
  traceEvents: TraceEvent[];
  otherData: Record<string, string>;
}

/** Thread of events and schedules; the threads of bars follow. */
const CAUSES = 0;
/** Thread of the atomic service. */
const SERVICE = 1;
const FIRST_ROW = 2;
/** Length of instants, so that flows can start and end at them. */
const MOMENT = 1;

interface Thread {
  pid: number;
  tid: number;
}

export function traceFile(geometry: TimelineGeometry): TraceFile {
  const pids = new Map(geometry.lanes.map((lane, index) => [lane.key, index + 1]));
  const pidOf = (laneKey: string) => pids.get(laneKey) ?? 0;
  const events: TraceEvent[] = geometry.lanes.flatMap((lane, index) => [
    metadata("process_name", pidOf(lane.key), 0, { name: laneName(lane) }),
    metadata("process_sort_index", pidOf(lane.key), 0, { sort_index: index }),
  ]);
  const threads = new Map<string, Thread & { name: string }>();
  const named = (pid: number, tid: number, name: string) => threads.set(`${pid} ${tid}`, { pid, tid, name });

  for (const strand of geometry.strands) {
    const thread = { pid: pidOf(strand.lane_key), tid: FIRST_ROW + strand.row };
    named(thread.pid, thread.tid, `row ${strand.row + 1}`);
    events.push(...strandEvents(strand, thread, geometry));
  }
  for (const run of geometry.services) {
    const pid = pidOf(run.lane_key);
    named(pid, SERVICE, "atomic service");
    const { atomic_service_run_id, status, start_time, seconds } = run;
    const ts = micros(start_time);
    const dur = seconds === null ? micros(geometry.end) - ts : Math.round(seconds * 1e6);
    events.push(
      complete("atomic service", "service", { pid, tid: SERVICE }, ts, dur, { atomic_service_run_id, status }),
    );
  }
  for (const marker of geometry.markers) {
    const pid = pidOf(marker.lane_key);
    named(pid, CAUSES, "events");
    const { event_id, trigger_run_ids, state } = marker;
    const args = event_id === null ? { trigger_run_ids } : { event_id, state };
    events.push(complete(marker.name, marker.kind, { pid, tid: CAUSES }, micros(marker.timestamp), MOMENT, args));
  }
  const endOf = endsOf(geometry, pidOf);
  geometry.relations.forEach((relation, index) => {
    const [from, to] = [endOf(relation.from, relation.x1), endOf(relation.to, relation.x2)];
    if (from === null || to === null) return;
    const flow = { name: relation.kind, cat: "relation", id: index + 1 };
    events.push({ ...flow, ph: "s", ...from });
    events.push({ ...flow, ph: "f", bp: "e", ...to, ts: Math.max(from.ts, to.ts) });
  });
  for (const { pid, tid, name } of threads.values()) events.push(metadata("thread_name", pid, tid, { name }));
  return {
    displayTimeUnit: "ms",
    traceEvents: events,
    otherData: { start: geometry.start, end: geometry.end },
  };
}

function strandEvents(strand: StrandShape, thread: Thread, { end }: TimelineGeometry): TraceEvent[] {
  const { invocation_id, task_id_key } = strand;
  const task = task_id_key ?? invocation_id;
  return [
    ...strand.bars.map(({ status, outcome, began, seconds, dead }) => {
      const ts = micros(began);
      const dur = seconds === null ? micros(end) - ts : Math.round(seconds * 1e6);
      const name = dead ? `${task} on a silent runner` : status === "running" ? task : `${task} ${status}`;
      return complete(name, dead ? "dead_runner" : status, thread, ts, dur, { invocation_id, status, outcome });
    }),
    ...strand.points.map(({ status, at }) =>
      complete(`${task} ${status}`, status, thread, micros(at), MOMENT, { invocation_id, status }),
    ),
  ];
}

/** Where the end of a relation is: the thread of the bar or marker there, and a time within it. */
function endsOf(geometry: TimelineGeometry, pidOf: (laneKey: string) => number) {
  const { nearest } = placesOf(geometry.strands);
  const markers = markersById(geometry.markers);
  const [start, end] = [micros(geometry.start), micros(geometry.end)];
  return (id: string, x: number): (Thread & { ts: number }) | null => {
    const marker = markers.get(id);
    if (marker !== undefined) return { pid: pidOf(marker.lane_key), tid: CAUSES, ts: micros(marker.timestamp) };
    const place = nearest(id, x);
    if (place === null) return null;
    const at = Math.round(start + (x / geometry.width) * (end - start));
    const ts = Math.min(micros(place.ended ?? geometry.end), Math.max(micros(place.began), at));
    return { pid: pidOf(place.lane_key), tid: FIRST_ROW + place.strand.row, ts };
  };
}

function complete(
  name: string,
  cat: string,
  { pid, tid }: Thread,
  ts: number,
  dur: number,
  args: Record<string, unknown>,
): TraceEvent {
  return { name, cat, ph: "X", ts, dur: Math.max(0, dur), pid, tid, args };
}

function metadata(name: string, pid: number, tid: number, args: Record<string, unknown>): TraceEvent {
  return { name, cat: "__metadata", ph: "M", ts: 0, pid, tid, args };
}

function micros(iso: string): number {
  return Math.round((epochFromIso(iso) ?? 0) * 1e6);
}

function laneName(lane: LaneShape): string {
  const { runner, task_id_key } = lane;
  if (runner !== null) return [runner.runner_cls, runner.runner_id].filter((word) => word !== null).join(" ");
  return task_id_key ?? sharedLaneName(lane)?.[0] ?? "";
}
