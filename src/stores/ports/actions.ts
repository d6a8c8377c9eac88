import type { RunnerContextRecord } from "../../pynenc/records.ts";
import type { KnownControl } from "../../pynenc/rerun.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { ComponentName } from "./common.ts";

/** Rows of one table, or keys of one family. */
export interface RowCount {
  component: ComponentName;
  name: string;
  rows: number;
  /** As in StorageFigure; what an action reports is always exact. */
  exact: boolean;
}

/** Which finished invocations and executions are old enough to remove (storage-format.md 6.4, 7.3). */
export interface OrchestratorRetention {
  /** Invocations that became final at or before this instant. */
  final_until: EpochSeconds;
  /** Executions that ended before this instant; null keeps them regardless of age. */
  executions_before: EpochSeconds | null;
  /** Most executions to keep; 0 means no limit. */
  max_executions: number;
  /** Also remove invocations whose parent is not known to be final. A parent that asks for their result afterwards fails. */
  with_open_parents: boolean;
}

export interface OrchestratorPurge {
  invocations: number;
  /** Rows removed from their argument index. */
  invocation_args: number;
  /** Blocking edges that wait for them. */
  blocking_edges: number;
  /** Due, but kept because the queue has a message for them: a runner that takes a message without a status stops working. */
  invocations_kept: number;
  /**
   * Due, but their parent is not known to be final (`knownStatus`) and may still ask for their result, which pynenc cannot return without their
   * status. They are kept unless `with_open_parents` is set; then they are counted in `invocations`.
   */
  invocations_of_open_parents: number;
  /** Entries of the time index, equally old, whose invocation was removed earlier. Everything else that names the invocation is removed with them. */
  leaked_index_entries: number;
  executions_by_age: number;
  executions_by_capacity: number;
  /** Due, but a trigger run still refers to them. */
  executions_kept: number;
  /** False in a preview estimated from a sample; what an action reports is always exact. */
  exact: boolean;
}

/** Which events and trigger runs are too old or too many (storage-format.md 5.7). */
export interface EventRetention {
  before: EpochSeconds;
  /** 0 means no limit. */
  max_events: number;
  /** 0 means no limit. */
  max_trigger_runs: number;
}

/** Each event and each run is counted under the first rule that matched it. */
export interface EventPurge {
  events_by_age: number;
  events_by_capacity: number;
  trigger_runs_by_age: number;
  /** Removed because an event that took part in them is removed. */
  trigger_runs_of_events: number;
  trigger_runs_by_capacity: number;
  /** Rows of the index tables. */
  event_conditions: number;
  event_triggered_invocations: number;
  trigger_run_conditions: number;
}

/** Why a call cannot be registered again. */
export type RerunRefusal =
  /** No definition is stored. */
  | { kind: "unknown" }
  /** The stored arguments cannot be read as a map. */
  | { kind: "unreadable" }
  /** Externalised arguments whose values are missing. */
  | { kind: "dangling"; references: readonly string[] }
  /** The same call is already waiting, and the task has or may have concurrency control at registration. Can be overridden. */
  | { kind: "duplicate"; invocation_id: string };

export interface Rerun {
  /** The invocation whose call is registered again. */
  invocation_id: string;
  task_id_key: string | null;
  /** Null when refused, and in a preview. */
  new_invocation_id: string | null;
  refusal: RerunRefusal | null;
  /** The new invocation starts a new workflow run. */
  own_workflow: boolean;
  /** Number of arguments to write into the index for concurrency control: all of them, because the task may use it. */
  indexed_arguments: number;
  /** Also `unknown` for an invocation without a definition. */
  control: KnownControl;
  /**
   * The newest invocation of the task with status registered, whatever its arguments. Null if there is none or the task has no concurrency control at
   * registration. Invocations of the list itself do not count.
   */
  waiting_of_task: string | null;
  /** Where its message goes; null when refused, or if the layout has a single unnamed queue. */
  route: MessageRoute | null;
}

/** Destination of a message, in layouts with named queues. */
export interface MessageRoute {
  queue_name: string;
  /** Higher is taken first. */
  priority: number;
}

/** Where new messages go. Has no effect in layouts with a single unnamed queue. */
export interface Routing {
  /** By task key. */
  tasks: Readonly<Record<string, MessageRoute>>;
  /** For all other tasks. */
  fallback: MessageRoute;
}

