/** Rules for registering a call again (storage-format.md 7.4): what the new invocation looks like and what prevents it. No I/O. */
import { hasArguments } from "./identifiers.ts";
import type { InvocationRecord, RunnerContextRecord } from "./records.ts";
import { type Registration, registration } from "./registration.ts";
import type { EpochSeconds } from "./time.ts";

/** Facts from the store about the task of the call. */
export interface RerunFacts {
  /** The layout assigns a workflow to every invocation (until 0.2.4). */
  workflow_required: boolean;
  /** A call of the task starts a new workflow. */
  defines_workflow: boolean;
}

/**
 * What earlier calls of a task show about its concurrency control, which is set in code and not stored.
 *
 * - `some`: pynenc indexed the arguments of the newest call, so the task has control at registration, while running, or both.
 * - `none_at_registration`: pynenc did not index them. The task may still have control while running: calls made in a batch (`parallelize`) are
 *   never indexed, and only control at registration forbids batches.
 * - `unknown`: no stored call shows it. Calls without arguments never do.
 */
export type KnownControl = "some" | "none_at_registration" | "unknown";

/** Text to show after `concurrency control`. */
export const CONTROL_TEXT: Readonly<Record<KnownControl, string>> = {
  some: "the task has some, as an earlier call shows",
  none_at_registration: "none at registration, as an earlier call shows",
  unknown: "not known: it is set in code, and no stored call with arguments shows it",
};

/** A call of the task that the orchestrator still has; an auto-purge also removes index entries. */
export interface EarlierCall {
  call_id_key: string;
  /** Whether its arguments are in the index for concurrency control. */
  indexed: boolean;
  /** Who registered it; null if no longer stored. */
  registrar: RunnerContextRecord | null;
}

/** @param calls newest first. Calls registered by a monitor prove nothing, because it indexes every call. */
export function knownControl(calls: readonly EarlierCall[]): KnownControl {
  const evidence = calls.find(
    ({ call_id_key, registrar }) => hasArguments(call_id_key) && registrar !== null && !isMonitor(registrar),
  );
  if (evidence === undefined) return "unknown";
  return evidence.indexed ? "some" : "none_at_registration";
}

/**
 * The records of a new, independent invocation of the same call: no parent, no event, registered by a caller outside of any runner. It gets a new
 * workflow if the layout or the task requires one, otherwise none: a copied workflow id would attach it to the old run.
 */
export function rerunRegistration(
  original: InvocationRecord,
  newId: string,
  runnerId: string,
  at: EpochSeconds,
  facts: RerunFacts,
): Registration {
  const { call_id_key, task_id_key, arguments_id, serialized_arguments } = original;
  // A runner would fail with cut arguments, or work with wrong values.
  if (original.whole_size !== undefined) throw new Error("a call is registered again with a part of its arguments");
  const own = facts.workflow_required || facts.defines_workflow;
  return registration(
    {
      invocation_id: newId,
      call_id_key,
      task_id_key,
      arguments_id,
      serialized_arguments,
      parent_invocation_id: null,
      parent_event_id: null,
      workflow_id: own ? newId : null,
      workflow_type_key: own ? task_id_key : null,
      parent_workflow_id: null,
    },
    runnerId,
    at,
  );
}

/** No Python thread has this id, so it identifies invocations registered by a monitor. */
const NO_THREAD = 0;

/** Whether the caller is `externalCaller` of some process. */
function isMonitor({ runner_cls, thread_id }: RunnerContextRecord): boolean {
  return runner_cls === EXTERNAL && thread_id === NO_THREAD;
}

const EXTERNAL = "ExternalRunner";

/** Beginning of the ids of code outside of any runner (storage-format.md 1.1), which never has a heartbeat. */
export const EXTERNAL_ID = `${EXTERNAL}@`;

/** This process in pynenc's form for code outside of any runner (storage-format.md 1.1). */
export function externalCaller(hostname: string, pid: number): RunnerContextRecord {
  return {
    runner_id: `${EXTERNAL_ID}${hostname}-${pid}`,
    runner_cls: EXTERNAL,
    parent_ctx_id: null,
    pid,
    hostname,
    thread_id: NO_THREAD,
  };
}
