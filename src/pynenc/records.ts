/**
 * The records that stores hand out. Field names are pynenc's; instants are epoch seconds; a field that a layout lacks is null.
 * Anything may dangle: parents, runner contexts, events and results can be gone (storage.md 13.5).
 */
import type { EpochSeconds } from "./time.ts";

/** Current status of an invocation (storage.md 3.3). Kept by the orchestrator; may be purged before the rest. */
export interface InvocationStatusRecord {
  invocation_id: string;
  task_id_key: string;
  call_id_key: string;
  /** Any word; see `statusInfo`. */
  status: string;
  /** The owner while pending, running or paused. While `registered` it is the registering runner, not an owner (storage.md 2.1). */
  status_runner_id: string | null;
  status_timestamp: EpochSeconds;
  retry_count: number;
  /** When it became final: the start of the retention clock. */
  auto_purge_timestamp: EpochSeconds | null;
}

/** Definition of an invocation (storage.md 3.4). Kept by the state backend. */
export interface InvocationRecord {
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

/** One entry of an invocation's status history (storage.md 3.4). */
export interface HistoryRecord {
  invocation_id: string;
  timestamp: EpochSeconds;
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
  pid: number;
  hostname: string;
  thread_id: number;
}

export interface HeartbeatRecord {
  runner_id: string;
  creation_timestamp: EpochSeconds;
  last_heartbeat: EpochSeconds;
  allow_to_run_atomic_service: boolean;
  /** Layouts up to 0.2.3 only. */
  last_service_start: EpochSeconds | null;
  last_service_end: EpochSeconds | null;
}

/** One message of the broker queue. The same invocation can be queued twice (storage.md 3.2). */
export interface QueueMessage {
  invocation_id: string;
  queued_at: EpochSeconds;
}

/** `waiter_id` waits for the result of `waited_id`. */
export interface BlockingEdge {
  waiter_id: string;
  waited_id: string;
}

/** One run of the atomic service (storage.md 3.3, since 0.2.4). */
export interface ExecutionRecord {
  atomic_service_run_id: string;
  runner_id: string;
  start_time: EpochSeconds;
  end_time: EpochSeconds | null;
  /** running, completed, abandoned or blocked. */
  status: string;
  reason: string;
}

/** Written when the defining invocation starts, so one that never ran has none (storage.md 14). */
export interface WorkflowRunRecord {
  workflow_id: string;
  workflow_type_key: string;
  parent_workflow_id: string | null;
}

export interface WorkflowDataRecord {
  data_key: string;
  /** Stored string: serialized text or a client-data reference. */
  data_value: string;
}

/** What an app wrote about itself (storage.md 3.4, 12.4). Values may hold credentials: mask before showing. */
export interface AppInfoRecord {
  app_id: string;
  module: string | null;
  module_filepath: string | null;
  app_variable: string | null;
  config_filepath: string | null;
  config_values: Readonly<Record<string, unknown>> | null;
}

/** A value that was externalised (storage.md 3.5). */
export interface ClientDataRecord {
  /** Full reference, `__pynenc__client_data__:<sha256>`. */
  data_key: string;
  /** Serialized text, possibly only its beginning: see `size`. */
  text: string;
  /** Bytes of the whole value. */
  size: number;
  /** When the value was last stored. */
  created_at: EpochSeconds;
}
