/** How a call is registered (storage-format.md 7.4): the records that pynenc writes for every new invocation. No I/O. */
import { historyJson } from "./history-json.ts";
import type { InvocationRecord, InvocationStatusRecord } from "./records.ts";
import { type EpochSeconds, isoFromEpoch, toMicros } from "./time.ts";

/** The status of an invocation that waits for a runner for the first time. */
export const REGISTERED = "registered";

/** Everything that registering an invocation writes, apart from the message and the argument index. */
export interface Registration {
  invocation: InvocationRecord;
  status: InvocationStatusRecord;
  history: { timestamp: EpochSeconds; status: string; json: string };
}

/**
 * @param runnerId who registers it.
 * @param written when the history entry is written, which may be a moment after the status.
 */
export function registration(
  invocation: InvocationRecord,
  runnerId: string,
  at: EpochSeconds,
  written: EpochSeconds = at,
): Registration {
  const { invocation_id, task_id_key, call_id_key, parent_invocation_id } = invocation;
  const timestamp = toMicros(written);
  return {
    invocation,
    status: {
      invocation_id,
      task_id_key,
      call_id_key,
      status: REGISTERED,
      // Written without a transition check, so the registering caller stays there although it owns nothing (storage-format.md 2.1).
      status_runner_id: runnerId,
      status_timestamp: toMicros(at),
      retry_count: 0,
      auto_purge_timestamp: null,
    },
    history: {
      timestamp,
      status: REGISTERED,
      json: historyJson(
        invocation_id,
        REGISTERED,
        runnerId,
        runnerId,
        isoFromEpoch(toMicros(at)),
        isoFromEpoch(timestamp),
        parent_invocation_id,
      ),
    },
  };
}
