/** Lists by key. */
import { expect, test } from "vitest";
import { addTo, listsOf, rowsBy } from "../../src/pynenc/groups.ts";

test("a value goes to the end of the list of its key, and begins that list if it is the first", () => {
  const lists = new Map([["a", [1]]]);
  addTo(lists, "a", 2);
  addTo(lists, "b", 3);
  expect([...lists]).toEqual([
    ["a", [1, 2]],
    ["b", [3]],
  ]);
});

test("rows are grouped in their order, null is a key like any other, and rows without a key are left out", () => {
  const rows = [
    { id: 1, of: "b" },
    { id: 2, of: null },
    { id: 3, of: undefined },
    { id: 4, of: "b" },
    { id: 5, of: null },
  ];
  const ids = [...rowsBy(rows, (row) => row.of)].map(([key, own]) => [key, own.map(({ id }) => id)]);
  expect(ids).toEqual([
    ["b", [1, 4]],
    [null, [2, 5]],
  ]);
});

test("pairs are grouped by their first member", () => {
  const pairs = [
    ["x", 1],
    ["y", 2],
    ["x", 3],
  ] as const;
  expect([...listsOf(pairs)]).toEqual([
    ["x", [1, 3]],
    ["y", [2]],
  ]);
});
