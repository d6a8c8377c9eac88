import type { RowLimit } from "../../ports/common.ts";

/** Most rows requested per id, whatever the limit. */
const MOST_OF_ONE = 10_000;

/** Number of rows to request for one id. */
export function mostOfOne(limit: RowLimit): number {
  return Math.min(typeof limit === "number" ? limit : limit.each, MOST_OF_ONE);
}

/** Applies a limit to rows, keeping their order. @param of returns the id that a row belongs to. */
export function limited<Row>(rows: readonly Row[], limit: RowLimit, of: (row: Row) => string): Row[] {
  if (typeof limit === "number") return rows.slice(0, limit);
  const met = new Map<string, number>();
  return rows.filter((row) => {
    const id = of(row);
    const earlier = met.get(id) ?? 0;
    met.set(id, earlier + 1);
    return earlier < limit.each;
  });
}
