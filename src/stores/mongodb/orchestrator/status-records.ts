import type { InvocationStatusRecord } from "../../../pynenc/records.ts";
import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import { instant, instantOrNull, number, text, textOrNull } from "../collections/fields.ts";
import { findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document } from "../server/db.ts";

/** All but the claims of writers. */
export const STATUS_MEMBERS = { transition_lock: 0 } as const;

/** Current statuses of invocations. */
export function statusReads(reading: MongoReading): Pick<OrchestratorReads, "statusesByIds"> {
  const invocations = reading.of("orchestrator", "invocations");

  return {
    statusesByIds: async (invocationIds) =>
      (await findIn(invocations, "invocation_id", invocationIds, { only: STATUS_MEMBERS })).map(statusRecord),
  };
}

export function statusRecord(stored: Document): InvocationStatusRecord {
  return {
    invocation_id: text(stored.invocation_id),
    task_id_key: text(stored.task_id_key),
    call_id_key: text(stored.call_id_key),
    status: text(stored.status),
    status_runner_id: textOrNull(stored.status_runner_id),
    status_timestamp: instant(stored.status_timestamp),
    retry_count: number(stored.retry_count),
    auto_purge_timestamp: instantOrNull(stored.auto_purge_timestamp),
  };
}
