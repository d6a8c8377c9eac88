/** Where the words of a bar go: into a long one, beside a short one if its row has room for its name; never over another mark. */

import { rowsBy } from "../pynenc/groups.ts";
import { statusInfo } from "../pynenc/statuses.ts";
import { isFailure } from "./cells.ts";
import type { Extent } from "./packing.ts";
import type { StrandShape } from "./strand-shapes.ts";

/** At the nominal width of a plot. A bar of this width has room for its words. */
const LONG = 220;
/** In a narrower bar, words would hide its colour. */
const LEAST_INSIDE = 120;
/** Width of a letter where the plot is drawn narrower than that, and of what is around a name: where more follows, an ellipsis too. */
const LETTER = 9;
const AROUND = 30;
/** Half of a point. */
const POINT = 5;
const GAP = 4;
/** Words that reach the next mark seem to be its own. */
const GAP_AFTER = 20;
/** Closer to the end of a longer bar without words, those of a shorter one seem to be its own. */
const NEAR = 40;

/** Sets the label of each strand with a run, if there is a place for it. @param width of the plot */
export function placeLabels(strands: readonly StrandShape[], width: number): void {
  for (const row of rowsBy(strands, ({ lane_key, y }) => `${y} ${lane_key}`).values()) {
    const points = row.flatMap((strand) => strand.points.map(({ x }) => ({ from: x - POINT, to: x + POINT })));
    const marks = [
      ...points,
      ...row.flatMap(({ bars }) => bars.map((bar) => ({ from: bar.x, to: bar.x + bar.width }))),
    ];
    // Words beside a bar are read as those of a longer one close before it, so that one comes first.
    const unnamed: Extent[] = [];
    for (const strand of row.toSorted((a, b) => longestRun(b).width - longestRun(a).width)) {
      const begin = strand.bars[0]?.x ?? 0;
      const nameless = unnamed.some(({ to }) => to <= begin && begin - to < NEAR);
      strand.label = placeOf(strand, points, marks, width, nameless);
      if (strand.label === null) unnamed.push(...strand.bars.map((bar) => ({ from: bar.x, to: bar.x + bar.width })));
    }
  }
}

function longestRun({ bars }: StrandShape) {
  const runs = bars.filter(({ status }) => status === "running" || status === "resumed");
  return runs.reduce((best, bar) => (bar.width > best.width ? bar : best), runs[0] ?? NO_BAR);
}

/** The function of a task, which says most. */
export function shortTask(task_id_key: string | null): string {
  return task_id_key?.split(".").at(-1) ?? "task not known";
}

function placeOf(
  strand: StrandShape,
  points: readonly Extent[],
  marks: readonly Extent[],
  width: number,
  nameless: boolean,
): StrandShape["label"] {
  const { bars, points: own, task_id_key } = strand;
  const longest = longestRun(strand);
  if (longest.width === 0) return null;
  // A cut name says nothing.
  const least = shortTask(task_id_key).length * LETTER + AROUND;
  const colour = longest.outcome ?? longest.status;
  const textured = longest.dead || statusInfo(colour).glyph !== "disc" || isFailure(colour);
  const inside = longestGap({ from: longest.x, to: longest.x + longest.width }, points);
  if (!textured && lengthOf(inside) >= Math.max(LONG, least)) return { ...inside, textured };
  const end = Math.max(...bars.map((bar) => bar.x + bar.width), ...own.map(({ x }) => x + POINT));
  const taken = marks.filter(({ to }) => to > end).map(({ from }) => from);
  const beside = { from: end + GAP, to: Math.min(width - GAP, ...taken.map((from) => from - GAP_AFTER)) };
  if (!nameless && lengthOf(beside) >= least) return { ...beside, textured: false };
  return lengthOf(inside) >= Math.max(LEAST_INSIDE, least) ? { ...inside, textured } : null;
}

const NO_BAR = { x: 0, width: 0, status: "", outcome: null, dead: false };

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
