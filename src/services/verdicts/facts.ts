/** What the detectors judge by (read-facts.ts reads it). */
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
  /** Those of both sides that the orchestrator has. */
  statuses: ReadonlyMap<string, InvocationStatusRecord>;
  /** False where more are recorded. */
  complete: boolean;
}

export interface AppFacts {
  now: EpochSeconds;
  liveness: Liveness;
  max_pending_seconds: number;
  /** Pending for longer than that. Of these lists `NAMED` at most. */
  pending: readonly InvocationStatusRecord[];
  /** Running and paused on runners that count as dead. */
  orphans: readonly InvocationStatusRecord[];
  abandoned: readonly InvocationStatusRecord[];
  /** Last heartbeats of the owners of these two, as far as they have one. */
  owners_heard: ReadonlyMap<string, EpochSeconds>;
  /** Runners with a recent heartbeat. */
  active: number;
  /** The latest heartbeat of any runner. */
  last_heard: EpochSeconds | null;
  queues: Queues;
  /** Waiting for a runner, and not in the queue. */
  unqueued: readonly InvocationStatusRecord[];
  /** Of the examined messages, those that would end the runner that takes them. */
  stranded: readonly QueueMessage[];
  turns: ServiceTurns;
  /** Runs of the atomic service that block every later one. */
  stuck_runs: readonly ExecutionRecord[];
  /** Null unless no run has begun for too long. */
  starved: Starved | null;
  /** Null unless no slot is valid by the settings: whether the recorded runs say otherwise, and since when there are exactly these runners. */
  no_slot: { contradicted: boolean; since: EpochSeconds | null } | null;
  /** Recovery tasks that no trigger starts; empty where the triggers are not in this store. */
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
  /** Null where the figures over time are not used, or are switched off. */
  trends: TrendFacts | null;
  /** Those that run now, the newest registrations; only where they are compared with `trends`, or with what is held back. */
  running: readonly InvocationStatusRecord[];
  /** Among the examples of failures in `trends`, those that were retried: how often, and when they failed. */
  retried: ReadonlyMap<string, { times: number; failed_at: EpochSeconds }>;
}

/** An active runner that takes messages itself rather than through its children. */
export interface Taker {
  runner_id: string;
  /** Whether it is known to take one invocation at a time. A runner with threads takes several. */
  single: boolean;
}

export interface PoolFacts {
  now: EpochSeconds;
  /** Taken by an active runner, and not finished. */
  held: readonly Pick<InvocationStatusRecord, "invocation_id" | "status" | "status_runner_id" | "status_timestamp">[];
  edges: readonly BlockingEdge[];
  /** In the queue, waiting for a worker: when each got there. */
  queued: ReadonlyMap<string, EpochSeconds>;
  /** False where the messages of the queue were not read, so that only the status says that these are queued. */
  listed: boolean;
  takers: readonly Taker[];
  /** When another invocation last changed to something else than `registered`, as far as that is later than what is held; else null. */
  worked_at: EpochSeconds | null;
  /** An active runner starts a process for each invocation: how many more it would start is not stored. */
  spawns: boolean;
}

/** A schedule that some trigger has, and that has come true before. */
export interface Schedule {
  condition_id: string;
  cron_expression: string;
  /** Tasks that it starts. */
  task_id_keys: readonly string[];
  last: EpochSeconds;
}

/** A condition that was met, and the triggers that lack nothing to run for it. */
export interface MetCondition {
  valid_condition_id: string;
  met_at: EpochSeconds;
  ready: readonly PendingTrigger[];
}

/** An invocation that one host registered and another one took. */
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
  /** When it was held back or put back; in the examined entries it has not been taken since. */
  since: EpochSeconds;
  /** In the examined entries. */
  times: number;
}

/** A final invocation that is due for the auto-purge while its parent still waits. */
export interface Expiring {
  invocation_id: string;
  parent_id: string;
  due: EpochSeconds;
}
