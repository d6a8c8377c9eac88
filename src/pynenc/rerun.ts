/** How a call is registered once more (storage.md 7.4): what the new invocation looks like and what stands in its way. No I/O. */
import { historyJson } from "./history-json.ts";
import type { InvocationRecord, InvocationStatusRecord, RunnerContextRecord } from "./records.ts";
import { type EpochSeconds, isoFromEpoch, toMicros } from "./time.ts";

/** The status of an invocation that waits for a runner for the first time. */
export const REGISTERED = "registered";

/** What the store says about the task of the call. */
export interface RerunFacts {
  /** The layout gives every invocation a workflow (until 0.2.4). */
  workflow_required: boolean;
  /** The task starts a workflow of its own when it is called. */
  defines_workflow: boolean;
}

/** Everything that registering an invocation writes, apart from the message and the argument index. */
export interface Registration {
  invocation: InvocationRecord;
  status: InvocationStatusRecord;
  history: { timestamp: EpochSeconds; status: string; json: string };
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
  const own = facts.workflow_required || facts.defines_workflow;
  const timestamp = toMicros(at);
  const iso = isoFromEpoch(timestamp);
  return {
    invocation: {
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
    status: {
      invocation_id: newId,
      task_id_key,
      call_id_key,
      status: REGISTERED,
      // Written without a transition check, so the registering caller stays there although it owns nothing (storage.md 2.1).
      status_runner_id: runnerId,
      status_timestamp: timestamp,
      retry_count: 0,
      auto_purge_timestamp: null,
    },
    history: {
      timestamp,
      status: REGISTERED,
      json: historyJson(newId, REGISTERED, runnerId, runnerId, iso, iso, null),
    },
  };
}

/** This process as pynenc sees code that runs outside any runner (storage.md 1.1). */
export function externalCaller(hostname: string, pid: number): RunnerContextRecord {
  return {
    runner_id: `ExternalRunner@${hostname}-${pid}`,
    runner_cls: "ExternalRunner",
    parent_ctx_id: null,
    pid,
    hostname,
    thread_id: 0,
  };
}
