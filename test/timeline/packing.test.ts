import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packRows } from "../../src/timeline/packing.ts";

const extents = fc.array(
  fc
    .record({ from: fc.integer({ min: 0, max: 100 }), length: fc.integer({ min: 0, max: 30 }) })
    .map(({ from, length }) => ({ from, to: from + length })),
  { maxLength: 30 },
);

describe("packing bars into rows", () => {
  it("leaves no overlap in a row, and uses no more rows than bars exist at one time", () => {
    fc.assert(
      fc.property(extents, (list) => {
        const rows = packRows(list);
        list.forEach((a, i) => {
          list.forEach((b, j) => {
            if (i < j && rows[i] === rows[j]) expect(a.to <= b.from || b.to <= a.from).toBe(true);
          });
        });
        const most = Math.max(0, ...list.map(({ from }) => list.filter((e) => e.from <= from && e.to >= from).length));
        expect(new Set(rows).size).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("uses at most the given number of rows", () => {
    fc.assert(
      fc.property(extents, fc.integer({ min: 1, max: 3 }), (list, rows) => {
        expect(packRows(list, { rows, gap: 2 }).every((row) => row < rows)).toBe(true);
      }),
    );
  });

  it("keeps the gap between bars free", () => {
    const list = [
      { from: 0, to: 10 },
      { from: 11, to: 20 },
    ];
    expect([packRows(list), packRows(list, { gap: 2 })]).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });
});
