/** The listed runs of the atomic service as a timeline: a lane for each runner that took a turn. */
import type { AtomicTimeline } from "../../api/runners.ts";
import type { TimelineRunner } from "../../api/timeline.ts";
import { epochFromIso, isoFromEpoch } from "../../pynenc/time.ts";
import type { DrawnData } from "../../timeline/model.ts";
import { paddedWindow } from "../model/timeline-window.ts";
import { timelineRunner } from "./timeline-runners.ts";

/** Null when no run is listed. @param now epoch seconds: what runs is drawn up to here */
export function atomicLanes({ executions, window }: AtomicTimeline, now: number): DrawnData | null {
  if (window === null) return null;
  const padded = paddedWindow([epochFromIso(window.start), epochFromIso(window.end)]);
  if (padded === null) return null;
  // What is stored need not be a time; such a run has no place.
  const placed = executions.filter(({ start_time, end_time }) =>
    [start_time, end_time ?? start_time].every((iso) => epochFromIso(iso) !== null),
  );
  const runners = new Map<string, TimelineRunner>();
  for (const { runner } of placed)
    for (const name of [runner, runner.parent]) if (name !== null) runners.set(name.runner_id, timelineRunner(name));
  return {
    start: isoFromEpoch(padded.start),
    end: isoFromEpoch(padded.end),
    now: isoFromEpoch(now),
    invocations: [],
    runners: [...runners.values()],
    events: [],
    trigger_runs: [],
    atomic_service_runs: placed.map(({ atomic_service_run_id, runner_id, start_time, end_time, status }) => ({
      atomic_service_run_id,
      runner_id,
      start_time,
      end_time,
      status,
    })),
    density: null,
    event_counts: null,
  };
}
