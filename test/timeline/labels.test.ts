/** Where the words of bars go. */
import { expect, test } from "vitest";
import { placeLabels } from "../../src/timeline/labels.ts";
import type { StrandShape } from "../../src/timeline/strand-shapes.ts";

const WIDTH = 1_000;

function strand(bars: readonly [x: number, width: number][], points: readonly number[] = [], y = 1): StrandShape {
  return {
    ...{ invocation_id: "i", task_id_key: "t", arguments: null, exception: null, workflow_root: false },
    ...{ lane_key: "lane", runner_id: "r", row: 0, y, label: null },
    bars: bars.map(([x, width]) => ({
      ...{ status: "running", outcome: null, ongoing: false, dead: false, began: "", ended: null, seconds: null },
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
  expect(labelsOf(strand([[100, 400]]))).toEqual([{ from: 100, to: 500 }]);
  expect(labelsOf(strand([[100, 400]], [150]))).toEqual([{ from: 155, to: 500 }]);
});

test("the words of a short bar are beside it, as far as the next mark of its row", () => {
  expect(labelsOf(strand([[100, 20]], [120]))).toEqual([{ from: 129, to: 996 }]);
  expect(labelsOf(strand([[100, 20]]), strand([[300, 20]]))[0]).toEqual({ from: 124, to: 296 });
  expect(labelsOf(strand([[100, 20]]), strand([[300, 20]], [], 2))[0]).toEqual({ from: 124, to: 996 });
});

test("a short bar has no words where there is no room beside it, and a bar of some length has them inside", () => {
  expect(labelsOf(strand([[100, 20]]), strand([[150, 20]]))[0]).toBeNull();
  expect(labelsOf(strand([[980, 20]]))).toEqual([null]);
  expect(labelsOf(strand([[100, 150]]), strand([[260, 20]]))[0]).toEqual({ from: 100, to: 250 });
});

test("a strand without a run has no words", () => {
  expect(labelsOf(strand([], [100]))).toEqual([null]);
});
