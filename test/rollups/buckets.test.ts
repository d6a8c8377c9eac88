import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Buckets, HOUR, MINUTE, ONE_SLICE, type Slices, type TimeSpan } from "../../src/rollups/buckets.ts";
import { roundLength } from "../../src/rollups/figures.ts";
import { eachPacked, joined, packed, separated } from "../../src/rollups/packed-bucket.ts";
import {
  BUSY_SECONDS,
  CONTINUED,
  entering,
  FIRST_SEEN,
  isCount,
  keyOf,
  LAST_SEEN,
  leaving,
  memberOf,
  merged,
  PAUSED_SECONDS,
  RUN_BINS,
  slotOf,
  WAIT_BINS,
} from "../../src/rollups/slots.ts";
import { cases } from "../support/cases.ts";

/** One of each kind of slot, and the first and last of those that are many. */
const SLOTS = [
  entering("registered"),
  entering("no such status"),
  leaving("running"),
  CONTINUED,
  PAUSED_SECONDS,
  BUSY_SECONDS,
  FIRST_SEEN,
  LAST_SEEN,
  WAIT_BINS,
  RUN_BINS - 1,
  RUN_BINS,
  RUN_BINS + 1_535,
];

const key = fc.tuple(fc.integer({ min: 0, max: 45_000 }), fc.constantFrom(...SLOTS)).map(([a, b]) => keyOf(a, b));
const entry = key.chain((one) =>
  fc.tuple(
    fc.constant(one),
    isCount(one)
      ? fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
      : fc.double({ noNaN: true }),
  ),
);

describe("a packed bucket", () => {
  test("is the same after being joined with others and separated again", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.uint8Array())), (buckets) => {
        const all = new Map(buckets);
        expect(separated(joined(all))).toEqual(all);
      }),
    );
  });

  test("contains every number, in the order of the keys", () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ([one]) => one, maxLength: 400 }), (entries) => {
        const found: [number, number][] = [];
        eachPacked(packed(new Map(entries)), (one, number) => found.push([one, number]));
        expect(found).toEqual(entries.toSorted(([a], [b]) => a - b));
      }),
    );
  });

  test("takes one byte for a count of one with a key close to the previous one", () => {
    const keys = Array.from({ length: 50 }, (_, i) => keyOf(3, WAIT_BINS + i));
    expect(packed(new Map(keys.map((one) => [one, 1]))).byteLength).toBeLessThanOrEqual(53);
  });

  test("has keys from which member and slot can be read back", () => {
    for (const member of [0, 1, 45_000]) {
      for (const slot of SLOTS)
        expect([memberOf(keyOf(member, slot)), slotOf(keyOf(member, slot))]).toEqual([member, slot]);
    }
  });
});

