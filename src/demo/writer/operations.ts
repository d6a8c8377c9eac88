/** What DemoWriter is given to write. */
import type { InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Condition, StoredValues, ValidCondition } from "./conditions.ts";

/** A call to be registered. */
export interface NewInvocation {
  readonly invocation_id: string;
  readonly task_id_key: string;
  /** Stored strings: already serialized and, where large, externalised. */
  readonly arguments: StoredValues;
  /** The invocation whose code makes the call. */
  readonly parent?: InvocationRecord | undefined;
  /** First event of the trigger run that makes the call. */
  readonly parent_event_id?: string | null;
  /** The task is an `@app.workflow`. */
  readonly definesWorkflow?: boolean;
  /** The task uses concurrency control, so its arguments are indexed. */
  readonly indexArguments?: boolean;
  /** Put it into the queue; true unless said otherwise. */
  readonly enqueue?: boolean;
  /** Where its message goes; the default queue unless said otherwise. */
  readonly route?: Route;
}

/** Queue and priority of a message; layouts before 0.4.0 keep neither. */
export interface Route {
  readonly queue_name: string;
  /** From -100 to 100; greater is taken sooner. */
  readonly priority: number;
}

/** What pynenc gives to a task without settings of its own. */
export const DEFAULT_ROUTE: Route = { queue_name: "default", priority: 0 };

/** A runner as the store has it, with the queues that it is set to take from; none are every declared one. */
export interface SeenRunner extends RunnerContextRecord {
  readonly queues: readonly string[];
}

export interface TriggerDefinition {
  readonly trigger_id: string;
  readonly task_id_key: string;
  readonly logic: "and" | "or";
  readonly conditions: readonly Condition[];
  readonly argument_provider_json: string | null;
}

/** An emitted event with the conditions that it met. */
export interface EmittedEvent {
  readonly event_id: string;
  readonly event_code: string;
  readonly payload: StoredValues;
  readonly matches: readonly ValidCondition[];
  /** Invocation whose code emitted it; absent for code outside of any. */
  readonly emitter?: InvocationRecord | undefined;
  readonly runner_id: string;
}

/** A run of the trigger loop inside one run of the atomic service. */
export interface ServiceRun {
  readonly atomic_service_run_id: string;
  readonly runner_id: string;
}

export interface TriggerRun {
  readonly trigger: TriggerDefinition;
  readonly participants: readonly ValidCondition[];
  readonly triggered_invocation_id: string;
  readonly claimed_at: EpochSeconds;
  readonly executed_at: EpochSeconds;
  readonly service: ServiceRun;
}

/** An exception as it is stored (storage-format.md 4.5). */
export interface StoredException {
  readonly name: string;
  /** An error of pynenc itself. */
  readonly pynencError: boolean;
  /** Stored string of the exception object, or pynenc's own dictionary for its errors. */
  readonly data: string;
}

export interface StoredStatus {
  readonly status: string;
  readonly runner_id: string | null;
}
