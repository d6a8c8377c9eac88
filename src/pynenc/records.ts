/**
 * The records that stores hand out. Field names are pynenc's; instants are epoch seconds; a field that a layout lacks is null.
 * Anything may dangle: parents, runner contexts, events and results can be gone (storage-format.md 7.2).
 */
import type { EpochSeconds } from "./time.ts";

/** Beside a stored text that may be of any size. */
export interface CutMark {
  /** Bytes of the whole; set only where the text is no more than its beginning. */
  whole_size?: number;
}

/** A result or an exception as it is stored. */
export interface StoredValueRecord extends CutMark {
  invocation_id: string;
  stored: string;
}

/** Current status of an invocation (storage-format.md 3.3). Kept by the orchestrator; may be purged before the rest. */
export interface InvocationStatusRecord {
  invocation_id: string;
  task_id_key: string;
  call_id_key: string;
  /** Any word; see `statusInfo`. */
  status: string;
  /** The owner while pending, running or paused. While `registered` it is the registering runner, not an owner (storage-format.md 2.1). */
  status_runner_id: string | null;
  status_timestamp: EpochSeconds;
  retry_count: number;
  /** When it became final: the start of the retention clock. */
  auto_purge_timestamp: EpochSeconds | null;
}

/** Definition of an invocation (storage-format.md 3.4). Kept by the state backend. The mark is about its arguments. */
export interface InvocationRecord extends CutMark {
  invocation_id: string;
  call_id_key: string;
  task_id_key: string;
  arguments_id: string;
  /** JSON object: argument name to stored string. */
  serialized_arguments: string;
  parent_invocation_id: string | null;
  parent_event_id: string | null;
  workflow_id: string | null;
  workflow_type_key: string | null;
  parent_workflow_id: string | null;
}

/** One entry of an invocation's status history (storage-format.md 3.4). */
export interface HistoryRecord {
  invocation_id: string;
  /**
   * When the status was entered, the same instant as the orchestrator's `status_timestamp`: every duration is made of it. `written_at` where
   * the stored JSON is unreadable.
   */
  timestamp: EpochSeconds;
  /** When the entry was written down: a moment later, on a busy machine some tenths of a second. Stores order and find entries by it. */
  written_at: EpochSeconds;
  status: string;
  /** Owner after the change, or null. */
  status_runner_id: string | null;
  /** Runner that made the change; its context may be missing. Null when the stored JSON is unreadable. */
  runner_context_id: string | null;
  /** The invocation that registered this one; only on `registered` entries of children. */
  registered_by_inv_id: string | null;
}

export interface RunnerContextRecord {
  runner_id: string;
  runner_cls: string;
  parent_ctx_id: string | null;
  pid: number | null;
  hostname: string;
  thread_id: number | null;
}

export interface HeartbeatRecord {
  runner_id: string;
  creation_timestamp: EpochSeconds;
  last_heartbeat: EpochSeconds;
  allow_to_run_atomic_service: boolean;
  /** Layouts up to 0.2.3 only. */
  last_service_start: EpochSeconds | null;
  last_service_end: EpochSeconds | null;
  /**
   * Queues that the runner is set to take from; empty when it has no such setting and takes from every declared one. Null in layouts before
   * 0.4, which have one queue, and where what is stored is no list of names.
   */
  consumed_queues: readonly string[] | null;
}

/** One message of the broker queue. The same invocation can be queued twice (storage-format.md 3.2). */
export interface QueueMessage {
  invocation_id: string;
  /** Null where the queue does not keep it. */
  queued_at: EpochSeconds | null;
  /** Null in layouts before 0.4, which have one queue without a name. */
  queue_name: string | null;
  /** Greater is taken sooner; null where there are none. */
  priority: number | null;
}

/** `waiter_id` waits for the result of `waited_id`. */
export interface BlockingEdge {
  waiter_id: string;
  waited_id: string;
}

/** One run of the atomic service (storage-format.md 3.3, since 0.2.4). */
export interface ExecutionRecord {
  atomic_service_run_id: string;
  runner_id: string;
  start_time: EpochSeconds;
  end_time: EpochSeconds | null;
  /** running, completed, abandoned or blocked. */
  status: string;
  reason: string;
}

