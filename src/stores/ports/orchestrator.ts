import type { BlockingEdge, ExecutionRecord, HeartbeatRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Cursor, Slice } from "./common.ts";

/** Restrictions that the orchestrator can answer alone. Absent members do not restrict; members combine with "and". */
export interface StatusFilter {
  /** Any of these, as stored (lower case). An empty list matches nothing. */
  statuses?: readonly string[] | undefined;
  task_id_key?: string | undefined;
  call_id_key?: string | undefined;
  /** Prefix of an invocation id. */
  id_prefix?: string | undefined;
}

export interface StatusRow extends InvocationStatusRecord {
  cursor: Cursor;
}

/** One step of a walk over registrations, newest first. */
export interface StatusScan {
  rows: StatusRow[];
  /** Number of registrations examined. */
  scanned: number;
  /** The last of them, if the step reached its limit before it found enough rows; otherwise null. */
  stopped: { invocation_id: string; cursor: Cursor } | null;
}

/** Restrictions on a list of atomic-service executions; absent members do not restrict. */
export interface ExecutionFilter {
  /** It ran at some time within [from, to]. A running execution has no end. */
  from?: EpochSeconds;
  to?: EpochSeconds;
  ids?: readonly string[];
  runner_id?: string;
  status?: string;
  /** Prefix of a service run id. */
  id_prefix?: string;
  min_seconds?: number;
}

/** Newest registrations that are looked through for a list or a number that no index serves. */
export const LOOKED_THROUGH = 100_000;

export interface OrchestratorReads {
  /** Only statuses that occur, as stored. */
  countByStatus(): Promise<Record<string, number>>;
  /** One entry for each pair that occurs. */
  countByTaskAndStatus(): Promise<{ task_id_key: string; status: string; count: number }[]>;
  /** Tasks of invocations that have a status, in alphabetical order. */
  taskKeys(): Promise<string[]>;
  /** Latest status change of each task, among its newest invocations. */
  lastActivityOfTasks(taskIdKeys: readonly string[]): Promise<Record<string, EpochSeconds>>;
  /** In no particular order; unknown ids are omitted. */
  statusesByIds(invocationIds: readonly string[]): Promise<InvocationStatusRecord[]>;
  /**
   * Newest registration first. `after` continues after a row of an earlier result for the same filter. Without an index (`isIndexed`), the beginning of
   * the list has what is among the newest `LOOKED_THROUGH` registrations.
   */
  listInvocations(filter: StatusFilter, slice: Slice, after?: Cursor): Promise<StatusRow[]>;
  /** Whether an index serves the filter, so that any page of matches can be listed, and all of them counted, at once. */
  isIndexed(filter: StatusFilter): Promise<boolean>;
  /**
   * The first `limit` rows of `listInvocations`. Without an index, examines at most `scanLimit` registrations; call again with the cursor of
   * `stopped` to continue.
   */
  scanInvocations(filter: StatusFilter, limit: number, scanLimit: number, after?: Cursor): Promise<StatusScan>;
  /** Matching rows, counted up to `cap`; without an index, those among the newest `LOOKED_THROUGH` registrations. */
  countInvocations(filter: StatusFilter, cap: number): Promise<number>;
  /** Latest heartbeat first; with `activeSince`, only heartbeats since then. */
  heartbeats(slice: Slice, activeSince?: EpochSeconds): Promise<HeartbeatRecord[]>;
  countHeartbeats(activeSince?: EpochSeconds): Promise<number>;
  /** Runners with a heartbeat since then, grouped by the queues they consume, as in HeartbeatRecord; null if the layout has no heartbeats. */
  consumers(activeSince: EpochSeconds): Promise<{ queues: readonly string[] | null; runners: number }[] | null>;
  heartbeatsByIds(runnerIds: readonly string[]): Promise<HeartbeatRecord[]>;
  /** Which invocation waits for which, latest wait first. With an invocation, the edges that have it on either side, in no particular order. */
  blockingEdges(slice: Slice, invocationId?: string): Promise<BlockingEdge[]>;
  countBlockingEdges(): Promise<number>;
  /** Pending since before `before`: due for recovery (storage-format.md 8). Oldest first. */
  pendingSince(before: EpochSeconds, limit: number): Promise<InvocationStatusRecord[]>;
  /**
   * In these statuses, with an owner whose heartbeat is missing or older than `deadBefore`. Running ones are due for recovery; nothing recovers paused
   * ones (storage-format.md 8). At most `each` of a status, longest in it first.
   */
  ownedByDeadRunner(
    statuses: readonly ("running" | "paused")[],
    deadBefore: EpochSeconds,
    each: number,
  ): Promise<InvocationStatusRecord[]>;
  /** Newest first. */
  executions(slice: Slice, filter?: ExecutionFilter): Promise<ExecutionRecord[]>;
  /** Matching executions by status, counted up to `cap` in total when it is given; empty before 0.2.4. */
  countExecutions(filter?: ExecutionFilter, cap?: number): Promise<Record<string, number>>;
}

// Parts of the port; each store implements them in separate files.

export type InvocationListReads = Pick<
  OrchestratorReads,
  "listInvocations" | "isIndexed" | "scanInvocations" | "countInvocations"
>;
export type HeartbeatReads = Pick<
  OrchestratorReads,
  "heartbeats" | "countHeartbeats" | "consumers" | "heartbeatsByIds"
>;
export type StatusCountReads = Pick<
  OrchestratorReads,
  "countByStatus" | "countByTaskAndStatus" | "taskKeys" | "lastActivityOfTasks"
>;
export type ExecutionReads = Pick<OrchestratorReads, "executions" | "countExecutions">;
