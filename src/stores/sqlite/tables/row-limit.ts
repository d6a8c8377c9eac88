import type { RowLimit } from "../../ports/common.ts";

/** Rows of a table by the ids in `json_each(...) j`, within a `RowLimit`. */
interface PerId {
  table: string;
  /** Holds the id; indexed. */
  column: string;
  /** Which rows of an id come first. */
  order: string;
  /** Rows that have this column in common count as one. */
  distinct?: string;
}

/**
 * The condition that joins a table (by its alias) with the ids, and the values of that condition and of the `LIMIT ?` at the end of the
 * statement. SQLite has no lateral join: rows are picked by a limited subquery that runs once for each id.
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
  // A negative limit is none.
  return { on: (alias) => `${alias}.rowid IN (${picked})`, values: [limit.each, -1] };
}
