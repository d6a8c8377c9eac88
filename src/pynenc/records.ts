/**
 * The records that stores return. Field names are pynenc's; instants are epoch seconds; a field missing in a layout is null. Any reference may
 * dangle: parents, runner contexts, events and results can be missing (storage-format.md 7.2).
 */
import type { EpochSeconds } from "./time.ts";

/** Accompanies a stored text of any size. */
export interface CutMark {
  /** Full size in bytes; set only if the text was cut. */
  whole_size?: number;
}

/** A result or an exception as stored. */
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
  /** The owner while pending, running or paused. While registered, the registering runner, which is not an owner (storage-format.md 2.1). */
  status_runner_id: string | null;
  status_timestamp: EpochSeconds;
  retry_count: number;
  /** When it became final: the start of its retention time. */
  auto_purge_timestamp: EpochSeconds | null;
}

/** Definition of an invocation (storage-format.md 3.4). Kept by the state backend. `whole_size` refers to its arguments. */
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
   * When the status was entered, equal to the orchestrator's `status_timestamp`; durations are computed from it. Same as `written_at` if the stored
   * JSON is unreadable.
   */
  timestamp: EpochSeconds;
  /** When the entry was written: slightly later, on a busy machine by tenths of a second. Stores order and find entries by it. */
  written_at: EpochSeconds;
  status: string;
  /** Owner after the change, or null. */
  status_runner_id: string | null;
  /** Runner that made the change; its context may be missing. Null if the stored JSON is unreadable. */
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
   * Queues the runner is configured to consume; empty if not configured, which means every declared queue. Null in layouts before 0.4, which have one
   * queue, and if the stored value is not a list of names.
   */
  consumed_queues: readonly string[] | null;
}

/** One message of the broker queue. The same invocation can be queued twice (storage-format.md 3.2). */
export interface QueueMessage {
  invocation_id: string;
  /** Null if the queue does not store it. */
  queued_at: EpochSeconds | null;
  /** Null in layouts before 0.4, which have one unnamed queue. */
  queue_name: string | null;
  /** Higher is taken first; null in layouts without priorities. */
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

/** Written when the defining invocation starts, so a workflow that never ran has none (storage-format.md 3.4). */
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

/** An app's own description (storage-format.md 3.4, 12.4). Values may contain credentials: mask before showing. */
export interface AppInfoRecord {
  app_id: string;
  module: string | null;
  module_filepath: string | null;
  app_variable: string | null;
  config_filepath: string | null;
  config_values: Readonly<Record<string, unknown>> | null;
}

/** An externalised value (storage-format.md 3.5). */
export interface ClientDataRecord {
  /** Full reference, `__pynenc__client_data__:<sha256>`. */
  data_key: string;
  /** Serialized text, possibly cut; see `size`. */
  text: string;
  /** Full size in bytes. */
  size: number;
  /** When the value was last stored; null if the store does not keep it. */
  created_at: EpochSeconds | null;
}

/** An event as emitted (storage-format.md 5.3; since 0.2.4). `whole_size` refers to its payload if that is omitted. */
export interface EventRecord extends CutMark {
  event_id: string;
  event_code: string;
  timestamp: EpochSeconds;
  /** Conditions it satisfied, parallel to `valid_condition_ids`. */
  matched_condition_ids: readonly string[];
  valid_condition_ids: readonly string[];
  /** Argument name to stored string; null if larger than requested. */
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
  /** Number of conditions it satisfied. */
  matched_conditions: number;
  /** Whether it is in the index of triggered invocations; the stored counter can be too low (storage-format.md 5.6). */
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
  /** Null if the store does not keep it. */
  linked_at: EpochSeconds | null;
}

/** A participant of a trigger run: exactly one of event and source invocation is set, none for cron (storage-format.md 5.5). */
export interface ParticipantRecord {
  context_type: string | null;
  condition_id: string | null;
  valid_condition_id: string | null;
  event_id: string | null;
  source_invocation_id: string | null;
  context_timestamp: EpochSeconds | null;
  /** Tokens such as `code:order.created`; remains after valid conditions are removed. */
  context_summary: string | null;
}

/** A trigger that fired (storage-format.md 5.5). Runs of exception triggers share one id per exception type; only the latest is kept. */
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
  /** JSON of the argument provider; null if the task is called without arguments. */
  argument_provider_json: string | null;
  condition_ids: readonly string[];
}

export interface ConditionRecord {
  condition_id: string;
  condition_json: string;
  /** Also null right after a runner start, which registers triggers again (storage-format.md 5.6). */
  last_cron_execution: EpochSeconds | null;
}
