/** Choosing what is drawn, and counting the rest. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bandsByLane, levelOf } from "../../src/timeline/bands.ts";
import {
  chooseDrawn,
  countedDensity,
  estimatedDensity,
  stepsWithin,
  type TrackedInvocation,
} from "../../src/timeline/histories.ts";

const WINDOW = { start: 100, end: 200, now: 180 };

const tracked: fc.Arbitrary<TrackedInvocation[]> = fc
  .array(
    fc.record({
      task_id_key: fc.option(fc.constantFrom(...Array.from({ length: 12 }, (_, n) => `tasks.t${n}`))),
      steps: fc.array(
        fc.record({
          at: fc.double({ min: 80, max: 220, noNaN: true }),
          status: fc.constantFrom("registered", "pending", "running", "paused", "success", "failed", "retry"),
          runner_id: fc.option(fc.constantFrom("a", "b")),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      afterwards: fc.constantFrom("ongoing" as const, "continues" as const),
    }),
    { maxLength: 25 },
  )
  .map((list) =>
    list.map((one, n) => ({ ...one, invocation_id: `i${n}`, steps: one.steps.sort((a, b) => a.at - b.at) })),
  );

const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);
/** What rows add up to in each slice. */
const slicesOf = (rows: readonly { counts: readonly number[] }[], slices: number) =>
  Array.from({ length: slices }, (_, slice) => sum(rows.map((row) => row.counts[slice] ?? 0)));
const changes = (list: readonly TrackedInvocation[]) => sum(list.map((one) => stepsWithin(one, WINDOW).length));

describe("what is drawn", () => {
  it("keeps to the budget, draws what was asked for first, and counts exactly the rest", () => {
    fc.assert(
      fc.property(tracked, fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 20 }), (list, marks, limit) => {
        const asked = new Set(list.slice(-1).map((one) => one.invocation_id));
        const { drawn, counted } = chooseDrawn(list, WINDOW, { marks, limit, first: asked });
        expect(drawn.length + counted.length).toBe(list.length);
        expect(new Set([...drawn, ...counted]).size).toBe(list.length);
        expect(drawn.length).toBeLessThanOrEqual(limit);
        expect(changes(drawn)).toBeLessThanOrEqual(marks);
        const density = countedDensity(counted, WINDOW, 10);
        expect(sum(density.totals) + changes(drawn)).toBe(changes(list));
      }),
    );
  });

  it("prefers what takes more room", () => {
    const lasting = (id: string, seconds: number): TrackedInvocation => ({
      invocation_id: id,
      task_id_key: null,
      steps: [
        { at: 110, status: "running", runner_id: "a" },
        { at: 110 + seconds, status: "success", runner_id: "a" },
      ],
      afterwards: "continues",
    });
    const list = [lasting("short", 1), lasting("long", 50), lasting("middle", 10)];
    const chosen = chooseDrawn(list, WINDOW, { marks: 4, limit: 10, first: new Set() });
    expect(chosen.drawn.map((one) => one.invocation_id)).toEqual(["long", "middle"]);
    const asked = chooseDrawn(list, WINDOW, { marks: 4, limit: 10, first: new Set(["short"]) });
    expect(asked.drawn.map((one) => one.invocation_id)).toEqual(["short", "long"]);
  });
});

describe("density", () => {
  it("conserves counts: rows add up to totals, totals to the changes", () => {
    fc.assert(
      fc.property(tracked, fc.integer({ min: 1, max: 50 }), (list, slices) => {
        const density = countedDensity(list, WINDOW, slices);
        expect(sum(density.totals)).toBe(changes(list));
        expect(density.totals).toHaveLength(slices);
        expect(slicesOf(density.rows, slices)).toEqual(density.totals);
        const lanes = bandsByLane(density, () => "one");
        expect(sum((lanes.get("one") ?? []).map((band) => band.total))).toBe(changes(list));
      }),
    );
  });

  it("from a sample adds up to the exact total of each slice", () => {
    const shares = fc.array(
      fc.record({
        runner_id: fc.option(fc.constantFrom("a", "b", "c")),
        status: fc.constantFrom("running", "success"),
        met: fc.integer({ min: 1, max: 50 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const slices = fc.array(fc.record({ total: fc.integer({ min: 0, max: 1_000_000 }), shares }), { minLength: 1 });
    fc.assert(
      fc.property(slices, (sample) => {
        const density = estimatedDensity(
          sample.map(({ total, shares: all }) => ({
            total,
            shares: [...new Map(all.map((share) => [`${share.runner_id} ${share.status}`, share])).values()],
          })),
        );
        expect(slicesOf(density.rows, sample.length)).toEqual(sample.map(({ total }) => total));
        expect(Math.min(0, ...density.rows.flatMap((row) => row.counts))).toBe(0);
      }),
    );
  });

  it("shows one among ten thousand", () => {
    expect([levelOf(0, 10_000), levelOf(1, 10_000), levelOf(10_000, 10_000), levelOf(1, 1)]).toEqual([0, 1, 4, 4]);
  });
});
