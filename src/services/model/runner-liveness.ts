/**
 * Decides which runners count as silent. The app uses a setting that this monitor may not see, so recoveries are better evidence: a recovery takes
 * invocations only from runners whose heartbeat the app considers too old (storage-format.md 8).
 */
import type { AllowedSilence } from "../../api/runners.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import { invocationIdOf, runnerIdOf } from "../../pynenc/keys.ts";
import { lasting } from "../../pynenc/numbers.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { StatusRow } from "../../stores/ports/orchestrator.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";

export interface Liveness {
  /** A runner whose last heartbeat is older than this instant counts as silent. */
  dead_before: EpochSeconds;
  silence: AllowedSilence;
}

/** Newest runs of a recovery task that are read. It runs at most once per minute. */
const RECOVERIES_READ = 15;

/** History entries read for one run of the recovery task, which takes milliseconds. */
const ENTRIES_READ = 500;

/** Computed once per snapshot, because many parts of a page need it. */
const known = new WeakMap<AppReads, Promise<Silence | null>>();

/** How long a runner may be silent, by the app's settings. */
export function silenceSeconds(app: OpenedApp): number {
  return numberSetting(app, "runner_considered_dead_after_minutes") * 60;
}

/** Cached per snapshot. */
function recoveredAfter(reads: AppReads, setting_seconds: number, now: EpochSeconds): Promise<Silence | null> {
  const earlier = known.get(reads);
  if (earlier !== undefined) return earlier;
  const shown = shortestSilence(reads, now - setting_seconds, now);
  known.set(reads, shown);
  return shown;
}

/** As `deadBefore`, for callers that have the setting instead of the app. @param setting_seconds from `silenceSeconds`. */
export async function deadBeforeAfter(
  reads: AppReads,
  setting_seconds: number,
  now: EpochSeconds,
): Promise<EpochSeconds> {
  const shown = await recoveredAfter(reads, setting_seconds, now);
  return now - Math.min(setting_seconds, shown?.seconds ?? setting_seconds);
}

/** Heartbeats older than this instant belong to runners that count as silent. */
export async function deadBefore(app: OpenedApp, reads: AppReads): Promise<EpochSeconds> {
  return (await livenessOf(app, reads)).dead_before;
}

/** By snapshot, so that all of its answers are about one instant: at another one, a runner that is just falling silent would be active here and not there. */
const livenessKnown = new WeakMap<AppReads, Promise<Liveness>>();

/** How long a runner may be silent, and the resulting limit for heartbeats. */
export function livenessOf(app: OpenedApp, reads: AppReads): Promise<Liveness> {
  const liveness = livenessKnown.get(reads) ?? readLiveness(app, reads);
  livenessKnown.set(reads, liveness);
  return liveness;
}

async function readLiveness(app: OpenedApp, reads: AppReads): Promise<Liveness> {
  const now = app.now();
  const setting_seconds = silenceSeconds(app);
  const shown = await recoveredAfter(reads, setting_seconds, now);
  if (shown !== null && shown.seconds < setting_seconds) {
    const { seconds, at, runner_id, invocation_id } = shown;
    const recovery = { runner_id, invocation_id, at: isoFromEpoch(at) };
    return {
      dead_before: now - seconds,
      silence: { allowed_seconds: seconds, told_by: "recovery", setting_seconds, recovery },
    };
  }
  const { origin } = app.settings.get("runner_considered_dead_after_minutes") ?? {};
  return {
    dead_before: now - setting_seconds,
    silence: {
      allowed_seconds: setting_seconds,
      told_by: origin === DEFAULT_ORIGIN ? "default" : "setting",
      setting_seconds,
      recovery: null,
    },
  };
}

/** `10 min (runner_considered_dead_after_minutes)`: the duration and its source. */
export function silenceWords({ allowed_seconds: seconds, told_by }: AllowedSilence): string {
  if (told_by === "recovery") return `${lasting(seconds)} (after which this app's recovery has taken over)`;
  return limitWords(seconds, told_by === "setting" ? "runner_considered_dead_after_minutes" : null);
}

