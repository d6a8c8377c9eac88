/** Chances, compared with a count of all divisions of a few things into two groups. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chanceOfTimes,
  chanceOfUnlikeTimes,
  leastSeparation,
  separations,
  timedItems,
} from "../../../src/services/compare/time-chance.ts";
import {
  chanceOfCounts,
  chanceOfMore,
  leastChance,
  leastDifference,
} from "../../../src/services/model/count-chance.ts";
import { cases } from "../../support/cases.ts";

/** Subsets of `size` of the numbers below `of`. */
function subsets(of: number, size: number): number[][] {
  if (size === 0) return [[]];
  if (of < size) return [];
  return [...subsets(of - 1, size), ...subsets(of - 1, size - 1).map((subset) => [...subset, of - 1])];
}

const table = fc
  .record({ here: fc.integer({ min: 1, max: 7 }), there: fc.integer({ min: 1, max: 7 }) })
  .chain(({ here, there }) =>
    fc.record({
      here: fc.constant(here),
      there: fc.constant(there),
      a: fc.integer({ min: 0, max: here }),
      b: fc.integer({ min: 0, max: there }),
    }),
  );

describe("the chance of two counts", () => {
  test("is twice that of as many or more, or as few or fewer, among all divisions into two groups", () => {
    fc.assert(
      fc.property(table, ({ here, there, a, b }) => {
        const all = subsets(here + there, here).map((subset) => subset.filter((item) => item < a + b).length);
        const more = all.filter((count) => count >= a).length / all.length;
        const fewer = all.filter((count) => count <= a).length / all.length;
        expect(chanceOfMore({ count: a, total: here }, { count: b, total: there })).toBeCloseTo(more, 9);
        const told = chanceOfCounts({ count: a, total: here }, { count: b, total: there });
        expect(told).toBeCloseTo(Math.min(1, 2 * (a / here >= (a + b) / (here + there) ? more : fewer)), 9);
      }),
      { numRuns: cases(150) },
    );
  });

  test("has as its minimum that of the most unequal division", () => {
    fc.assert(
      fc.property(table, ({ here, there, a, b }) => {
        const all = subsets(here + there, here).map((subset) => subset.filter((item) => item < a + b).length);
        const chances = [...new Set(all)].map((count) =>
          chanceOfCounts({ count, total: here }, { count: a + b - count, total: there }),
        );
        expect(leastChance(a + b, here, there)).toBeCloseTo(Math.min(...chances), 9);
      }),
      { numRuns: cases(150) },
    );
  });

  test("is right for large counts and extreme cases", () => {
    // Fisher's tea: all four cups are right.
    expect(chanceOfMore({ count: 4, total: 4 }, { count: 0, total: 4 })).toBeCloseTo(1 / 70, 12);
    // 2 * sum(comb(15, x) * comb(925, 40 - x) for x in range(12, 16)) / comb(940, 40) in whole numbers.
    const of12 = chanceOfCounts({ count: 12, total: 40 }, { count: 3, total: 900 });
    expect(of12 / 5.044_248_487_583_176e-15).toBeCloseTo(1, 9);
    expect(chanceOfCounts({ count: 2_000, total: 2_000 }, { count: 0, total: 2_000 })).toBeLessThan(1e-300);
    // Three standard deviations above a tenth of a million.
    const ofMillions = chanceOfMore({ count: 100_949, total: 1_000_000 }, { count: 10_000_000, total: 100_000_000 });
    expect(ofMillions).toBeGreaterThan(0.0005);
    expect(ofMillions).toBeLessThan(0.0015);
    expect(chanceOfCounts({ count: 0, total: 0 }, { count: 3, total: 9 })).toBe(1);
    expect(chanceOfCounts({ count: 0, total: 5 }, { count: 0, total: 9 })).toBe(1);
  });

  test("the least difference of two shares is positive whichever is greater, and 0 if they may be equal", () => {
    const [a, b] = [
      { count: 38, total: 40 },
      { count: 12, total: 1_960 },
    ];
    const least = leastDifference(a, b);
    expect(least).toBeGreaterThan(0.75);
    expect(least).toBeLessThan(38 / 40 - 12 / 1_960);
    expect(leastDifference(b, a)).toBeCloseTo(least, 12);
    expect(leastDifference({ count: 3, total: 10 }, { count: 2, total: 10 })).toBe(0);
    // By the roots of the quadratic whose solutions Wilson's limits are.
    expect(leastDifference({ count: 56, total: 70 }, { count: 48, total: 80 })).toBeCloseTo(0.005357884958, 10);
    expect(leastDifference({ count: 30, total: 100 }, { count: 3, total: 100 })).toBeGreaterThan(
      leastDifference({ count: 3, total: 10 }, { count: 0, total: 10 }),
    );
  });
});

