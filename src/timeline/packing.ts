/** Rows within a lane: what overlaps in time is put into different rows. */

export interface Extent {
  from: number;
  to: number;
}

/**
 * The row of each extent, in their order: the first one that is free. Extents that touch share a row. With `gap`, that much stays free
 * between two of a row; `rows` at most are used, and where all are taken, the one that becomes free first is used again.
 */
export function packRows(extents: readonly Extent[], { gap = 0, rows = Number.POSITIVE_INFINITY } = {}): number[] {
  const order = extents.map((_, index) => index).sort((a, b) => start(a) - start(b) || end(b) - end(a) || a - b);
  const rowOf: number[] = new Array(extents.length).fill(0);
  /** Where each row is taken until. */
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
