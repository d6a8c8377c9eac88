/**
 * Which runners take turns in the atomic service, their slots according to the settings, and whether the recorded runs match. Used by the page about the
 * service and by verdicts.
 */
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { type SlotPlan, type SlotRules, slotPlan } from "../../pynenc/atomic-slots.ts";
import type { ExecutionRecord, HeartbeatRecord } from "../../pynenc/records.ts";
import { type SlotEvidence, slotEvidence } from "../../pynenc/slot-evidence.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { STUCK_SERVICE_SECONDS } from "./execution-rows.ts";
import { livenessOf } from "./runner-liveness.ts";

export interface ServiceTurns {
  /** The store records runs (since 0.2.4). */
  recorded: boolean;
  rules: SlotRules;
  check_interval_seconds: number;
  /** Cycle and margin are the defaults because no other values were found. The app may still have others. */
  assumed: boolean;
  /** Number of runners with a recent heartbeat, whether or not they take turns. */
  active: number;
  /** Active runners that take turns. */
  members: HeartbeatRecord[];
  /** There are more active runners than were read. */
  incomplete: boolean;
  plan: SlotPlan;
}

/** Limit of active runners read: many more than could ever take turns. */
const RUNNERS_READ = 5000;

/** Newest silent runners searched for the last one that took turns. */
const DEAD_READ = 200;

/** Newest runs compared with the slots: all that pynenc keeps by default. */
const RUNS_READ = 1000;

export async function serviceTurns(app: OpenedApp, reads: AppReads): Promise<ServiceTurns> {
  const now = app.now();
  const { dead_before } = await livenessOf(app, reads);
  const [{ executions: recorded }, heartbeats, active] = await Promise.all([
    reads.layout.capabilities(),
    reads.orchestrator.heartbeats({ limit: RUNNERS_READ, offset: 0 }, dead_before),
    reads.orchestrator.countHeartbeats(dead_before),
  ]);
  const rules = slotRules(app, recorded);
  const members = heartbeats.filter((one) => one.allow_to_run_atomic_service);
  return {
    recorded,
    rules,
    check_interval_seconds: numberSetting(app, "atomic_service_check_interval_minutes") * 60,
    assumed: ["atomic_service_interval_minutes", "atomic_service_spread_margin_minutes"].every(
      (field) => app.settings.get(field)?.origin === DEFAULT_ORIGIN,
    ),
    active,
    members,
    incomplete: active > heartbeats.length,
    plan: slotPlan(now, rules, members),
  };
}

export interface TurnsEvidence extends SlotEvidence {
  /** Since when the members have been exactly the current ones; null without members. */
  since: EpochSeconds | null;
  /** Newest first; empty if runs are not recorded. */
  newest: ExecutionRecord[];
}

/** Compares the newest recorded runs with the slots. Before 0.2.4, only the last run of each runner is known, from its heartbeat. */
export async function turnsEvidence(app: OpenedApp, reads: AppReads, turns: ServiceTurns): Promise<TurnsEvidence> {
  const [newest, since] = await Promise.all([
    reads.orchestrator.executions({ limit: RUNS_READ, offset: 0 }),
    sameMembersSince(app, reads, turns),
  ]);
  const starts = turns.recorded
    ? newest
    : turns.members.flatMap(({ runner_id, last_service_start: start_time }) =>
        start_time === null ? [] : [{ runner_id, start_time }],
      );
  return { ...slotEvidence(starts, turns.members, turns, since ?? Number.POSITIVE_INFINITY), since, newest };
}

/** No runner has started a run of the service for too long. */
export interface Starved {
  /** Start of the last run, or the earliest time at which these members could have started one. */
  since: EpochSeconds;
  /** Seconds since a run should have started. */
  late_seconds: number;
  last_run: ExecutionRecord | null;
  /** Longest time between consecutive recorded runs of exactly these members; null if the settings decide what is too long. */
  longest_gap_seconds: number | null;
}

/** Minimum number of gaps between recorded runs from which a rhythm is inferred. */
const GAPS = 5;

