import type { RowLimit } from "../ports/common.ts";

/** Most rows requested per id, whatever the limit. */
const MAX_PER_ID = 10_000;

/** Number of rows to request for one id. */
export function maxPerId(limit: RowLimit): number {
  return Math.min(typeof limit === "number" ? limit : limit.each, MAX_PER_ID);
}

/** Applies a limit to rows, keeping their order. @param of returns the id that a row belongs to. */
export function limited<Row>(rows: readonly Row[], limit: RowLimit, of: (row: Row) => string): Row[] {
  if (typeof limit === "number") return rows.slice(0, limit);
  const counts = new Map<string, number>();
  return rows.filter((row) => {
    const id = of(row);
    const earlier = counts.get(id) ?? 0;
    counts.set(id, earlier + 1);
    return earlier < limit.each;
  });
}
