/**
 * Which instant is at a place, both as shares: of the window and of the width. They are the same where no idle time is cut. Plain arithmetic on
 * `data-breaks` of the drawing.
 */

/** A break: where it begins and ends in the width, and in time. */
type Break = readonly [x1: number, x2: number, t1: number, t2: number];

/** Corners of the line from places to instants. */
function corners(breaks: string | undefined): [x: number, time: number][] {
  const read = (breaks ?? "")
    .split(";")
    .filter((one) => one !== "")
    .map((one) => one.split(" ").map(Number) as unknown as Break);
  return [
    [0, 0],
    ...read.flatMap(([x1, x2, t1, t2]): [number, number][] => [
      [x1, t1],
      [x2, t2],
    ]),
    [1, 1],
  ];
}

/** The share of the window that has passed at a position, extrapolated linearly outside the drawing. */
export function timeShare(x: number, breaks: string | undefined): number {
  if (x <= 0 || x >= 1) return x;
  const points = corners(breaks);
  const next = points.findIndex(([place]) => place > x);
  const [x1, t1] = points[next - 1] ?? [0, 0];
  const [x2, t2] = points[next] ?? [1, 1];
  return t1 + ((x - x1) / (x2 - x1)) * (t2 - t1);
}
