/** Distances from now. */
import { expect, test } from "vitest";
import { age } from "../../src/presentation/age.ts";

test("from one to two hours ages are in minutes, sixty included", () => {
  expect([3_599, 3_600, 3_660, 7_199, 7_200].map(age)).toEqual([
    "59 min ago",
    "60 min ago",
    "61 min ago",
    "119 min ago",
    "2 h ago",
  ]);
});