/** Too long is this many times the longest gap between runs, or this many cycles, but at least as long as a run may take. */
const TOO_LONG_FACTOR = 3;

/**
 * Whether the service has stopped, judged by the recorded runs of exactly these members, otherwise by settings that were found. Null if it has not, or
 * if neither is available.
 */
export async function serviceStarved(app: OpenedApp, reads: AppReads, turns: ServiceTurns): Promise<Starved | null> {
  if (turns.members.length === 0) return null;
  const now = app.now();
  const [newest] = await reads.orchestrator.executions({ limit: 1, offset: 0 });
  if (newest !== undefined && newest.status !== "blocked" && now - newest.start_time <= STUCK_SERVICE_SECONDS)
    return null;
  return starved(turns, await turnsEvidence(app, reads, turns), now);
}

function starved(
  turns: ServiceTurns,
  { newest, since, contradicted }: TurnsEvidence,
  now: EpochSeconds,
): Starved | null {
  // Blocked runs did not run.
  const runs = newest.filter(({ status }) => status !== "blocked").sort((a, b) => a.start_time - b.start_time);
  if (since === null) return null;
  const [last_run = null, latest] = [runs.at(-1), lastStart(turns, runs)];
  const own = runs.filter(({ start_time }) => start_time >= since);
  const gaps = own.slice(1).map(({ start_time }, n) => start_time - (own[n]?.start_time ?? start_time));
  const longest_gap_seconds = gaps.length < GAPS ? null : Math.max(...gaps);
  if (longest_gap_seconds === null && (turns.assumed || contradicted)) return null;
  const { interval_seconds, stabilization_seconds } = turns.rules;
  const allowed = Math.max(TOO_LONG_FACTOR * (longest_gap_seconds ?? interval_seconds), STUCK_SERVICE_SECONDS);
  const from = Math.max(latest, since + stabilization_seconds);
  const late_seconds = now - from - allowed;
  return late_seconds <= 0 ? null : { since: from, late_seconds, last_run, longest_gap_seconds };
}

/** Start of the last run; minus infinity if none is known. Before 0.2.4, only heartbeats contain it. */
function lastStart({ recorded, members }: ServiceTurns, runs: readonly ExecutionRecord[]): EpochSeconds {
  const starts = recorded ? [] : members.flatMap(({ last_service_start }) => last_service_start ?? []);
  return Math.max(Number.NEGATIVE_INFINITY, runs.at(-1)?.start_time ?? Number.NEGATIVE_INFINITY, ...starts);
}

/** When the newest member joined, or when the last other runner that took turns left, whichever is later. */
async function sameMembersSince(app: OpenedApp, reads: AppReads, turns: ServiceTurns): Promise<EpochSeconds | null> {
  const { members, active } = turns;
  if (members.length === 0) return null;
  const { silence } = await livenessOf(app, reads);
  const dead = await reads.orchestrator.heartbeats({ limit: DEAD_READ, offset: active });
  const departed =
    dead.find((one) => one.allow_to_run_atomic_service) ?? (dead.length < DEAD_READ ? null : dead.at(-1));
  const joined = members.reduce((latest, one) => Math.max(latest, one.creation_timestamp), Number.NEGATIVE_INFINITY);
  // A silent runner keeps its slot until its heartbeat is too old.
  return departed == null ? joined : Math.max(joined, departed.last_heartbeat + silence.allowed_seconds);
}

/** @param recorded whether the layout records executions; older versions use the older rules. */
function slotRules(app: OpenedApp, recorded: boolean): SlotRules {
  return {
    interval_seconds: numberSetting(app, "atomic_service_interval_minutes") * 60,
    spread_seconds: numberSetting(app, "atomic_service_spread_margin_minutes") * 60,
    stabilization_seconds: numberSetting(app, "atomic_service_membership_stabilization_minutes") * 60,
    max_start_fraction: numberSetting(app, "atomic_service_max_start_slot_fraction"),
    version: recorded ? "0.2.4" : "0.2.3",
  };
}