/** pynenc's default. */
export const DEFAULT_ROUTING: Routing = { tasks: {}, fallback: { queue_name: "default", priority: 0 } };

/** Who registers the calls. They are registered at the time of the transaction. */
export interface RerunRequest {
  caller: RunnerContextRecord;
  /** Register even if the same call is already waiting. */
  force: boolean;
  /** When the calls are registered; the time of the write by default. */
  at?: EpochSeconds | null;
  /** False if the queue is in another store: the caller adds the messages there after the commit. Default true. */
  enqueue?: boolean;
  /** Default: DEFAULT_ROUTING. */
  routing?: Routing;
  /** Tasks configured to start workflows, in addition to those whose rows show it. */
  workflow_tasks?: readonly string[];
}

/** Why no message is put into the queue for an invocation. */
export type RequeueRefusal =
  /** Neither a status nor a definition is stored. */
  | { kind: "unknown" }
  /** The status or the definition is missing. A runner that takes a message for such an invocation may stop working. */
  | { kind: "without_records"; missing: "status" | "definition" }
  /** Invocations in this status do not wait for a message. */
  | { kind: "not_waiting"; status: string }
  /** Its status has just changed: the message may be on its way. */
  | { kind: "unsettled"; since: EpochSeconds }
  /** The queue already has a message for it. */
  | { kind: "queued" }
  /** The queue can only be counted, and nothing proves that it has no message for the invocation. Can be overridden. */
  | { kind: "unlisted"; messages: number; runners: number }
  /** The queue is in another store, which did not accept the message. */
  | { kind: "undelivered"; reason: string };

export interface Requeue {
  invocation_id: string;
  /** Null when its message was put into the queue or, in a preview, would be. */
  refusal: RequeueRefusal | null;
  /** As in `Rerun`. */
  route: MessageRoute | null;
}

/** When an invocation may get a message again. */
export interface RequeueRequest {
  /** Its status has not changed since this instant. */
  settled_until: EpochSeconds;
  /** If the queue can only be counted: runners with a heartbeat since this instant may hold a message they have just taken. */
  active_since: EpochSeconds;
  /** If the queue can only be counted: requeue even if it may already have a message for the invocation. */
  force: boolean;
  /** When the messages are added, where queues record it; the time of the write by default. */
  at?: EpochSeconds | null;
  /** As in `RerunRequest`. If false, the queue is not checked. */
  enqueue?: boolean;
  /** As in `RerunRequest`. */
  routing?: Routing;
}

/**
 * Everything that can be changed. The same methods serve as preview (`AppReads.preview`, in the page's snapshot) and as action (`AppStore.actions`):
 * the preview counts with the same conditions the action deletes by. Each call is one transaction. A server that such a transaction would block for
 * too long works in steps instead, each atomic and none leaving a record half deleted. Actions throw RefusedError if the store or its layout does not
 * allow writing, and StoreUnreachableError if another writer holds the lock; then nothing was changed.
 */
export interface Actions {
  /** Empties components. The app's registration and the schema version are kept (storage-format.md 7.1, 7.2). */
  purge(components: readonly ComponentName[]): Promise<RowCount[]>;
  /** Deletes the messages of one named queue; does nothing in layouts without named queues. The invocations are unchanged. */
  purgeQueue(queueName: string): Promise<RowCount>;
  autoPurgeOrchestrator(retention: OrchestratorRetention): Promise<OrchestratorPurge>;
  autoPurgeEvents(retention: EventRetention): Promise<EventPurge>;
  /** Returns one result per id, in the same order. */
  rerun(invocationIds: readonly string[], request: RerunRequest): Promise<Rerun[]>;
  /**
   * Appends a message to the queue for each invocation that waits for one and has none; changes nothing else. The check and the write are one atomic
   * step. Returns one result per id, in the same order.
   */
  requeue(invocationIds: readonly string[], request: RequeueRequest): Promise<Requeue[]>;
  /**
   * Removes messages whose invocation has no status or no definition and returns how many. pynenc writes both before the message, so no runner can
   * use such a message. Call it right after a purge, when the queue is short. Returns 0 if the queue can only be counted.
   */
  sweepQueue(): Promise<number>;
}
