import type { RowLimit } from "../../ports/common.ts";

/** Selects rows of a table by the ids in `json_each(...) j`, within a `RowLimit`. */
interface PerId {
  table: string;
  /** Indexed column with the id. */
  column: string;
  /** ORDER BY for the rows of one id. */
  order: string;
  /** Rows with the same value in this column count as one. */
  distinct?: string;
}

/**
 * The condition that joins a table (by its alias) with the ids, and the values of that condition and of the `LIMIT ?` at the end of the statement.
 * SQLite has no lateral join, so a limited subquery selects the rows once per id.
 */
export function limitedPerId(
  { table, column, order, distinct }: PerId,
  limit: RowLimit,
): { on(alias: string): string; values: number[] } {
  if (typeof limit === "number") return { on: (alias) => `${alias}.${column} = j.value`, values: [limit] };
  const picked =
    distinct === undefined
      ? `SELECT k.rowid FROM ${table} k WHERE k.${column} = j.value ORDER BY ${order} LIMIT ?`
      : `SELECT min(k.rowid) FROM ${table} k WHERE k.${column} = j.value GROUP BY k.${distinct} ORDER BY ${order} LIMIT ?`;
  // A negative limit means no limit.
  return { on: (alias) => `${alias}.rowid IN (${picked})`, values: [limit.each, -1] };
}
