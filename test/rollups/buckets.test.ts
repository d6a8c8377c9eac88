import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Buckets, HOUR, MINUTE } from "../../src/rollups/buckets.ts";
import { eachPacked, packed } from "../../src/rollups/packed-bucket.ts";
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
  PAUSED_SECONDS,
  RUN_BINS,
  slotOf,
  WAIT_BINS,
} from "../../src/rollups/slots.ts";

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
  test("holds every number, in the order of the keys", () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ([one]) => one, maxLength: 400 }), (entries) => {
        const found: [number, number][] = [];
        eachPacked(packed(new Map(entries)), (one, number) => found.push([one, number]));
        expect(found).toEqual(entries.toSorted(([a], [b]) => a - b));
      }),
    );
  });

  test("takes one byte for what happened once and is close to another", () => {
    const keys = Array.from({ length: 50 }, (_, i) => keyOf(3, WAIT_BINS + i));
    expect(packed(new Map(keys.map((one) => [one, 1]))).byteLength).toBeLessThanOrEqual(53);
  });

  test("is of a key that says what it is of", () => {
    for (const member of [0, 1, 45_000]) {
      for (const slot of SLOTS)
        expect([memberOf(keyOf(member, slot)), slotOf(keyOf(member, slot))]).toEqual([member, slot]);
    }
  });
});

describe("buckets", () => {
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
    buckets.forEach({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }, (at, _member, _slot, number) => {
      sums.set(at, (sums.get(at) ?? 0) + number);
    });
    return sums;
  };

  test("are added to again after they were packed", () => {
    expect(sums(filled(300, 3))).toEqual(new Map(Array.from({ length: 300 }, (_, i) => [i * MINUTE, 1.5])));
  });

  test("of hours hold what the minutes held", () => {
    const buckets = filled(150, 3);
    buckets.advance(50 * HOUR);
    expect([...sums(buckets)].toSorted(([a], [b]) => a - b)).toEqual([
      [0, 90],
      [HOUR, 90],
      ...Array.from({ length: 30 }, (_, i) => [2 * HOUR + i * MINUTE, 1.5]),
    ]);
  });

  test("are packed however large they are, but for those of a moment", () => {
    // Each number takes forty bytes in an open bucket, and less than half of that in a packed one.
    expect(filled(40, 5_000).bytes).toBeLessThan(40 * 5_000 * 20);
  });
});
