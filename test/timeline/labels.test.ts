/** Where the words of bars go. */
import { expect, test } from "vitest";
import { placeLabels } from "../../src/timeline/labels.ts";
import type { StrandShape } from "../../src/timeline/strand-shapes.ts";

const WIDTH = 1_000;

function strand(
  bars: readonly [x: number, width: number][],
  points: readonly number[] = [],
  { y = 1, outcome = null, task = "shop.t" }: { y?: number; outcome?: string | null; task?: string } = {},
): StrandShape {
  return {
    ...{ invocation_id: "i", task_id_key: task, arguments: null, exception: null, workflow_root: false },
    ...{ lane_key: "lane", runner_id: "r", row: 0, y, label: null },
    bars: bars.map(([x, width]) => ({
      ...{ status: "running", outcome, ongoing: false, dead: false, began: "", ended: null, seconds: null },
      ...{ x, width },
    })),
    points: points.map((x) => ({ status: "registered", at: "", x })),
  };
}

function labelsOf(...strands: StrandShape[]) {
  placeLabels(strands, WIDTH);
  return strands.map(({ label }) => label);
}

test("the words of a long bar are in it, between the points on it", () => {
  expect(labelsOf(strand([[100, 400]]))).toEqual([{ from: 100, to: 500, textured: false }]);
  expect(labelsOf(strand([[100, 400]], [150]))).toEqual([{ from: 155, to: 500, textured: false }]);
});

test("the words of a short bar are beside it, as far as the next mark of its row", () => {
  expect(labelsOf(strand([[100, 20]], [120]))).toEqual([{ from: 129, to: 996, textured: false }]);
  expect(labelsOf(strand([[100, 20]]), strand([[300, 20]]))[0]).toEqual({ from: 124, to: 280, textured: false });
  expect(labelsOf(strand([[100, 20]]), strand([[300, 20]], [], { y: 2 }))[0]).toEqual({
    from: 124,
    to: 996,
    textured: false,
  });
});

test("a short bar has no words where there is no room beside it, and a bar of some length has them inside", () => {
  expect(labelsOf(strand([[100, 20]]), strand([[140, 20]]))[0]).toBeNull();
  expect(labelsOf(strand([[980, 20]]))).toEqual([null]);
  expect(labelsOf(strand([[100, 150]]), strand([[260, 20]]))[0]).toEqual({ from: 100, to: 250, textured: false });
});

test("words that would be read as those of a longer bar without words close before are left out", () => {
  const long = strand([[100, 60]]);
  expect(labelsOf(strand([[175, 5]]), long)).toEqual([null, null]);
  expect(labelsOf(strand([[205, 5]]), long).map((label) => label?.from)).toEqual([214, undefined]);
});

test("there are no words where the name of the task would be cut", () => {
  const named = (task: string) => labelsOf(strand([[100, 20]], [], { task }), strand([[220, 20]]))[0];
  expect(named("shop.pay")).toEqual({ from: 124, to: 200, textured: false });
  expect(named("shop.place_order")).toBeNull();
});

test("the words of a failed bar are beside it, and over its texture only where there is no other room", () => {
  const failed = strand([[100, 400]], [], { outcome: "failed" });
  expect(labelsOf(failed)).toEqual([{ from: 504, to: 996, textured: false }]);
  expect(labelsOf(failed, strand([[510, 20]]))[0]).toEqual({ from: 100, to: 500, textured: true });
});

test("a strand without a run has no words", () => {
  expect(labelsOf(strand([], [100]))).toEqual([null]);
});
