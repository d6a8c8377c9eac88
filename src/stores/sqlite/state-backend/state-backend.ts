import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import { document, text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { definitionReads } from "./definitions.ts";
import { historyReads } from "./history.ts";
import { historyStretchReads } from "./history-stretch.ts";
import { historyWindowReads } from "./history-window.ts";
import { runnerContextReads } from "./runner-contexts.ts";
import { workflowDataReads } from "./workflow-data.ts";
import { workflowReads } from "./workflows.ts";

/** Definitions, history, results, runner contexts and workflows (storage-format.md 3.4). */
export function stateBackendReads(handle: Queries, tables: AppTables): Sync<StateBackendReads> {
  const appInfo = tables.readable("state_backend", "app_info");

  return {
    appInfo() {
      if (!appInfo.exists) return null;
      const row = handle.get(`SELECT ${document("app_info_json")} AS app_info_json FROM ${appInfo.sql} LIMIT 1`);
      return row === undefined ? null : parseAppInfo(text(row.app_info_json));
    },

    ...definitionReads(handle, tables),
    ...historyReads(handle, tables),
    ...historyWindowReads(handle, tables),
    ...historyStretchReads(handle, tables),
    ...runnerContextReads(handle, tables),
    ...workflowReads(handle, tables),
    ...workflowDataReads(handle, tables),
  };
}
