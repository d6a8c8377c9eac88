/** Where the words of a bar go: into a long one, beside a short one if its row has room there; never over another mark. */
import { rowsBy } from "../pynenc/groups.ts";
import type { Extent } from "./packing.ts";
import type { StrandShape } from "./strand-shapes.ts";

/** At the nominal width of a plot. A bar of this width has room for its words. */
const LONG = 220;
/** Narrower places have no room for a word; in a bar, words would hide its colour. */
const LEAST_BESIDE = 56;
const LEAST_INSIDE = 120;
/** Half of a point. */
const POINT = 5;
const GAP = 4;

/** Sets the label of each strand with a run, if there is a place for it. @param width of the plot */
export function placeLabels(strands: readonly StrandShape[], width: number): void {
  for (const row of rowsBy(strands, ({ lane_key, y }) => `${y} ${lane_key}`).values()) {
    const points = row.flatMap((strand) => strand.points.map(({ x }) => ({ from: x - POINT, to: x + POINT })));
    const marks = [
      ...points,
      ...row.flatMap(({ bars }) => bars.map((bar) => ({ from: bar.x, to: bar.x + bar.width }))),
    ];
    for (const strand of row) strand.label = placeOf(strand, points, marks, width);
  }
}

function placeOf(
  { bars, points: own }: StrandShape,
  points: readonly Extent[],
  marks: readonly Extent[],
  width: number,
): Extent | null {
  const runs = bars.filter(({ status }) => status === "running" || status === "resumed");
  const longest = runs.reduce((best, bar) => (bar.width > best.width ? bar : best), runs[0] ?? NO_BAR);
  if (longest.width === 0) return null;
  const inside = longestGap({ from: longest.x, to: longest.x + longest.width }, points);
  if (lengthOf(inside) >= LONG) return inside;
  const end = Math.max(...bars.map((bar) => bar.x + bar.width), ...own.map(({ x }) => x + POINT));
  const taken = marks.filter(({ to }) => to > end).map(({ from }) => from);
  const beside = { from: end + GAP, to: Math.min(width, ...taken) - GAP };
  if (lengthOf(beside) >= LEAST_BESIDE) return beside;
  return lengthOf(inside) >= LEAST_INSIDE ? inside : null;
}

const NO_BAR = { x: 0, width: 0 };

function lengthOf({ from, to }: Extent): number {
  return to - from;
}

/** The longest part without any of these. */
function longestGap({ from, to }: Extent, taken: readonly Extent[]): Extent {
  let [at, best]: [number, Extent] = [from, { from, to: from }];
  const within = taken.filter((one) => one.to > from && one.from < to).sort((a, b) => a.from - b.from);
  for (const one of [...within, { from: to, to }]) {
    if (one.from - at > lengthOf(best)) best = { from: at, to: one.from };
    at = Math.max(at, one.to);
  }
  return best;
}
