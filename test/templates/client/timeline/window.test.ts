/** Arithmetic of the window that a viewer moves through (templates/client/timeline/window.ts). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  around,
  clockOf,
  instantOf,
  naiveOf,
  panned,
  part,
  type TimeWindow,
  zoomed,
} from "../../../../templates/client/timeline/window.ts";

/** Windows from 1 millisecond to a year, in this century. */
const windows = fc
  .tuple(fc.integer({ min: 946_684_800_000, max: 3_000_000_000_000 }), fc.integer({ min: 1, max: 31_557_600_000 }))
  .map(([start, length]): TimeWindow => ({ start, end: start + length }));
const shares = fc.double({ min: 0, max: 1, noNaN: true });
const length = ({ start, end }: TimeWindow) => end - start;

describe("instants in addresses of the timeline", () => {
  it("are read back to the millisecond", () => {
    fc.assert(
      fc.property(windows, ({ start }) => {
        expect(instantOf(naiveOf(start))).toBe(start);
        expect(naiveOf(start)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000$/);
        expect(naiveOf(start)).toContain(clockOf(start));
      }),
    );
  });

  it("are limited to the years that the server accepts", () => {
    expect(naiveOf(-1)).toBe("1970-01-01T00:00:00.000000");
    expect(naiveOf(Date.UTC(2300, 0, 1))).toBe("2255-01-01T00:00:00.000000");
  });

  it("keep the microseconds that the server writes", () => {
    expect(instantOf("2026-11-21T00:34:39.169765") - instantOf("2026-11-21T00:34:39")).toBeCloseTo(169.765, 3);
    expect(instantOf("2026-11-21T00:34:39.5") - instantOf("2026-11-21T00:34:39")).toBe(500);
  });

  it.each(["", "yesterday", "2026-11-21", "2026-11-21T00:34:39+00:00", "2026-11-21T00:34:39.1234567"])(
    "are refused when they are written as %j",
    (text) => {
      expect(instantOf(text)).toBeNaN();
    },
  );
});

describe("windows of the timeline", () => {
  it("keep their length when they are moved, and can be moved back", () => {
    fc.assert(
      fc.property(windows, fc.double({ min: -2, max: 2, noNaN: true }), (window, share) => {
        const there = panned(window, share);
        expect(length(there)).toBeCloseTo(length(window), 2);
        expect(panned(there, -share).start).toBeCloseTo(window.start, 2);
      }),
    );
  });

  it("keep the instant under the pointer in place when they are zoomed, and are never empty", () => {
    fc.assert(
      fc.property(windows, fc.double({ min: 0.001, max: 1000, noNaN: true }), shares, (window, factor, around) => {
        const near = zoomed(window, factor, around);
        expect(near.end).toBeGreaterThan(near.start);
        expect(near.start + length(near) * around).toBeCloseTo(window.start + length(window) * around, 0);
      }),
    );
  });

  it("become the part that was dragged over in either direction, at most themselves", () => {
    fc.assert(
      fc.property(windows, fc.double({ min: -1, max: 2, noNaN: true }), shares, (window, from, to) => {
        const inside = part(window, from, to);
        expect(part(window, to, from)).toEqual(inside);
        expect(inside.end).toBeGreaterThan(inside.start);
        // A part too short to tell apart is widened on both sides.
        expect(inside.start).toBeGreaterThanOrEqual(window.start - 2);
        expect(inside.end).toBeLessThanOrEqual(window.end + 2);
      }),
    );
  });

  it("around a span have room on both sides", () => {
    expect(around({ start: 1_000, end: 2_000 })).toEqual({ start: 950, end: 2_050 });
    expect(around({ start: 1_000, end: 1_000 })).toEqual({ start: 998, end: 1_002 });
  });
});
