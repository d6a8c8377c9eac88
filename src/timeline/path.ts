/** Where the critical path goes in a drawing, whatever its rows are. */
import type { CriticalPath } from "../api/model/critical-path.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";

export interface PathPiece<Row> {
  row: Row;
  x: number;
  width: number;
}

/**
 * In the order of time. Consecutive phases in one row are one piece.
 *
 * @param rowOf the row of an invocation at a position; null if it has none there.
 */
export function pathPieces<Row>(
  path: CriticalPath | null,
  position: (at: EpochSeconds) => number,
  rowOf: (invocationId: string, x: number) => Row | null,
): PathPiece<Row>[] {
  const pieces: PathPiece<Row>[] = [];
  for (const { invocation_id, from, to } of path?.segments ?? []) {
    const x = position(epochFromIso(from) ?? 0);
    const width = position(epochFromIso(to) ?? 0) - x;
    const row = rowOf(invocation_id, x + width / 2);
    const last = pieces.at(-1);
    if (row === null) continue;
    if (last?.row === row && Math.abs(last.x + last.width - x) < 1e-6) last.width += width;
    else pieces.push({ row, x, width });
  }
  return pieces;
}
