import { appIdOfPrefix, tablePrefix } from "../../../pynenc/identifiers.ts";
import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { AppInfoRecord } from "../../../pynenc/records.ts";
import { rustvelloStore } from "../../rustvello.ts";
import { document, number, text } from "./columns.ts";
import type { SqliteHandle } from "./handle.ts";
import type { AppTables } from "./tables.ts";

export interface AppRow {
  app_id: string;
  info: AppInfoRecord | null;
  phantom: boolean;
}

/** Apps asked for in one statement; SQLite allows 500. */
const TOGETHER = 100;

/**
 * Apps of a file: one app_info table each (storage-format.md 12.4). The id comes from the row of that table. pynenc's purge of the state backend removes
 * the row; then the id is taken from the prefix of the tables if the hash in the prefix confirms it, and otherwise the app is omitted.
 *
 * @throws StoreUnreachableError for a store of Rustvello.
 */
export function registeredApps(handle: SqliteHandle): AppRow[] {
  const registered = handle.registeredTables().filter((tables) => tables.has("state_backend", "app_info"));
  const apps: AppRow[] = [];
  for (let from = 0; from < registered.length; from += TOGETHER) {
    apps.push(...appsOf(handle, registered.slice(from, from + TOGETHER)));
  }
  if (apps.length === 0 && handle.hasTables(RUSTVELLO)) throw rustvelloStore();
  return apps.sort((a, b) => Number(a.phantom) - Number(b.phantom) || (a.app_id < b.app_id ? -1 : 1));
}

function appsOf(handle: SqliteHandle, registered: readonly AppTables[]): AppRow[] {
  const rows = handle.all(
    registered
      .map(
        (tables, n) =>
          `SELECT * FROM (SELECT ${n} AS n, app_id, ${document("app_info_json")} AS app_info_json, ${hasInvocations(tables)} AS used
           FROM (SELECT 1) LEFT JOIN ${tables.sql("state_backend", "app_info")} LIMIT 10)`,
      )
      .join(" UNION ALL "),
  );
  return rows.flatMap(({ n, app_id, app_info_json, used }): AppRow[] => {
    const { prefix } = registered[number(n)] as AppTables;
    const phantom = number(used) === 0;
    if (app_id === null) {
      const purged = appIdOfPrefix(prefix);
      return purged === null ? [] : [{ app_id: purged, info: null, phantom }];
    }
    const id = text(app_id);
    // A row copied into another app's table would lead to tables that do not exist.
    return prefix === tablePrefix(id) ? [{ app_id: id, info: parseAppInfo(text(app_info_json)), phantom }] : [];
  });
}

/** Tables by which a store of Rustvello is recognised (storage-format.md 11). */
const RUSTVELLO = ["status_records", "broker_queue"];

function hasInvocations(tables: AppTables): string {
  const some = (["orchestrator", "state_backend"] as const).filter((component) => tables.has(component, "invocations"));
  return ["0", ...some.map((component) => `EXISTS (SELECT 1 FROM ${tables.sql(component, "invocations")})`)].join(
    " OR ",
  );
}
