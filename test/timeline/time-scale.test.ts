import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochFromIso } from "../../src/pynenc/time.ts";
import { clampedPosition, labelAnchor, NARROW_END, position, timeTicks } from "../../src/timeline/time-scale.ts";

const scales = fc
  .record({
    start: fc.double({ min: 0, max: 4e9, noNaN: true }),
    length: fc.double({ min: 0.002, max: 3e8, noNaN: true }),
    width: fc.integer({ min: 100, max: 3_000 }),
  })
  .map(({ start, length, width }) => ({ start, end: start + length, width }));

describe("ticks of a time scale", () => {
  it("lie inside the window, at round times, far enough apart to be read", () => {
    fc.assert(
      fc.property(scales, (scale) => {
        const ticks = timeTicks(scale);
        const times = ticks.map((tick) => epochFromIso(tick.at) ?? Number.NaN);
        for (const [index, tick] of ticks.entries()) {
          expect(tick.x).toBeGreaterThanOrEqual(-1e-6);
          expect(tick.x).toBeLessThanOrEqual(scale.width + 1e-6);
          expect(tick.x - (ticks[index - 1]?.x ?? Number.NEGATIVE_INFINITY)).toBeGreaterThan(30);
        }
        expect(times).toEqual([...times].sort((a, b) => a - b));
        // Two ticks that a step of whole milliseconds, seconds or days parts are multiples of it.
        const step = Math.round(((times[1] ?? 0) - (times[0] ?? 0)) * 1000);
        if (ticks.length > 2 && step > 0 && step < 86_400_000)
          expect(times.every((at) => Math.round(at * 1000) % step === 0)).toBe(true);
      }),
    );
  });

  it.each([
    [25, 1_200, ["00:34:35", "00:34:40", "00:34:45", "00:34:50", "00:34:55", "00:35:00"]],
    [0.5, 600, ["00:34:35.000", "00:34:35.100", "00:34:35.200", "00:34:35.300", "00:34:35.400", "00:34:35.500"]],
    [3_600, 500, ["00:45", "01:00", "01:15", "01:30"]],
  ])("of %s seconds in %s pixels", (length, width, labels) => {
    const start = Date.UTC(2026, 10, 21, 0, 34, 35) / 1000;
    expect(timeTicks({ start, end: start + length, width }).map((tick) => tick.label)).toEqual(labels);
  });

  it("have the date on the first one and where it changes", () => {
    const start = Date.UTC(2026, 10, 20, 22) / 1000;
    const dates = timeTicks({ start, end: start + 4 * 3_600, width: 600 }).map((tick) => tick.date);
    expect(dates.filter((date) => date !== null)).toEqual(["2026-11-20", "2026-11-21"]);
  });
});

describe("positions on a time scale", () => {
  it("grow with time and stay inside when clamped", () => {
    fc.assert(
      fc.property(scales, fc.double({ min: -1, max: 2, noNaN: true }), (scale, share) => {
        const at = scale.start + (scale.end - scale.start) * share;
        expect(position(scale, at)).toBeCloseTo(share * scale.width, -1);
        expect(clampedPosition(scale, at)).toBeGreaterThanOrEqual(0);
        expect(clampedPosition(scale, at)).toBeLessThanOrEqual(scale.width);
      }),
    );
  });

  it("are the left edge in a window without length", () => {
    expect(position({ start: 5, end: 5, width: 100 }, 5)).toBe(0);
  });
});

describe("labels of ticks", () => {
  // A date is 62 pixels wide; a phone shows a plot of 1,200 units on 277 pixels, and one that is not narrow has at least 848.
  it.each([
    [277, NARROW_END],
    [848, undefined],
  ])("stay inside a plot that is %i pixels wide", (pixels, end) => {
    for (let x = 0; x <= 1_200; x += 10) {
      const anchor = labelAnchor(x, 1_200, end);
      const start = (x / 1_200) * pixels - { start: 0, middle: 31, end: 62 }[anchor];
      expect(start).toBeGreaterThanOrEqual(0);
      expect(start + 62).toBeLessThanOrEqual(pixels);
    }
  });

  it("are centred on their tick where there is room, and begin or end there closer to an end of a narrow plot", () => {
    expect([40, 100, 1_100, 1_160].map((x) => labelAnchor(x, 1_200))).toEqual(["start", "middle", "middle", "end"]);
    expect([100, 600, 1_100].map((x) => labelAnchor(x, 1_200, NARROW_END))).toEqual(["start", "middle", "end"]);
  });
});
