/** Inputs of DemoWriter. */
import type { SlotRunner } from "../../pynenc/atomic-slots.ts";
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
  /** Put it into the queue. Default: true. */
  readonly enqueue?: boolean;
  /** Where its message goes. Default: the default queue. */
  readonly route?: Route;
}

/** Queue and priority of a message; not stored in layouts before 0.4.0. */
export interface Route {
  readonly queue_name: string;
  /** From -100 to 100; higher is taken first. */
  readonly priority: number;
}

/** pynenc's default for a task without settings. */
export const DEFAULT_ROUTE: Route = { queue_name: "default", priority: 0 };

/** A stored runner, with the queues it is configured to consume; an empty list means every declared one. */
export interface SeenRunner extends RunnerContextRecord, SlotRunner {
  readonly queues: readonly string[];
  /** 1 if it takes turns in the atomic service. */
  readonly allow_to_run_atomic_service: number;
}

/** A message of the queue. */
export interface Message {
  readonly id: number;
  readonly invocation_id: string;
  readonly queue_name: string;
}

export interface TriggerDefinition {
  readonly trigger_id: string;
  readonly task_id_key: string;
  readonly logic: "and" | "or";
  readonly conditions: readonly Condition[];
  readonly argument_provider_json: string | null;
}

/** An emitted event and the conditions it satisfied. */
export interface EmittedEvent {
  readonly event_id: string;
  readonly event_code: string;
  readonly payload: StoredValues;
  readonly matches: readonly ValidCondition[];
  /** Invocation whose code emitted it; missing for code outside of an invocation. */
  readonly emitter?: InvocationRecord | undefined;
  readonly runner_id: string;
}

/** The run of the atomic service that contains a trigger loop. */
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

/** An exception as stored (storage-format.md 4.5). */
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
  readonly retry_count: number;
}
