/** Builds the records that pynenc writes for every new invocation (storage-format.md 7.4). No I/O. */
import { historyJson } from "./history-json.ts";
import type { InvocationRecord, InvocationStatusRecord } from "./records.ts";
import { type EpochSeconds, isoFromEpoch, toMicros } from "./time.ts";

/** Status of a new invocation that waits for a runner. */
export const REGISTERED = "registered";

/** Everything a registration writes, except the message and the argument index. */
export interface Registration {
  invocation: InvocationRecord;
  status: InvocationStatusRecord;
  history: { timestamp: EpochSeconds; status: string; json: string };
}

/**
 * @param runnerId the registering runner.
 * @param written when the history entry is written, possibly slightly after the status.
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
      // Written without a transition check, so this is the registering caller although it owns nothing (storage-format.md 2.1).
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
