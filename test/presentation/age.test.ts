/** Distances from now. */
import { expect, test } from "vitest";
import { age } from "../../src/presentation/age.ts";

test("between one and two hours ages are in minutes", () => {
  expect([3_599, 3_600, 3_660, 7_199, 7_200].map(age)).toEqual([
    "59 min ago",
    "1 h ago",
    "61 min ago",
    "119 min ago",
    "2 h ago",
  ]);
});
