import type { WorkflowDataRecord } from "../../../pynenc/records.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import { LIST_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import { bounded, boundedText, text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Workflow data. */
export function workflowDataReads(
  handle: Queries,
  tables: AppTables,
): Sync<Pick<StateBackendReads, "workflowData" | "countWorkflowData">> {
  const workflowData = tables.readable("state_backend", "workflow_data");

  return {
    workflowData(workflowId, { limit, offset }) {
      if (!workflowData.exists) return [];
      return handle
        .all(
          `SELECT data_key, ${bounded("data_value", LIST_BYTES, "data_value")} FROM ${workflowData.sql} WHERE workflow_id = ? ORDER BY data_key LIMIT ? OFFSET ?`,
          workflowId,
          limit,
          offset,
        )
        .map((row): WorkflowDataRecord => {
          const { text: data_value, ...mark } = boundedText(row, "data_value");
          return { data_key: text(row.data_key), data_value, ...mark };
        });
    },

    countWorkflowData(workflowIds) {
      if (!workflowData.exists || workflowIds.length === 0) return {};
      const rows = handle.all<{ id: unknown; n: number }>(
        `SELECT workflow_id AS id, count(*) AS n FROM ${workflowData.sql} WHERE workflow_id IN (SELECT value FROM json_each(?)) GROUP BY workflow_id`,
        JSON.stringify(workflowIds),
      );
      return Object.fromEntries(rows.map((row) => [text(row.id), row.n]));
    },
  };
}
