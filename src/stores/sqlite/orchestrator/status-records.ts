import type { InvocationStatusRecord } from "../../../pynenc/records.ts";
import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { instant, instantOrNull, number, text, textOrNull } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

export const STATUS_COLUMNS =
  "invocation_id, task_id_key, call_id_key, status, status_runner_id, status_timestamp, retry_count, auto_purge_timestamp";

/** Current statuses of invocations (storage-format.md 3.3). */
export function statusReads(handle: Queries, tables: AppTables): Sync<Pick<OrchestratorReads, "statusesByIds">> {
  const invocations = tables.readable("orchestrator", "invocations");

  return {
    statusesByIds(invocationIds) {
      if (!invocations.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${STATUS_COLUMNS} FROM ${invocations.sql} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(invocationIds),
        )
        .map(statusRecord);
    },
  };
}

/** A row of `STATUS_COLUMNS`. */
export function statusRecord(row: Row): InvocationStatusRecord {
  return {
    invocation_id: text(row.invocation_id),
    task_id_key: text(row.task_id_key),
    call_id_key: text(row.call_id_key),
    status: text(row.status),
    status_runner_id: textOrNull(row.status_runner_id),
    status_timestamp: instant(row.status_timestamp),
    retry_count: number(row.retry_count),
    auto_purge_timestamp: instantOrNull(row.auto_purge_timestamp),
  };
}
