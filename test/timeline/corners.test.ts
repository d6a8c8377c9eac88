/** A scale that is linear between its corners. */
import { expect, test } from "vitest";
import { alongCorners, type Corner } from "../../src/timeline/corners.ts";

test("a value between two corners leads to the same share between theirs, and one beyond them to the nearest", () => {
  const corners: Corner[] = [
    [0, 10],
    [10, 20],
    [20, 60],
  ];
  expect([-1, 0, 5, 10, 15, 20, 21].map((value) => alongCorners(corners, value))).toEqual([10, 10, 15, 20, 40, 60, 60]);
});
