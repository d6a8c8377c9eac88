import type { ComponentName, StorageFigure } from "../ports.ts";
import type { SqliteHandle } from "./handle.ts";
import type { AppTables } from "./tables.ts";

/** Up to this many pages (80 MB) the bytes of each table are counted; that reads every page of the file. */
const MAX_PAGES_COUNTED = 20_000;

/** Rows and bytes (table and its indexes) of each table of a component. */
export function storageFigures(handle: SqliteHandle, component: ComponentName, tables: AppTables): StorageFigure[] {
  const bytes = bytesByTable(handle);
  return tables.present(component).map(({ table, name }) => ({
    name: table,
    component,
    rows: handle.number(`SELECT count(*) FROM "${name}"`),
    bytes: bytes?.get(name) ?? null,
  }));
}

function bytesByTable(handle: SqliteHandle): Map<string, number> | null {
  if (handle.number("SELECT page_count FROM pragma_page_count") > MAX_PAGES_COUNTED) return null;
  const rows = handle.all<{ name: string; bytes: number }>(
    `SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes FROM sqlite_master m JOIN dbstat s ON s.name = m.name
     WHERE s.aggregate = TRUE GROUP BY m.tbl_name`,
  );
  return new Map(rows.map((row) => [row.name, row.bytes]));
}
