/** What a database holds, row by row, to compare before and after. */
import Database from "better-sqlite3";

/** Every row of every table as the texts of its values with their storage classes, in order of rowid. */
export function tableRows(path: string): Record<string, string[]> {
  const db = new Database(path, { readonly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      tables.map((table) => {
        const columns = (db.pragma(`table_info("${table}")`) as { name: string }[]).map(
          ({ name }) => `quote("${name}")`,
        );
        const rows = db
          .prepare(`SELECT ${columns.join(" || '|' || ")} FROM "${table}"`)
          .pluck()
          .all() as string[];
        return [table, rows.sort()];
      }),
    );
  } finally {
    db.close();
  }
}

/** Tables whose rows differ, with the number of rows before and after. */
export function changedTables(
  before: Record<string, string[]>,
  after: Record<string, string[]>,
): Record<string, [number, number]> {
  return Object.fromEntries(
    Object.keys({ ...before, ...after })
      .filter((table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]))
      .map((table) => [table, [before[table]?.length ?? 0, after[table]?.length ?? 0]]),
  );
}
