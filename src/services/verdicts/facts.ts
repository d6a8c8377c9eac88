/** The input of the detectors (read by read-facts.ts). */
import type { PendingTrigger } from "../../api/conditions.ts";
import type { SlotHold } from "../../api/model/slot-holds.ts";
import type { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import type { BlockingEdge, ExecutionRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { LayoutTrouble } from "../model/layout-trouble.ts";
import type { Queues, StrandedMessage } from "../model/queue-health.ts";
import type { Liveness } from "../model/runner-liveness.ts";
import type { ServiceTurns, Starved } from "../model/service-turns.ts";
import type { Taker } from "../model/takers.ts";
import type { Idle, OldestMessage } from "../model/waiting-place.ts";
import type { Examined } from "./finding.ts";
import type { TrendFacts } from "./trend-facts.ts";

export type RecoveredStatus = keyof typeof RECOVERY_TASKS;

export interface Waits {
  edges: readonly BlockingEdge[];
  /** Statuses of both sides, where the orchestrator has them. */
  statuses: ReadonlyMap<string, InvocationStatusRecord>;
  /** False if there are more waits than were read. */
  complete: boolean;
}

/** Facts for verdicts that may name an invocation that has ended. */
export interface EndedFacts {
  now: EpochSeconds;
  handovers: readonly Handover[];
  /** Hosts with heartbeats or entries in the future. */
  ahead: readonly AheadHost[];
  set_back: readonly SetBack[];
  /** Longest first. */
  held: Examined<HeldBack>;
  expiring: Examined<Expiring>;
  /** Null if figures over time were not requested or are switched off. */
  trends: TrendFacts | null;
  /** Failures from the examples in `trends` that had been retried: how often. */
  retried: ReadonlyMap<string, number>;
}

/** Facts for verdicts that may name an invocation, or say why it waits. */
export interface InvocationFacts extends EndedFacts {
  liveness: Liveness;
  max_pending_seconds: number;
  /** Pending longer than that. Each of these lists has at most `NAMED` rows. */
  pending: readonly InvocationStatusRecord[];
  /** Running, and paused, on runners that count as silent. */
  orphans: readonly InvocationStatusRecord[];
  abandoned: readonly InvocationStatusRecord[];
  /** Last heartbeats of the owners of those two lists, if they have one. */
  owners_heard: ReadonlyMap<string, EpochSeconds>;
  /** Runners with a recent heartbeat. */
  active: number;
  /** Runners that only seem silent, because their clock is behind. */
  alive_by_lag: number;
  /** The latest heartbeat of any runner. */
  last_heard: EpochSeconds | null;
  queues: Queues;
  /** Idle runners; only read if a message has waited for long, and null if that is not known. */
  idle: Idle | null;
  /** The message that has waited for longest; read as `idle` is, and null if it is not known. */
  oldest: OldestMessage | null;
  /** Waiting for a runner, but not in the queue. */
  unqueued: readonly InvocationStatusRecord[];
  /** Not final, and neither a message nor anything else makes a runner take them. */
  left: readonly LeftBehind[];
  /** Messages, of those examined, that would make the runner that takes them exit. */
  stranded: Examined<StrandedMessage>;
  turns: ServiceTurns;
  /** Recovery tasks without a trigger; empty if the triggers are not in this store. Only read if something waits for recovery, or for all facts. */
  unregistered: readonly RecoveredStatus[];
  /** The latest run of each recovery task that something waits for: its status, and since when. Absent where none is stored. */
  recovered: Readonly<Partial<Record<RecoveredStatus, { status: string; at: EpochSeconds }>>>;
  waits: Waits;
  pool: PoolFacts | null;
  /** By how many seconds the clock of a runner that takes turns is known to be behind. */
  service_lag: number;
  /** Running invocations, newest registrations first; only read to compare them with `trends`. */
  running: Examined<InvocationStatusRecord>;
}

/** All facts. */
export interface AppFacts extends InvocationFacts {
  /** Runs of the atomic service that block all later ones. */
  stuck_runs: readonly ExecutionRecord[];
  /** Set only if no run has started for too long. */
  starved: Starved | null;
  /** Set only if the settings leave no valid slot: whether recorded runs contradict that, and since when the set of runners is unchanged. */
  no_slot: { contradicted: boolean; since: EpochSeconds | null } | null;
  /** Registered triggers; only counted if recovery tasks are without. */
  triggers: number | null;
  layout: LayoutTrouble;
  /** The app may keep its triggers elsewhere: the setting was not found, and this store is a server. */
  triggers_elsewhere: boolean;
  schedules: Examined<Schedule>;
  met: Examined<MetCondition>;
}

/** An invocation that was not put back into the queue. */
export interface LeftBehind {
  invocation_id: string;
  /** Its status, which is one that pynenc leaves in the same step; or what is missing of it. */
  why: string | "without_status" | "without_definition";
  /** When it entered its last status. */
  since: EpochSeconds;
}

export interface PoolFacts {
  now: EpochSeconds;
  /** Taken by an active runner and not finished. */
  held: readonly Pick<InvocationStatusRecord, "invocation_id" | "status" | "status_runner_id" | "status_timestamp">[];
  edges: readonly BlockingEdge[];
  /** In the queue, waiting for a worker: when each was queued. */
  queued: ReadonlyMap<string, EpochSeconds>;
  /** False if the messages of the queue were not examined, so only the status says that these are queued. */
  listed: boolean;
  takers: readonly Omit<Taker, "queues">[];
  /** When another invocation last changed to a status other than `registered`, if that was after the held ones stopped changing; otherwise null. */
  worked_at: EpochSeconds | null;
  /** An active runner starts a process per invocation: how many more it would start is not stored. */
  spawns: boolean;
}

/** A schedule that a trigger uses and that has been met before. */
export interface Schedule {
  condition_id: string;
  cron_expression: string;
  /** Tasks it starts. */
  task_id_keys: readonly string[];
  last: EpochSeconds;
  /** The first instant after that at which it may be met again. */
  due: EpochSeconds;
}

/** A condition that was met, with the triggers that are ready to run for it. */
export interface MetCondition {
  valid_condition_id: string;
  met_at: EpochSeconds;
  ready: readonly PendingTrigger[];
}

/** An invocation registered on one host and taken on another. */
export interface Handover {
  invocation_id: string;
  from_host: string;
  to_host: string;
  registered_at: EpochSeconds;
  taken_at: EpochSeconds;
}

/** A host whose heartbeats or entries of the history are stamped in the future, seen from the monitor. */
export interface AheadHost {
  /** Null if it is not stored. */
  host: string | null;
  /** By how much at least. */
  seconds: number;
  /** Runners with such a heartbeat, and invocations with such entries. */
  runner_ids: Set<string>;
  invocation_ids: Set<string>;
}

/** A runner made two entries in succession, and the second one has an earlier time than the first. */
export interface SetBack {
  invocation_id: string;
  runner_id: string;
  /** Null if it is not stored. */
  host: string | null;
  /** By how much at least the clock was set back in between. */
  seconds: number;
  /** Time of the later entry. */
  at: EpochSeconds;
}

/** An invocation that concurrency control held back several times in the last minutes. */
export interface HeldBack {
  invocation_id: string;
  task_id_key: string;
  /** When it was first held back. As far as entries were read, it has not been taken since. */
  since: EpochSeconds;
  /** What holds its slot; only read for the first few, otherwise null. */
  slot: SlotHold | null;
}

/** A final invocation that auto-purge is about to remove although its parent still waits. */
export interface Expiring {
  invocation_id: string;
  parent_id: string;
  due: EpochSeconds;
}