const timed = fc.record({
  tasks: fc.array(fc.nat(2), { minLength: 2, maxLength: 10 }),
  seconds: fc.array(fc.option(fc.nat(4), { nil: null }), { minLength: 10, maxLength: 10 }),
  classes: fc.array(fc.constantFrom(0, 1, 255), { minLength: 10, maxLength: 10 }),
  here: fc.nat(10),
});

describe("the difference of two groups in durations", () => {
  test("is measured over all pairs of one task and class, with the deviation of all divisions", () => {
    fc.assert(
      fc.property(timed, ({ tasks, seconds: given, classes, here }) => {
        const seconds = tasks.map((_, i) => given[i] ?? Number.NaN);
        const items = timedItems(Int32Array.from(tasks), Float64Array.from(seconds), here);
        const told = separations(items, Uint8Array.from(classes), 2);
        for (const [number, one] of told.entries()) {
          const own = tasks.flatMap((_, i) => (classes[i] === number && !Number.isNaN(seconds[i]) ? [i] : []));
          const mine = own.filter((i) => i < here);
          expect([one.here, one.there]).toEqual([mine.length, own.length - mine.length]);
          const surplus = (chosen: readonly number[], among: readonly number[]) =>
            chosen
              .flatMap((a) => among.filter((b) => !chosen.includes(b)).map((b) => [a, b] as const))
              .reduce((sum, [a, b]) => sum + Math.sign((seconds[a] ?? 0) - (seconds[b] ?? 0)), 0);
          let [sum, pairs, variance] = [0, 0, 0];
          for (const task of new Set(tasks)) {
            const among = own.filter((i) => tasks[i] === task);
            const chosen = among.filter((i) => i < here);
            pairs += chosen.length * (among.length - chosen.length);
            sum += surplus(chosen, among);
            const all = subsets(among.length, chosen.length).map((subset) =>
              surplus(
                subset.map((i) => among[i] ?? 0),
                among,
              ),
            );
            variance += all.reduce((total, value) => total + value * value, 0) / all.length;
          }
          expect(one.apart).toBeCloseTo(pairs === 0 ? 0 : sum / pairs, 9);
          if (pairs === 0) expect(one.deviation).toBe(Number.POSITIVE_INFINITY);
          else expect(one.deviation).toBeCloseTo(Math.sqrt(variance) / pairs, 9);
        }
      }),
      { numRuns: cases(200) },
    );
  });

  test("has the two-sided chances of the normal distribution", () => {
    const at = (apart: number, deviation = 1) => ({ here: 9, there: 9, apart, deviation });
    for (const [deviations, chance] of [
      [0, 1],
      [1, 0.317_310_508],
      [1.959_963_985, 0.05],
      [-3, 0.002_699_796],
      [6, 1.973_175_29e-9],
    ] as const) {
      expect(chanceOfTimes(at(deviations)) / chance).toBeCloseTo(1, 6);
    }
    expect(chanceOfTimes(at(2, 0))).toBe(1);
    expect(chanceOfTimes(at(0, Number.POSITIVE_INFINITY))).toBe(1);
    expect(chanceOfUnlikeTimes(at(4, 3), at(-6, 4))).toBeCloseTo(chanceOfTimes(at(2)), 12);
    expect(leastSeparation(at(-0.9, 0.1))).toBeCloseTo(0.6424, 9);
    expect(leastSeparation(at(0.2, 0.1))).toBe(0);
  });
});
