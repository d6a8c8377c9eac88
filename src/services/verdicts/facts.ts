/** The input of the detectors (read by read-facts.ts). */
import type { PendingTrigger } from "../../api/conditions.ts";
import type { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import type { BlockingEdge, ExecutionRecord, InvocationStatusRecord, QueueMessage } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { LayoutTrouble } from "../model/layout-trouble.ts";
import type { Queues } from "../model/queue-health.ts";
import type { Liveness } from "../model/runner-liveness.ts";
import type { ServiceTurns, Starved } from "../model/service-turns.ts";
import type { TrendFacts } from "./trend-facts.ts";

export type RecoveredStatus = keyof typeof RECOVERY_TASKS;

export interface Waits {
  edges: readonly BlockingEdge[];
  /** Statuses of both sides, where the orchestrator has them. */
  statuses: ReadonlyMap<string, InvocationStatusRecord>;
  /** False if there are more waits than were read. */
  complete: boolean;
}

export interface AppFacts {
  now: EpochSeconds;
  liveness: Liveness;
  max_pending_seconds: number;
  /** Pending longer than that. Each of these lists has at most `NAMED` rows. */
  pending: readonly InvocationStatusRecord[];
  /** Running, and paused, on runners that count as dead. */
  orphans: readonly InvocationStatusRecord[];
  abandoned: readonly InvocationStatusRecord[];
  /** Last heartbeats of the owners of those two lists, if they have one. */
  owners_heard: ReadonlyMap<string, EpochSeconds>;
  /** Runners with a recent heartbeat. */
  active: number;
  /** The latest heartbeat of any runner. */
  last_heard: EpochSeconds | null;
  queues: Queues;
  /** Waiting for a runner, but not in the queue. */
  unqueued: readonly InvocationStatusRecord[];
  /** Messages, of those examined, that would make the runner that takes them exit. */
  stranded: readonly QueueMessage[];
  turns: ServiceTurns;
  /** Runs of the atomic service that block all later ones. */
  stuck_runs: readonly ExecutionRecord[];
  /** Set only if no run has started for too long. */
  starved: Starved | null;
  /** Set only if the settings leave no valid slot: whether recorded runs contradict that, and since when the set of runners is unchanged. */
  no_slot: { contradicted: boolean; since: EpochSeconds | null } | null;
  /** Recovery tasks without a trigger; empty if the triggers are not in this store. */
  unregistered: readonly RecoveredStatus[];
  triggers: number;
  layout: LayoutTrouble;
  /** The app may keep its triggers elsewhere: the setting was not found, and this store is a server. */
  triggers_elsewhere: boolean;
  waits: Waits;
  pool: PoolFacts | null;
  schedules: readonly Schedule[];
  met: readonly MetCondition[];
  handovers: readonly Handover[];
  held: readonly HeldBack[];
  expiring: readonly Expiring[];
  /** Null if figures over time were not requested or are switched off. */
  trends: TrendFacts | null;
  /** Running invocations, newest registrations first; only read to compare them with `trends` or with invocations held back. */
  running: readonly InvocationStatusRecord[];
  /** Failures from the examples in `trends` that had been retried: how often. */
  retried: ReadonlyMap<string, number>;
}

/** An active runner that takes messages itself rather than through child processes. */
export interface Taker {
  runner_id: string;
  /** Known to take one invocation at a time. A runner with threads takes several. */
  single: boolean;
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
  takers: readonly Taker[];
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

/** An invocation that concurrency control held back several times in the last minutes. */
export interface HeldBack {
  invocation_id: string;
  task_id_key: string;
  /** A time at which it was held back or put back. As far as entries were read, it has not been taken since. */
  since: EpochSeconds;
  /** Within the entries read. */
  times: number;
}

/** A final invocation that auto-purge is about to remove although its parent still waits. */
export interface Expiring {
  invocation_id: string;
  parent_id: string;
  due: EpochSeconds;
}
