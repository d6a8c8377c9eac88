/** The runners of a timeline: those of its marks with their parents, and those that were there and did nothing. */
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { TimelineRunner } from "../../api/timeline.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TrackedInvocation } from "../../timeline/histories.ts";
import { isExternal } from "../../timeline/lanes.ts";
import { runnerNames } from "../model/runner-names.ts";
import type { TimeWindow } from "../model/timeline-window.ts";

/** Heartbeats searched for runners without a mark, latest first. */
export const HEARTBEATS_READ = 100;

export interface RunnerTimes {
  /** Seconds of the window in which each executed something. */
  busy: ReadonlyMap<string, number>;
  window: TimeWindow;
  /** Whether to add runners that have a heartbeat in the window but no mark. Not as of an earlier instant: heartbeats of then are not stored. */
  unmarked: boolean;
}

export interface TimelineRunners {
  runners: TimelineRunner[];
  /** More heartbeats than were read may be those of runners that did nothing. */
  heartbeatsLeft: boolean;
}

/** Runners with their parents, each once. @param times null if it is not known what every runner of the window executed. */
export async function timelineRunners(
  reads: AppReads,
  marked: readonly (string | null)[],
  times: RunnerTimes | null,
): Promise<TimelineRunners> {
  const ids = [...new Set(marked.filter((id) => id !== null))];
  const { present, left } =
    times === null ? { present: new Set<string>(), left: false } : await presentIn(reads, ids, times);
  const names = await runnerNames(reads, [...ids, ...present]);
  const runners = new Map<string, TimelineRunner>();
  const add = (name: RunnerName) => {
    if (name.parent !== null && !runners.has(name.parent.runner_id)) add(name.parent);
    runners.set(name.runner_id, timelineRunner(name));
  };
  for (const name of names.values()) add(name);
  if (times === null) return { runners: [...runners.values()], heartbeatsLeft: false };
  const parents = new Set([...runners.values()].map((runner) => runner.parent_runner_id));
  for (const runner of runners.values()) {
    const { runner_id: id } = runner;
    const idle = present.has(id) && !parents.has(id) && !isExternal(runner);
    runner.busy_seconds = times.busy.get(id) ?? (idle ? 0 : null);
  }
  return { runners: [...runners.values()], heartbeatsLeft: left };
}

/** Runners with a heartbeat in the window that executed nothing or are among the latest, as far as their first and latest heartbeat show it. */
async function presentIn(
  reads: AppReads,
  ids: readonly string[],
  { busy, window: { start, end }, unmarked }: RunnerTimes,
): Promise<{ present: ReadonlySet<string>; left: boolean }> {
  const [own, latest] = await Promise.all([
    reads.orchestrator.heartbeatsByIds(ids.filter((id) => !busy.has(id))),
    unmarked ? reads.orchestrator.heartbeats({ limit: HEARTBEATS_READ + 1, offset: 0 }, start) : [],
  ]);
  const beats = [...own, ...latest.slice(0, HEARTBEATS_READ)];
  const present = beats.filter(
    ({ creation_timestamp, last_heartbeat }) => creation_timestamp <= end && last_heartbeat >= start,
  );
  return { present: new Set(present.map((one) => one.runner_id)), left: latest.length > HEARTBEATS_READ };
}

/**
 * Marks the runners that fell silent with an invocation that is drawn as left behind: it is still theirs, or another took it over and a later heartbeat of theirs
 * is stored. Without one they may have gone on working outside of the window. They are silent since that heartbeat, or since the last that they did.
 */
export function withSilence(
  runners: readonly TimelineRunner[],
  tracked: readonly TrackedInvocation[],
  now: EpochSeconds,
): TimelineRunner[] {
  const silent = new Set<string | null>();
  const lastSign = new Map<string | null, EpochSeconds>();
  for (const { steps, afterwards } of tracked)
    for (const [index, { runner_id, at, dead_from }] of steps.entries()) {
      const held = index === steps.length - 1 && afterwards === "ongoing";
      if (dead_from !== undefined && (held || dead_from > at)) silent.add(runner_id);
      const sign = dead_from ?? at;
      lastSign.set(runner_id, Math.max(sign, lastSign.get(runner_id) ?? sign));
    }
  return runners.map((runner) =>
    silent.has(runner.runner_id)
      ? { ...runner, silent_seconds: now - (lastSign.get(runner.runner_id) ?? now) }
      : runner,
  );
}

export function timelineRunner({
  runner_id,
  runner_cls,
  hostname,
  pid,
  thread_id,
  parent,
}: RunnerName): TimelineRunner {
  const parent_runner_id = parent?.runner_id ?? null;
  return {
    runner_id,
    runner_cls,
    hostname,
    pid,
    thread_id,
    parent_runner_id,
    busy_seconds: null,
    silent_seconds: null,
  };
}
