/** Whether a share has risen: checked against chance. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chanceFor, isMuchMore, onsetOf, rose, type Share } from "../../../src/services/verdicts/shares.ts";
import { cases } from "../../support/cases.ts";

describe("the rise of a share", () => {
  it("is recognised if it is large and not by chance", () => {
    const before = { hits: 20, of: 1_000 };
    expect(rose({ hits: 12, of: 60 }, before)).toBe(true);
    expect(rose({ hits: 3, of: 60 }, before)).toBe(false);
    // Enough of a rise, and chance may have made it.
    expect(rose({ hits: 12, of: 60 }, { hits: 0, of: 40 })).toBe(false);
    // Not by chance, and too little: a tenth more.
    expect(rose({ hits: 110_000, of: 1_000_000 }, { hits: 100_000, of: 1_000_000 })).toBe(false);
  });

  it("is recognised for small numbers from three hits on if the difference is clear", () => {
    expect(rose({ hits: 14, of: 14 }, { hits: 0, of: 12 })).toBe(true);
    expect(rose({ hits: 4, of: 4 }, { hits: 20, of: 1_000 })).toBe(true);
    expect(rose({ hits: 3, of: 3 }, { hits: 0, of: 12 })).toBe(false);
    expect(rose({ hits: 3, of: 3 }, { hits: 0, of: 1_000 })).toBe(true);
    expect(rose({ hits: 2, of: 2 }, { hits: 0, of: 1_000_000 })).toBe(false);
    expect(rose({ hits: 14, of: 14 }, { hits: 0, of: 0 })).toBe(false);
  });

  it("needs a smaller chance the more tasks are compared", () => {
    const [now, before] = [
      { hits: 12, of: 12 },
      { hits: 0, of: 12 },
    ];
    expect(rose(now, before, chanceFor(10))).toBe(true);
    expect(rose(now, before, chanceFor(1_000))).toBe(false);
  });

  it("is recognised if most failed before and half of what succeeded fails now", () => {
    expect(isMuchMore({ hits: 80, of: 100 }, { hits: 60, of: 100 })).toBe(true);
    expect(isMuchMore({ hits: 79, of: 100 }, { hits: 60, of: 100 })).toBe(false);
  });

  it("is not recognised for any of 2,000 tasks with an unchanged share", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 2 ** 31 - 2 }),
        (share, of, ofBefore, seed) => {
          let state = seed;
          const draw = () => {
            state = (state * 48_271) % 2_147_483_647;
            return state / 2_147_483_647;
          };
          const hitsIn = (n: number) => Array.from({ length: n }, draw).filter((one) => one < share).length;
          expect(rose({ hits: hitsIn(of), of }, { hits: hitsIn(ofBefore), of: ofBefore })).toBe(false);
        },
      ),
      { numRuns: cases(2_000), seed: 7 },
    );
  });
});

describe("the start of a higher share", () => {
  const low: Share = { hits: 0, of: 20 };
  const high: Share = { hits: 10, of: 20 };
  const [now, before] = [
    { hits: 20, of: 40 },
    { hits: 0, of: 200 },
  ];

  it("is where the last stretch with that share begins, not at a single earlier hit", () => {
    expect(onsetOf([low, low, high, high], now, before)).toBe(2);
    expect(onsetOf([{ hits: 1, of: 20 }, low, high, low, high], now, before)).toBe(2);
    expect(onsetOf([low, low], now, before)).toBeNull();
    expect(onsetOf([], now, before)).toBeNull();
  });

  it("does not move as more of the same comes in", () => {
    const shares = [low, low, high];
    for (let n = 0; n < 50; n++) {
      shares.push(n % 3 === 2 ? { hits: 4, of: 20 } : high);
      expect(onsetOf(shares, now, before)).toBe(2);
    }
  });
});
