import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimelineOccupancy } from "../../src/api/timeline.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { occupancyGeometry } from "../../src/timeline/occupancy.ts";

/** From 103 to 200, in slices of ten seconds from 100 on. */
const DRAWN = { start: isoFromEpoch(103), end: isoFromEpoch(200) };
const PLOT = { width: 970, compact: false, breaks: [], left: 0 };

function occupancy(...groups: (number | null)[][]): TimelineOccupancy {
  const totals = Array.from({ length: 10 }, (_, n) =>
    groups.some((counts) => counts[n] === null) ? null : groups.reduce((sum, counts) => sum + (counts[n] ?? 0), 0),
  );
  const categories = ["registered", "pending", "running"].slice(-groups.length);
  return {
    categories,
    from: isoFromEpoch(100),
    slice_seconds: 10,
    slices: 10,
    totals,
    totals_are: "within",
    waiting: null,
    waiting_is: "at_end",
    waiting_last: null,
    waiting_unknown: null,
    groups: groups.map((counts, n) => ({ category: categories[n] ?? "", counts })),
    tasks: [{ task_id_key: null, counts: totals }],
  };
}

describe("the columns of the occupancy chart", () => {
  it("do not exist if no invocation was active", () => {
    expect(occupancyGeometry({ occupancy: occupancy(new Array(10).fill(0)), ...DRAWN }, PLOT)).toBeNull();
  });

  it("are stacked, as high as their counts, inside the plot", () => {
    const counts = fc.array(fc.nat(50), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 3 }), (groups) => {
        const given = occupancy(...groups);
        const drawn = occupancyGeometry({ occupancy: given, ...DRAWN }, PLOT);
        const most = Math.max(...given.totals.map((n) => n ?? 0));
        expect(drawn?.max ?? 0).toBe(most);
        if (drawn === null) return;
        const heights = new Map<number, number>();
        const columns = drawn.layers.flatMap((layer) => layer.columns);
        const floating = columns.filter(({ x, y, height }) => {
          const below = heights.get(x) ?? 0;
          heights.set(x, below + height);
          return !(Math.abs(y + height + below - drawn.height) < 0.005);
        });
        expect(floating).toEqual([]);
        expect(columns.filter(({ x, width }) => !(x >= 0 && x + width <= PLOT.width + 1e-6))).toEqual([]);
        const sums = [...heights.values()].map((height) => Math.round((height / drawn.height) * most));
        expect(sums.sort()).toEqual(
          given.totals
            .map((n) => n ?? 0)
            .filter((n) => n > 0)
            .sort(),
        );
      }),
    );
  });

  it("have what runs at the bottom, then what is pending, then what is registered", () => {
    const given = occupancy(new Array(10).fill(1), new Array(10).fill(2), new Array(10).fill(3));
    const drawn = occupancyGeometry({ occupancy: given, ...DRAWN }, PLOT);
    const lower = drawn?.layers.map(({ category, columns: [first] }) => [
      category,
      Math.round((first?.y ?? 0) + (first?.height ?? 0)),
    ]);
    expect(lower).toEqual([
      ["running", 44],
      ["pending", 22],
      ["registered", 7],
    ]);
  });

  it("begin at the start of their slice, and are cut at the ends of the window", () => {
    const drawn = occupancyGeometry({ occupancy: occupancy([1, 1, 0, 0, 0, 0, 0, 0, 0, 1]), ...DRAWN }, PLOT);
    expect(drawn?.layers[0]?.columns.map(({ x, width }) => [Math.round(x), Math.round(width)])).toEqual([
      [0, 70],
      [70, 100],
      [870, 100],
    ]);
    expect(drawn?.slices[0]).toMatchObject({ start: DRAWN.start, end: isoFromEpoch(110) });
  });

  it("are missing where the count is unknown, which is marked", () => {
    const some = occupancyGeometry({ occupancy: occupancy([2, 1, 0, 0, 0, 0, 0, 0, null, null]), ...DRAWN }, PLOT);
    expect(some?.unknown.map(({ x, width }) => [Math.round(x), Math.round(width)])).toEqual([
      [770, 100],
      [870, 100],
    ]);
    const none = occupancyGeometry({ occupancy: null, ...DRAWN }, PLOT);
    expect([none?.unknown, none?.layers]).toEqual([[{ x: 0, width: 970 }], []]);
  });
});