describe("buckets of figures", () => {
  /** Minute by minute, as often as there are minutes. */
  const filled = (minutes: number, members: number) => {
    const buckets = new Buckets();
    for (let round = 0; round < 2; round++) {
      for (let minute = 0; minute < minutes; minute++) {
        for (let member = 0; member < members; member++) buckets.at(minute * MINUTE).add(member, BUSY_SECONDS, 0.25);
      }
    }
    return buckets;
  };
  const sums = (buckets: Buckets) => {
    const sums = new Map<number, number>();
    const add = (at: number, _member: number, _slot: number, number: number) =>
      sums.set(at, (sums.get(at) ?? 0) + number);
    buckets.forEach({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }, add, ONE_SLICE);
    return sums;
  };

  test("can be added to after they were packed", () => {
    expect(sums(filled(300, 3))).toEqual(new Map(Array.from({ length: 300 }, (_, i) => [i * MINUTE, 1.5])));
  });

  test("of hours contain the sums of their minutes", () => {
    const buckets = filled(150, 3);
    buckets.advance(50 * HOUR);
    expect([...sums(buckets)].toSorted(([a], [b]) => a - b)).toEqual([
      [0, 90],
      [HOUR, 90],
      ...Array.from({ length: 30 }, (_, i) => [2 * HOUR + i * MINUTE, 1.5]),
    ]);
  });

  test("are packed however large they are, except the current ones", () => {
    // Each number takes forty bytes in an open bucket, and less than half of that in a packed one.
    expect(filled(40, 5_000).bytes).toBeLessThan(40 * 5_000 * 20);
  });

  describe("with sums for whole hours", () => {
    type Change =
      | { kind: "add"; minute: number; member: number; slot: number; number: number }
      | { kind: "sum"; packs: boolean }
      | { kind: "drop"; from: number; to: number }
      | { kind: "advance"; to: number };
    const HOURS = 6;
    const minute = fc.integer({ min: 0, max: HOURS * 60 - 1 });
    const change: fc.Arbitrary<Change> = fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({
          kind: fc.constant("add" as const),
          minute,
          member: fc.integer({ min: 0, max: 2 }),
          slot: fc.constantFrom(entering("registered"), FIRST_SEEN, LAST_SEEN),
          number: fc.integer({ min: 1, max: 300 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("sum" as const), packs: fc.boolean() }) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(minute, minute)
          .map(([a, b]) => ({ kind: "drop" as const, from: a * MINUTE + 7, to: b * MINUTE })),
      },
      { weight: 1, arbitrary: minute.map((to) => ({ kind: "advance" as const, to: to * MINUTE })) },
    );
    /** Opens as many later ones as may be open, so that all others are packed. */
    const packAll = (buckets: Buckets) => {
      for (let n = 0; n < 64; n++) buckets.at((HOURS * 60 + n) * MINUTE);
    };
    const changed = (buckets: Buckets, one: Change, sums: boolean) => {
      if (one.kind === "add") buckets.at(one.minute * MINUTE).add(one.member, one.slot, one.number);
      else if (one.kind === "drop") buckets.drop(one);
      else if (one.kind === "advance") buckets.advance(one.to);
      else {
        if (one.packs) packAll(buckets);
        if (sums) buckets.sumHours(Number.POSITIVE_INFINITY);
      }
    };
    /** By slice, member and slot, as those who read them add them up. */
    const read = (buckets: Buckets, span: TimeSpan, slices: Slices) => {
      const { from, length, to: last = Number.POSITIVE_INFINITY } = slices;
      const found = new Map<string, number>();
      const visit = (at: number, member: number, slot: number, number: number) => {
        const key = `${at >= last ? "later" : Math.floor((at - from) / length)} ${member} ${slot}`;
        const known = found.get(key);
        found.set(key, known === undefined ? number : merged(slot, known, number));
      };
      buckets.forEach(span, visit, slices);
      return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    };

    test("give the same for every span and slice, after any additions, drops and merges", () => {
      fc.assert(
        fc.property(
          fc.array(change, { minLength: 10, maxLength: 60 }),
          minute,
          fc.integer({ min: 0, max: HOURS * 60 }),
          fc.constantFrom(MINUTE, 10 * MINUTE, HOUR, 2 * HOUR, Number.POSITIVE_INFINITY),
          fc.option(minute, { nil: undefined }),
          (changes, first, minutes, length, last) => {
            const [summed, plain] = [new Buckets(undefined, 2 * HOUR), new Buckets(undefined, 2 * HOUR)];
            for (const one of [...changes, { kind: "sum" as const, packs: false }]) {
              changed(summed, one, true);
              changed(plain, one, false);
            }
            const span = plain.aligned({ from: first * MINUTE, to: (first + minutes) * MINUTE });
            const slices = {
              from: span.from,
              length: Math.max(length, plain.longestIn(span)),
              ...(last !== undefined && { to: plain.beginning(last * MINUTE) }),
            };
            expect(read(summed, span, slices)).toEqual(read(plain, span, slices));
          },
        ),
        { numRuns: cases(400) },
      );
    });

    test("are read from these sums instead of the minutes, and count them in their size", () => {
      const buckets = filled(150, 3);
      packAll(buckets);
      const minutes = buckets.bytes;
      expect(buckets.sumHours(Number.POSITIVE_INFINITY)).toBe(false);
      const found = sums(buckets);
      expect(found.get(0)).toBe(90);
      expect(found.get(MINUTE)).toBeUndefined();
      expect(found.get(2 * HOUR)).toBe(45);
      const later: number[] = [];
      buckets.forEach({ from: 0, to: 3 * HOUR }, (at) => later.push(at), { from: 0, length: MINUTE, to: HOUR });
      expect(new Set(later).size).toBe(60 + 2);
      expect(buckets.bytes).toBeGreaterThan(minutes);
    });

    test("are saved with the buckets", () => {
      const buckets = filled(150, 3);
      packAll(buckets);
      expect(sums(new Buckets(buckets.saved())).get(0)).toBe(90);
    });

    test("are summed hour by hour, as far as the time allows", () => {
      const buckets = filled(300, 1);
      packAll(buckets);
      expect(buckets.sumHours(0)).toBe(true);
      expect(sums(buckets).size).toBeGreaterThan(5);
      expect(buckets.sumHours(Number.POSITIVE_INFINITY)).toBe(false);
      expect(buckets.sumHours(0)).toBe(false);
    });
  });
});

describe("buckets from which a span is dropped", () => {
  test("lose the minutes that touch the span, and keep the others", () => {
    const now = Math.floor(1_790_000_000 / HOUR) * HOUR;
    const minutes = (buckets: Buckets, span: TimeSpan) => {
      const found: number[] = [];
      buckets.forEach(span, (at) => found.push((at - now) / MINUTE), ONE_SLICE);
      return found.toSorted((a, b) => a - b);
    };
    const span = { from: now, to: now + HOUR };
    const buckets = new Buckets();
    for (const minute of [0, 1, 2, 3]) buckets.at(now + minute * MINUTE).add(0, entering("registered"), 1);
    buckets.drop({ from: now + MINUTE + 7, to: now + 3 * MINUTE });
    expect(minutes(buckets, span)).toEqual([0, 3]);
  });
});

test("the slices of a span have the shortest of the round lengths of which not too many are needed", () => {
  const sliceOf = (seconds: number) => roundLength({ from: 0, to: seconds }, 60);
  const round = [
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1_800,
    HOUR,
    7_200,
    10_800,
    21_600,
    43_200,
    86_400,
    172_800,
  ];
  for (const [n, length] of round.entries()) {
    const next = round[n + 1] ?? 604_800;
    expect([length, sliceOf(60 * length), sliceOf(60 * length + 1)]).toEqual([length, length, next]);
  }
  expect(sliceOf(60 * 604_800 + 1)).toBe(2 * 604_800);
});
