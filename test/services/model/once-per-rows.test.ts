import { expect, it } from "vitest";
import { oncePerRows } from "../../../src/services/model/once-per-rows.ts";

it("a value derived from rows is computed once per list, and again for another list of the same rows", () => {
  let computed = 0;
  const sum = oncePerRows((rows: readonly number[]) => {
    computed++;
    return rows.length === 0 ? undefined : rows.reduce((total, row) => total + row, 0);
  });
  const rows = [1, 2];
  expect([sum(rows), sum(rows), computed]).toEqual([3, 3, 1]);
  expect([sum([1, 2]), computed]).toEqual([3, 2]);
  const none: number[] = [];
  expect([sum(none), sum(none), computed]).toEqual([undefined, undefined, 3]);
});
