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

/** Which finished invocations and executions are old enough to go (storage-format.md 6.4, 7.3). */
export interface OrchestratorRetention {
  /** Final invocations that became so until this instant. */
  final_until: EpochSeconds;
  /** Executions that ended before this instant; null keeps them regardless of age. */
  executions_before: EpochSeconds | null;
  /** So many executions may stay; 0 is no limit. */
  max_executions: number;
  /** Also invocations whose parent is not known to be final: one that asks for their result afterwards fails. */
  with_open_parents: boolean;
}

export interface OrchestratorPurge {
  invocations: number;
  /** Rows of their argument index. */
  invocation_args: number;
  /** Edges that wait for them. */
  blocking_edges: number;
  /** Due, but a message waits for them, and a runner that takes one without a status stops working. */
  invocations_kept: number;
  /**
   * Due, but their parent is not known to be final (`knownStatus`) and may still ask for their result, which pynenc cannot give without their
   * status. They stay; `with_open_parents` takes them, and then these are among `invocations`.
   */
  invocations_of_open_parents: number;
  /** Entries of the index by time, as old, whose invocation went earlier: with them goes what else names it. */
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
  /** 0 is no limit. */
  max_events: number;
  /** 0 is no limit. */
  max_trigger_runs: number;
}

/** Each event and each run counts under the rule that met it first. */
export interface EventPurge {
  events_by_age: number;
  events_by_capacity: number;
  trigger_runs_by_age: number;
  /** An event that took part in them goes. */
  trigger_runs_of_events: number;
  trigger_runs_by_capacity: number;
  /** Rows of the tables that index them. */
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
  /** The same call waits already, and the task has or may have control at registration. Can be overridden. */
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
  /** Arguments to write into the index for concurrency control: all of them, because the task may use it. */
  indexed_arguments: number;
  /** `unknown` also for an invocation without a definition. */
  control: KnownControl;
  /**
   * The newest invocation of the task that waits as registered, whatever its arguments; null where none does, and where the task has no
   * control at registration. Those of the list itself do not count.
   */
  waiting_of_task: string | null;
  /** Where its message goes; null when refused, and where the one queue has no name. */
  route: MessageRoute | null;
}

/** Where a message goes, where queues have names. */
export interface MessageRoute {
  queue_name: string;
  /** Higher is taken first. */
  priority: number;
}

/** Where new messages go. Without effect where the one queue has no name. */
export interface Routing {
  /** By task. */
  tasks: Readonly<Record<string, MessageRoute>>;
  /** Of tasks that are not named. */
  fallback: MessageRoute;
}

/** What pynenc does where nothing is set. */
export const DEFAULT_ROUTING: Routing = { tasks: {}, fallback: { queue_name: "default", priority: 0 } };

/** In whose name calls are registered. The instant is that of the transaction. */
export interface RerunRequest {
  caller: RunnerContextRecord;
  /** Register although the same call waits already. */
  force: boolean;
  /** False if the queue is in another store: the caller adds the messages there after this is committed. Default true. */
  enqueue?: boolean;
  /** DEFAULT_ROUTING unless given. */
  routing?: Routing;
  /** Tasks that start workflows by their settings, in addition to those whose rows show it. */
  workflow_tasks?: readonly string[];
}

/** Why no message is put into the queue for an invocation. */
export type RequeueRefusal =
  /** Neither a status nor a definition is stored. */
  | { kind: "unknown" }
  /** One of them is missing, and a runner that takes a message of such an invocation may stop working. */
  | { kind: "without_records"; missing: "status" | "definition" }
  /** Invocations of this status wait for no message. */
  | { kind: "not_waiting"; status: string }
  /** Its status changed only just now: the message may be on its way. */
  | { kind: "unsettled"; since: EpochSeconds }
  /** The queue has a message for it. */
  | { kind: "queued" }
  /** The queue can only be counted, and what is known does not prove that it has no message for it. Can be overridden. */
  | { kind: "unlisted"; messages: number; runners: number }
  /** A queue that is kept elsewhere did not take the message. */
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
  /** Where the queue can only be counted: runners with a heartbeat since this instant may hold a message that they have just taken. */
  active_since: EpochSeconds;
  /** Where the queue can only be counted: also when a message for it may be there. */
  force: boolean;
  /** As in `RerunRequest`; then the queue is not checked. */
  enqueue?: boolean;
  /** As in `RerunRequest`. */
  routing?: Routing;
}

/**
 * What can be changed. The same methods serve as preview (`AppReads.preview`, in the snapshot of the page) and as action
 * (`AppStore.actions`): the preview counts with the conditions that the action deletes by. Each call is one transaction; a store that is
 * a server and would stand still for that long does it in steps, each of them atomic and none of them leaving a record half deleted.
 * Actions throw RefusedError where the store or its layout does not allow writing, and StoreUnreachableError when somebody else holds the
 * lock; then nothing was changed.
 */
export interface Actions {
  /** Empties components. The app's registration and the schema version stay (storage-format.md 7.1, 7.2). */
  purge(components: readonly ComponentName[]): Promise<RowCount[]>;
  /** Deletes the messages of one named queue; nothing where queues have no names. The invocations stay as they are. */
  purgeQueue(queueName: string): Promise<RowCount>;
  autoPurgeOrchestrator(retention: OrchestratorRetention): Promise<OrchestratorPurge>;
  autoPurgeEvents(retention: EventRetention): Promise<EventPurge>;
  /** One answer for each id, in their order. */
  rerun(invocationIds: readonly string[], request: RerunRequest): Promise<Rerun[]>;
  /**
   * Puts a message for each invocation that waits for one and has none at the end of the queue, and changes nothing else. That it waits and
   * has none is found out in the same step. One answer for each id, in their order.
   */
  requeue(invocationIds: readonly string[], request: RequeueRequest): Promise<Requeue[]>;
  /**
   * Removes messages whose invocation has no status or no definition and answers how many: pynenc writes both before the message, so no runner
   * can do anything with them. To be used right after a purge, when the queue is short. 0 where the queue can only be counted.
   */
  sweepQueue(): Promise<number>;
}
