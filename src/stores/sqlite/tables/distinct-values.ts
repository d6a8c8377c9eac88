import { text } from "./columns.ts";
import type { Queries } from "./queries.ts";

/**
 * Distinct values of an indexed text column in order, by hopping along its index from one value to the next: one lookup per value, where SELECT
 * DISTINCT would read the complete index.
 *
 * @param table quoted name
 * @param limit -1 for all
 */
export function distinctValues(handle: Queries, table: string, column: string, limit = -1): string[] {
  return handle.all(`${distinctSql(table, column)} LIMIT ?`, limit).map((row) => text(row.v));
}

/** The statement of `distinctValues`, for a query that counts its rows. */
export function distinctSql(table: string, column: string): string {
  return `WITH RECURSIVE hop(v) AS (
      SELECT min(${column}) FROM ${table}
      UNION ALL
      SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > v) FROM hop WHERE v IS NOT NULL
    ) SELECT v FROM hop WHERE v IS NOT NULL`;
}
