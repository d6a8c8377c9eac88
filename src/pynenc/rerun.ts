/** How a call is registered once more (storage-format.md 7.4): what the new invocation looks like and what prevents it. No I/O. */
import { hasArguments } from "./identifiers.ts";
import type { InvocationRecord, RunnerContextRecord } from "./records.ts";
import { type Registration, registration } from "./registration.ts";
import type { EpochSeconds } from "./time.ts";

/** What the store says about the task of the call. */
export interface RerunFacts {
  /** The layout gives every invocation a workflow (until 0.2.4). */
  workflow_required: boolean;
  /** The task starts a workflow of its own when it is called. */
  defines_workflow: boolean;
}

/**
 * What earlier calls of a task tell about its concurrency control, which is set in code and stored nowhere.
 *
 * - `some`: pynenc indexed the arguments of the newest call, so the task has control at registration, while running, or both.
 * - `none_at_registration`: pynenc left them unindexed. Calls that wait are not looked at; what runs may be: calls that are made in a batch
 *   (`parallelize`) are never indexed, and only control at registration forbids batches.
 * - `unknown`: no stored call shows it. Calls without arguments never do.
 */
export type KnownControl = "some" | "none_at_registration" | "unknown";

/** As people read it, beside the words `concurrency control`. */
export const CONTROL_TEXT: Readonly<Record<KnownControl, string>> = {
  some: "the task has some, as an earlier call shows",
  none_at_registration: "none at registration, as an earlier call shows",
  unknown: "not known: it is set in code, and no call with arguments is left that would show it",
};

/** A call of the task that the orchestrator still has: an auto-purge takes the index of what it takes. */
export interface EarlierCall {
  call_id_key: string;
  /** Its arguments are in the index for concurrency control. */
  indexed: boolean;
  /** Who registered it, or null where that is not stored any more. */
  registrar: RunnerContextRecord | null;
}

/** @param calls newest first. Calls that a monitor registered prove nothing: it indexes every call. */
export function knownControl(calls: readonly EarlierCall[]): KnownControl {
  const telling = calls.find(
    ({ call_id_key, registrar }) => hasArguments(call_id_key) && registrar !== null && !isMonitor(registrar),
  );
  if (telling === undefined) return "unknown";
  return telling.indexed ? "some" : "none_at_registration";
}

/**
 * The records of a new, independent invocation of the same call: no parent, no event, registered by a caller outside any runner. A
 * workflow of its own where the layout or the task asks for one, else none: a copied workflow id would attach it to the old run.
 */
export function rerunRegistration(
  original: InvocationRecord,
  newId: string,
  runnerId: string,
  at: EpochSeconds,
  facts: RerunFacts,
): Registration {
  const { call_id_key, task_id_key, arguments_id, serialized_arguments } = original;
  // A runner would fail with them, or work with something else.
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

/** No thread of a Python process has this id, so it distinguishes what a monitor registered from what pynenc registered. */
const NO_THREAD = 0;

/** Whether the caller is `externalCaller` of some process. */
function isMonitor({ runner_cls, thread_id }: RunnerContextRecord): boolean {
  return runner_cls === EXTERNAL && thread_id === NO_THREAD;
}

const EXTERNAL = "ExternalRunner";

/** This process as pynenc sees code that runs outside any runner (storage-format.md 1.1). */
export function externalCaller(hostname: string, pid: number): RunnerContextRecord {
  return {
    runner_id: `${EXTERNAL}@${hostname}-${pid}`,
    runner_cls: EXTERNAL,
    parent_ctx_id: null,
    pid,
    hostname,
    thread_id: NO_THREAD,
  };
}