/** A duration and where it comes from. @param setting null if no value of the app was found. */
export function limitWords(seconds: number, setting: string | null): string {
  return `${lasting(seconds)} (${setting ?? "pynenc's default limit"})`;
}

interface Silence {
  seconds: number;
  at: EpochSeconds;
  runner_id: string;
  invocation_id: string;
}

/** The newest runs of a recovery task; always the same question, so that its answer is kept while the store is unchanged. */
export function recoveryRuns(
  reads: AppReads,
  status: keyof typeof RECOVERY_TASKS,
): ReturnType<AppReads["orchestrator"]["listInvocations"]> {
  return reads.orchestrator.listInvocations(
    { task_id_key: RECOVERY_TASKS[status] },
    { limit: RECOVERIES_READ, offset: 0 },
  );
}

/**
 * The shortest silence after which a recovery took an invocation from a runner, among runners that sent a heartbeat after `since` and none after the
 * recovery. Null if there was no such recovery. Only reads counts while all runners have sent heartbeats since the latest recovery.
 */
async function shortestSilence(reads: AppReads, since: EpochSeconds, now: EpochSeconds): Promise<Silence | null> {
  // The task for pending invocations only considers their age.
  const runs = await recoveryRuns(reads, "running");
  const recent = runs.filter((run) => run.status_timestamp > since && run.status_timestamp <= now);
  if (recent.length === 0) return null;
  const latest = recent.reduce((most, run) => Math.max(most, run.status_timestamp), since);
  const [young, newer] = await Promise.all([
    reads.orchestrator.countHeartbeats(since),
    reads.orchestrator.countHeartbeats(latest),
  ]);
  if (young === newer) return null;
  const taken = await takenIn(reads, await spansOf(reads, recent));
  const heartbeats = await reads.orchestrator.heartbeatsByIds([...new Set(taken.map(runnerIdOf))]);
  const lastHeard = new Map(heartbeats.map((one) => [one.runner_id, one.last_heartbeat]));
  return taken.reduce<Silence | null>((shortest, one) => {
    const heard = lastHeard.get(one.runner_id);
    // A runner with a later heartbeat was silent for an unknown time and is alive after all.
    if (heard === undefined || heard < since || heard >= one.at || one.at > now) return shortest;
    const seconds = one.at - heard;
    return shortest === null || seconds < shortest.seconds ? { ...one, seconds } : shortest;
  }, null);
}

interface Span {
  from: EpochSeconds;
  to: EpochSeconds;
}

/** When these runs of the recovery task did their work. */
async function spansOf(reads: AppReads, runs: readonly StatusRow[]): Promise<Span[]> {
  const entries = await reads.state_backend.historyOf(runs.map(invocationIdOf), RECOVERIES_READ * 10);
  const started = new Map(
    entries.flatMap((one) => (one.status === "running" ? [[one.invocation_id, one.timestamp] as const] : [])),
  );
  return runs.flatMap((run) => {
    const from = started.get(run.invocation_id);
    return from === undefined ? [] : [{ from, to: Math.max(from, run.status_timestamp) }];
  });
}

/** Invocations taken from a runner in one of these spans, with the runner that owned them before. */
async function takenIn(reads: AppReads, spans: readonly Span[]): Promise<Omit<Silence, "seconds">[]> {
  const entries = await reads.state_backend.historyWithin(spans, ENTRIES_READ);
  const found = spans.map(async ({ from }, at) => {
    const taken = (entries[at] ?? []).filter((entry) => entry.status === "running_recovery");
    if (taken.length === 0) return [];
    const before = await reads.state_backend.lastEntriesBefore(taken.map(invocationIdOf), from);
    const ownerOf = new Map(before.map((entry) => [entry.invocation_id, entry.status_runner_id]));
    return taken.flatMap(({ invocation_id, timestamp }) => {
      const runner_id = ownerOf.get(invocation_id) ?? null;
      return runner_id === null ? [] : [{ invocation_id, runner_id, at: timestamp }];
    });
  });
  return (await Promise.all(found)).flat();
}
