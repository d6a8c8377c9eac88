/** Parts of a window to zoom into. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { occupancySpan, occupancyStep } from "../../src/pynenc/occupancy.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { zoomGroups } from "../../src/timeline/zoom-groups.ts";

const windows = fc.record({
  start: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_900_000 }).map((ms) => ms / 1_000),
  length: fc.constantFrom(0.5, 7, 60, 300, 3_600, 86_400, 20 * 86_400),
});

function groups(start: number, length: number) {
  const window = { start, end: start + length };
  const { from, buckets } = occupancySpan({ from: start, to: window.end }, occupancyStep(length));
  const sliced = { from: isoFromEpoch(from), slice_seconds: occupancyStep(length), slices: buckets };
  return { groups: zoomGroups(sliced, window), first: Math.round(from / sliced.slice_seconds), slices: buckets };
}

it("zoom groups contain every slice once, in order, and are wide enough to click", () => {
  fc.assert(
    fc.property(windows, ({ start, length }) => {
      const { groups: found, slices } = groups(start, length);
      expect(found.flatMap(([first, after]) => Array.from({ length: after - first }, (_, n) => first + n))).toEqual(
        Array.from({ length: slices }, (_, n) => n),
      );
      expect(found.length).toBeLessThanOrEqual(26);
      expect(found.length).toBeGreaterThan(10);
    }),
  );
});

it("zoom groups stay in place when the window moves", () => {
  fc.assert(
    fc.property(windows, fc.double({ min: 0, max: 1, noNaN: true }), ({ start, length }, part) => {
      const edges = (at: number) => {
        const { groups: found, first } = groups(at, length);
        return found.slice(1).map(([begin]) => first + begin);
      };
      const [before, after] = [edges(start), edges(start + part * length)];
      const shared = before.filter((edge) => edge > (after[0] ?? Number.POSITIVE_INFINITY));
      expect(shared).toEqual(after.slice(1, 1 + shared.length));
    }),
  );
});

it("zoom groups are the slices themselves if these are wide enough", () => {
  expect(zoomGroups({ from: isoFromEpoch(0), slice_seconds: 10, slices: 6 }, { start: 0, end: 60 })).toEqual(
    [0, 1, 2, 3, 4, 5].map((n) => [n, n + 1]),
  );
});
