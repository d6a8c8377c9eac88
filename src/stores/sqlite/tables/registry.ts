import { appIdOfPrefix, tablePrefix } from "../../../pynenc/identifiers.ts";
import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { AppInfoRecord } from "../../../pynenc/records.ts";
import { rustvelloStore } from "../../rustvello.ts";
import { document, text } from "./columns.ts";
import type { SqliteHandle } from "./handle.ts";

export interface AppRow {
  app_id: string;
  info: AppInfoRecord | null;
  phantom: boolean;
}

/**
 * Apps of a file: one app_info table each (storage-format.md 12.4). The id comes from the row of that table. pynenc's purge of the state backend removes
 * the row; then the id is taken from the prefix of the tables if the hash in the prefix confirms it, and otherwise the app is omitted.
 *
 * @throws StoreUnreachableError for a store of Rustvello.
 */
export function registeredApps(handle: SqliteHandle): AppRow[] {
  const apps: AppRow[] = [];
  for (const tables of handle.registeredTables()) {
    if (!tables.has("state_backend", "app_info")) continue;
    const rows = handle.all(
      `SELECT app_id, ${document("app_info_json")} AS app_info_json FROM ${tables.sql("state_backend", "app_info")} LIMIT 10`,
    );
    const purged = rows.length === 0 ? appIdOfPrefix(tables.prefix) : null;
    if (purged !== null) apps.push({ app_id: purged, info: null, phantom: !hasInvocations(handle, purged) });
    for (const row of rows) {
      const app_id = text(row.app_id);
      // A row copied into another app's table would lead to tables that do not exist.
      if (tables.prefix !== tablePrefix(app_id)) continue;
      apps.push({ app_id, info: parseAppInfo(text(row.app_info_json)), phantom: !hasInvocations(handle, app_id) });
    }
  }
  if (apps.length === 0 && handle.hasTables(RUSTVELLO)) throw rustvelloStore();
  return apps.sort((a, b) => Number(a.phantom) - Number(b.phantom) || (a.app_id < b.app_id ? -1 : 1));
}

/** Tables by which a store of Rustvello is recognised (storage-format.md 11). */
const RUSTVELLO = ["status_records", "broker_queue"];

function hasInvocations(handle: SqliteHandle, appId: string): boolean {
  const tables = handle.tables(appId);
  const some = (component: "orchestrator" | "state_backend") =>
    tables.has(component, "invocations") &&
    handle.get(`SELECT 1 AS one FROM ${tables.sql(component, "invocations")} LIMIT 1`) !== undefined;
  return some("orchestrator") || some("state_backend");
}
