import type { ComponentName } from "../../ports/common.ts";
import type { StorageFigure } from "../../ports/layout.ts";
import type { Queries } from "./queries.ts";
import type { AppTables } from "./tables.ts";

/** Bytes per table are counted in files up to this many pages (80 MB), because counting reads every page. */
const MAX_PAGES_COUNTED = 20_000;

/**
 * Tables up to this many rows are counted. Counting walks an index, and that of the history is the largest object in the file: 6 million rows took
 * 0.3 s from memory and 9 s from disk.
 */
const MAX_ROWS_COUNTED = 2_000_000;

/**
 * Rows and bytes (table and its indexes) of each table of a component.
 *
 * @param bytes of the tables in the component's file.
 */
export function storageFigures(
  handle: Queries,
  component: ComponentName,
  tables: AppTables,
  bytes: TableBytes | null,
): StorageFigure[] {
  return tables.present(component).map(({ table, name }) => ({
    name: table,
    component,
    ...rowsOf(handle, tables.name(component, table)),
    bytes: bytes?.get(name) ?? null,
  }));
}

/** pynenc empties complete tables and deletes single rows only from small ones, so the range of rowids gives the size of a large table. */
export function rowsOf(handle: Queries, table: string): { rows: number; exact: boolean } {
  const last = handle.number(`SELECT rowid FROM ${table} ORDER BY rowid DESC LIMIT 1`);
  const first = handle.number(`SELECT rowid FROM ${table} ORDER BY rowid LIMIT 1`);
  const span = last === 0 ? 0 : last - first + 1;
  return span > MAX_ROWS_COUNTED
    ? { rows: span, exact: false }
    : { rows: handle.number(`SELECT count(*) FROM ${table}`), exact: true };
}

export type TableBytes = ReadonlyMap<string, number>;

/** Bytes of every table of a file with its indexes; null if counting would read too much or SQLite does not support it. */
export function bytesByTable(handle: Queries): TableBytes | null {
  if (handle.number("SELECT page_count FROM pragma_page_count") > MAX_PAGES_COUNTED) return null;
  // The SQLite of Node 22.13 to 22.15 was built without dbstat.
  if (handle.number("SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'") === 0) return null;
  const tableOf = new Map(
    handle
      .all<{ name: string; tbl_name: string }>("SELECT name, tbl_name FROM sqlite_master")
      .map((row) => [row.name, row.tbl_name]),
  );
  const bytes = new Map<string, number>();
  // Joined here, because SQL would scan the pages once per name.
  for (const { name, size } of handle.all<{ name: string; size: number }>(
    "SELECT name, pgsize AS size FROM dbstat WHERE aggregate = TRUE",
  )) {
    const table = tableOf.get(name) ?? name;
    bytes.set(table, (bytes.get(table) ?? 0) + size);
  }
  return bytes;
}
