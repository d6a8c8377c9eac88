/** A scale that is linear between corners: places and times where idle times are cut, on the server and in the browser. */

export type Corner = readonly [from: number, to: number];

/** Where a value leads to. Corners are in order; values beyond the first and the last lead to where those do. */
export function alongCorners(corners: readonly Corner[], value: number): number {
  const next = corners.findIndex(([from]) => value < from);
  const [from, to] = corners.at(next < 0 ? -1 : Math.max(0, next - 1)) ?? [0, 0];
  const [after, end] = corners.at(next) ?? [from, to];
  return next <= 0 ? to : to + ((value - from) / (after - from)) * (end - to);
}