/** Written when the defining invocation starts, so one that never ran has none (storage-format.md 3.4). */
export interface WorkflowRunRecord {
  workflow_id: string;
  workflow_type_key: string;
  parent_workflow_id: string | null;
}

export interface WorkflowDataRecord extends CutMark {
  data_key: string;
  /** Stored string: serialized text or a client-data reference. */
  data_value: string;
}

/** What an app wrote about itself (storage-format.md 3.4, 12.4). Values may hold credentials: mask before showing. */
export interface AppInfoRecord {
  app_id: string;
  module: string | null;
  module_filepath: string | null;
  app_variable: string | null;
  config_filepath: string | null;
  config_values: Readonly<Record<string, unknown>> | null;
}

/** A value that was externalised (storage-format.md 3.5). */
export interface ClientDataRecord {
  /** Full reference, `__pynenc__client_data__:<sha256>`. */
  data_key: string;
  /** Serialized text, possibly only its beginning: see `size`. */
  text: string;
  /** Bytes of the whole value. */
  size: number;
  /** When the value was last stored; null where the store does not keep it. */
  created_at: EpochSeconds | null;
}

/** An event as it was emitted (storage-format.md 5.3; since 0.2.4). The mark is about its payload, where that is left out. */
export interface EventRecord extends CutMark {
  event_id: string;
  event_code: string;
  timestamp: EpochSeconds;
  /** Conditions that it met, parallel to `valid_condition_ids`. */
  matched_condition_ids: readonly string[];
  valid_condition_ids: readonly string[];
  /** Argument name to stored string; null when it is larger than the reader wanted. */
  payload: Readonly<Record<string, string>> | null;
  emitted_by_invocation_id: string | null;
  emitted_by_task_id: string | null;
  /** Trigger schema 3 only. */
  emitted_by_runner_context_id: string | null;
}

/** One line of a list of events. */
export interface EventSummary {
  event_id: string;
  event_code: string;
  timestamp: EpochSeconds;
  /** How many conditions it met. */
  matched_conditions: number;
  /** It has a row in the index of triggered invocations: the stored counter can be too low (storage-format.md 5.6). */
  triggered: boolean;
  emitted_by_invocation_id: string | null;
  emitted_by_task_id: string | null;
  emitted_by_runner_context_id: string | null;
}

/** An invocation that an event helped to start. */
export interface TriggeredInvocation {
  event_id: string;
  invocation_id: string;
  trigger_run_id: string | null;
  /** Null where the store does not keep it. */
  linked_at: EpochSeconds | null;
}

/** What took part in a trigger run: exactly one of event and source invocation is set, none for cron (storage-format.md 5.5). */
export interface ParticipantRecord {
  context_type: string | null;
  condition_id: string | null;
  valid_condition_id: string | null;
  event_id: string | null;
  source_invocation_id: string | null;
  context_timestamp: EpochSeconds | null;
  /** Tokens such as `code:order.created`; the snapshot that stays when valid conditions are gone. */
  context_summary: string | null;
}

/** A trigger that fired (storage-format.md 5.5). Runs of exception triggers share one id per exception type: the latest is kept. */
export interface TriggerRunRecord {
  trigger_run_id: string;
  trigger_id: string;
  /** The task that was started. */
  task_id_key: string;
  /** `and` or `or`. */
  logic_value: string;
  claimed_at: EpochSeconds | null;
  executed_at: EpochSeconds | null;
  triggered_invocation_id: string | null;
  participants: readonly ParticipantRecord[];
  valid_condition_ids: readonly string[];
  condition_ids: readonly string[];
  event_ids: readonly string[];
  source_invocation_ids: readonly string[];
  atomic_service_run_id: string | null;
  atomic_service_runner_id: string | null;
}

/** A trigger definition (storage-format.md 5.4). */
export interface TriggerRecord {
  trigger_id: string;
  task_id_key: string;
  logic_value: string;
  /** JSON of the argument provider; null when the task is called without arguments. */
  argument_provider_json: string | null;
  condition_ids: readonly string[];
}

export interface ConditionRecord {
  condition_id: string;
  condition_json: string;
  /** Null also right after a runner start, which registers anew (storage-format.md 5.6). */
  last_cron_execution: EpochSeconds | null;
}
