import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenScale } from "../../src/timeline/broken-scale.ts";
import { labelAnchor } from "../../src/timeline/time-scale.ts";

const WIDTH = 1000;

describe("a scale with breaks", () => {
  it("is an even scale without long idle times", () => {
    const scale = brokenScale({ start: 0, end: 100, width: WIDTH }, [
      { from: 0, to: 30 },
      { from: 49, to: 100 },
    ]);
    expect(scale.breaks).toEqual([]);
    expect([0, 25, 100].map((at) => scale.position(at))).toEqual([0, 250, 1000]);
  });

  it("makes a long idle time narrow and gives its space to the rest", () => {
    const scale = brokenScale({ start: 0, end: 1000, width: WIDTH }, [
      { from: 0, to: 10 },
      { from: 2, to: 20 },
      { from: 990, to: 1000 },
    ]);
    expect(scale.breaks).toEqual([{ x: 640, width: 40, seconds: 970, start: 20, end: 990, labelled: true }]);
    expect([0, 10, 20, 990, 1000].map((at) => Math.round(scale.position(at)))).toEqual([0, 320, 640, 680, 1000]);
    // No label stands in the break, and each is where its instant is.
    for (const { x, at } of scale.ticks) {
      expect(Math.abs(x - 660)).toBeGreaterThanOrEqual(62);
      expect(scale.position(Date.parse(at) / 1000)).toBeCloseTo(x, 6);
    }
    expect(scale.ticks.length).toBeGreaterThan(3);
    expect(scale.ticks.flatMap((tick) => tick.date ?? [])).toEqual(["1970-01-01"]);
  });

  it("has no break before the first and after the last busy time", () => {
    const scale = brokenScale({ start: 0, end: 100, width: WIDTH }, [{ from: 50, to: 51 }]);
    expect(scale.breaks).toEqual([]);
  });

  it("has a position for instants without duration, and for a single instant", () => {
    const instants = brokenScale({ start: 0, end: 100, width: WIDTH }, [
      { from: 0, to: 0 },
      { from: 50, to: 50 },
      { from: 100, to: 100 },
    ]);
    expect(instants.breaks).toEqual([]);
    expect([0, 50, 100].map((at) => instants.position(at))).toEqual([0, 500, 1000]);
    const one = brokenScale({ start: 7, end: 7, width: WIDTH }, [{ from: 7, to: 7 }]);
    expect(one.position(7)).toBe(0);
  });

  it("omits labels that would touch others, whatever their length and anchor", () => {
    // Milliseconds, which are long, in a narrow part at the end.
    const scale = brokenScale({ start: 0, end: 35.5, width: WIDTH }, [
      { from: 0, to: 4.3 },
      { from: 20.4, to: 23.7 },
      { from: 35, to: 35.5 },
    ]);
    expect(scale.breaks).toHaveLength(2);
    const labels = [
      ...scale.ticks.map(({ x, label }) => {
        const wide = label.length * 6.3;
        const anchor = labelAnchor(x, WIDTH);
        return anchor === "start" ? [x, x + wide] : anchor === "end" ? [x - wide, x] : [x - wide / 2, x + wide / 2];
      }),
      ...scale.breaks.map(({ x, width }) => [x + width / 2 - 44, x + width / 2 + 44]),
    ].sort(([a = 0], [b = 0]) => a - b);
    expect(labels.length).toBeGreaterThan(6);
    for (const [n, [from = 0]] of labels.entries()) {
      expect(from).toBeGreaterThanOrEqual(labels[n - 1]?.[1] ?? Number.NEGATIVE_INFINITY);
    }
  });

  it("keeps the order of instants, inside the plot", () => {
    const times = fc.array(fc.tuple(fc.nat(1000), fc.nat(50)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(times, fc.array(fc.nat(1100), { maxLength: 20 }), (spans, asked) => {
        const busy = spans.map(([from, lasts]) => ({ from, to: from + lasts }));
        const start = Math.min(...busy.map((one) => one.from));
        const end = Math.max(...busy.map((one) => one.to));
        const scale = brokenScale({ start, end, width: WIDTH }, busy);
        const places = [...asked].sort((a, b) => a - b).map((at) => scale.position(at));
        for (const [n, x] of places.entries()) {
          expect(x).toBeGreaterThanOrEqual(places[n - 1] ?? 0);
          expect(x).toBeLessThanOrEqual(WIDTH + 1e-9);
        }
        if (end > start) expect([scale.position(start), Math.round(scale.position(end))]).toEqual([0, WIDTH]);
        for (const tick of scale.ticks) {
          for (const { x, width, labelled } of scale.breaks) {
            expect(Math.abs(tick.x - x - width / 2)).toBeGreaterThanOrEqual(labelled ? 62 : width / 2);
          }
        }
        const labelled = scale.breaks.filter((one) => one.labelled);
        const longest = Math.max(...scale.breaks.map((one) => one.seconds));
        expect(labelled.some((one) => one.seconds === longest)).toBe(scale.breaks.length > 0);
        for (const [n, one] of labelled.entries()) {
          const before = labelled[n - 1];
          if (before !== undefined)
            expect(one.x + one.width / 2 - before.x - before.width / 2).toBeGreaterThanOrEqual(88);
        }
        // What is idle is never a busy time.
        for (const { x, width } of scale.breaks) {
          for (const { from, to } of busy) {
            const [left, right] = [scale.position(from), scale.position(to)];
            expect(right <= x + 1e-6 || left >= x + width - 1e-6).toBe(true);
          }
        }
      }),
    );
  });
});
