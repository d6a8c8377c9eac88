/**
 * Which runners take turns in the atomic service, their slots by the settings, and whether the recorded runs fit. Both the page about the service
 * and the list of problems use this.
 */
import { DEFAULT_ORIGIN } from "../../config/pynenc-sources.ts";
import { type SlotPlan, type SlotRules, slotPlan } from "../../pynenc/atomic-slots.ts";
import type { ExecutionRecord, HeartbeatRecord } from "../../pynenc/records.ts";
import { type SlotEvidence, slotEvidence } from "../../pynenc/slot-evidence.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { STUCK_SERVICE_SECONDS } from "./execution-rows.ts";
import { livenessOf } from "./runner-liveness.ts";

export interface ServiceTurns {
  /** Runs are recorded: since 0.2.4. */
  recorded: boolean;
  rules: SlotRules;
  check_interval_seconds: number;
  /** Cycle and margin are the defaults: no other value was found, which does not mean that the app has none. */
  assumed: boolean;
  /** Runners with a heartbeat that is young enough, whether they take turns or not. */
  active: number;
  /** Those of them that take turns. */
  members: HeartbeatRecord[];
  /** More runners are active than were read. */
  incomplete: boolean;
  plan: SlotPlan;
}

/** Active runners read: many more than could ever take turns. */
const RUNNERS_READ = 5000;

/** Newest dead runners searched for the last one that took turns. */
const DEAD_READ = 200;

/** Newest runs that are compared with the slots: all that pynenc keeps by default. */
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
  /** Exactly the members have taken turns since this instant; null without members. */
  since: EpochSeconds | null;
  /** Newest first; empty where runs are not recorded. */
  newest: ExecutionRecord[];
}

/** What the newest recorded runs say about the slots; before 0.2.4 only the last run of each runner is known, from its heartbeat. */
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

/** Nobody has begun a run of the service for longer than it may take. */
export interface Starved {
  /** Of the last run, or when exactly these members could begin one. */
  since: EpochSeconds;
  last_run: ExecutionRecord | null;
  /** The longest time from one to the next of the newest recorded runs of exactly these members; null where it follows from the settings what is too long. */
  longest_gap_seconds: number | null;
}

/** Times between recorded runs that tell a rhythm. */
const GAPS = 5;

/** This many times the longest gap between runs, or this many cycles, is too long; and never less than a run may take. */
const TIMES_AS_LONG = 3;

/**
 * Whether the service has stopped: judged by the recorded runs of exactly these members, otherwise by settings that were found. Null where neither
 * says anything.
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
  // Blocked ones did not run.
  const runs = newest.filter(({ status }) => status !== "blocked").sort((a, b) => a.start_time - b.start_time);
  if (since === null) return null;
  const [last_run = null, latest] = [runs.at(-1), lastStart(turns, runs)];
  const own = runs.filter(({ start_time }) => start_time >= since);
  const gaps = own.slice(1).map(({ start_time }, n) => start_time - (own[n]?.start_time ?? start_time));
  const longest_gap_seconds = gaps.length < GAPS ? null : Math.max(...gaps);
  if (longest_gap_seconds === null && (turns.assumed || contradicted)) return null;
  const { interval_seconds, stabilization_seconds } = turns.rules;
  const allowed = Math.max(TIMES_AS_LONG * (longest_gap_seconds ?? interval_seconds), STUCK_SERVICE_SECONDS);
  const from = Math.max(latest, since + stabilization_seconds);
  return now - from <= allowed ? null : { since: from, last_run, longest_gap_seconds };
}

/** Before 0.2.4 only heartbeats tell it. */
function lastStart({ recorded, members }: ServiceTurns, runs: readonly ExecutionRecord[]): EpochSeconds {
  const starts = recorded ? [] : members.flatMap(({ last_service_start }) => last_service_start ?? []);
  return Math.max(Number.NEGATIVE_INFINITY, runs.at(-1)?.start_time ?? Number.NEGATIVE_INFINITY, ...starts);
}

/** When the last of the members came, or the last runner that took turns besides them left. */
async function sameMembersSince(app: OpenedApp, reads: AppReads, turns: ServiceTurns): Promise<EpochSeconds | null> {
  const { members, active } = turns;
  if (members.length === 0) return null;
  const { silence } = await livenessOf(app, reads);
  const dead = await reads.orchestrator.heartbeats({ limit: DEAD_READ, offset: active });
  const departed =
    dead.find((one) => one.allow_to_run_atomic_service) ?? (dead.length < DEAD_READ ? null : dead.at(-1));
  const joined = members.reduce((latest, one) => Math.max(latest, one.creation_timestamp), Number.NEGATIVE_INFINITY);
  // A dead runner keeps its slot until its heartbeat is too old.
  return departed == null ? joined : Math.max(joined, departed.last_heartbeat + silence.seconds);
}

/** @param recorded whether the layout records executions: those before follow the older rules. */
function slotRules(app: OpenedApp, recorded: boolean): SlotRules {
  return {
    interval_seconds: numberSetting(app, "atomic_service_interval_minutes") * 60,
    spread_seconds: numberSetting(app, "atomic_service_spread_margin_minutes") * 60,
    stabilization_seconds: numberSetting(app, "atomic_service_membership_stabilization_minutes") * 60,
    max_start_fraction: numberSetting(app, "atomic_service_max_start_slot_fraction"),
    version: recorded ? "0.2.4" : "0.2.3",
  };
}
