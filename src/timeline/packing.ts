/** Rows within a lane: extents that overlap in time go into different rows. */

export interface Extent {
  from: number;
  to: number;
}

/**
 * The row of each extent, in order: the first free one. Extents that merely touch share a row. `gap` is the minimum distance between two extents of a
 * row. `rows` is the maximum number of rows: if all are taken, the one that becomes free first is reused.
 */
export function packRows(extents: readonly Extent[], { gap = 0, rows = Number.POSITIVE_INFINITY } = {}): number[] {
  const order = extents.map((_, index) => index).sort((a, b) => start(a) - start(b) || end(b) - end(a) || a - b);
  const rowOf: number[] = new Array(extents.length).fill(0);
  /** Until where each row is taken. */
  const taken: number[] = [];
  for (const index of order) {
    let row = taken.findIndex((until) => until + gap <= start(index));
    if (row < 0) row = taken.length < rows ? taken.length : taken.indexOf(Math.min(...taken));
    taken[row] = Math.max(taken[row] ?? Number.NEGATIVE_INFINITY, end(index));
    rowOf[index] = row;
  }
  return rowOf;

  function start(index: number): number {
    return extents[index]?.from ?? 0;
  }
  function end(index: number): number {
    return extents[index]?.to ?? 0;
  }
}
