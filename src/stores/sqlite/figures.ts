import type { ComponentName, StorageFigure } from "../ports.ts";
import type { Queries } from "./queries.ts";
import type { AppTables } from "./tables.ts";

/** Up to this many pages (80 MB) the bytes of each table are counted; that reads every page of the file. */
const MAX_PAGES_COUNTED = 20_000;

/**
 * Up to this many rows are counted. Counting walks an index, and that of the history is the largest thing in the file: 6 million rows took
 * 0.3 s from memory and 9 s from disk.
 */
const MAX_ROWS_COUNTED = 2_000_000;

/** Rows and bytes (table and its indexes) of each table of a component. */
export function storageFigures(handle: Queries, component: ComponentName, tables: AppTables): StorageFigure[] {
  const bytes = bytesByTable(handle);
  return tables.present(component).map(({ table, name }) => ({
    name: table,
    component,
    ...rowsOf(handle, tables.sql(component, table)),
    bytes: bytes?.get(name) ?? null,
  }));
}

/** pynenc empties tables as a whole and deletes single rows from small ones only, so the span of rowids tells the size of a large one. */
export function rowsOf(handle: Queries, table: string): { rows: number; exact: boolean } {
  const last = handle.number(`SELECT rowid FROM ${table} ORDER BY rowid DESC LIMIT 1`);
  const first = handle.number(`SELECT rowid FROM ${table} ORDER BY rowid LIMIT 1`);
  const span = last === 0 ? 0 : last - first + 1;
  return span > MAX_ROWS_COUNTED
    ? { rows: span, exact: false }
    : { rows: handle.number(`SELECT count(*) FROM ${table}`), exact: true };
}

function bytesByTable(handle: Queries): Map<string, number> | null {
  if (handle.number("SELECT page_count FROM pragma_page_count") > MAX_PAGES_COUNTED) return null;
  // The SQLite of Node 22.13 to 22.15 was built without it.
  if (handle.number("SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'") === 0) return null;
  const rows = handle.all<{ name: string; bytes: number }>(
    `SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes FROM sqlite_master m JOIN dbstat s ON s.name = m.name
     WHERE s.aggregate = TRUE GROUP BY m.tbl_name`,
  );
  return new Map(rows.map((row) => [row.name, row.bytes]));
}
