/** What is said of the parts of a lane of columns, against counting each change by itself. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochFromIso, isoFromEpoch } from "../../src/pynenc/time.ts";
import { densityOf } from "../../src/timeline/density.ts";
import type { TrackedInvocation } from "../../src/timeline/histories.ts";
import { partsOf } from "../../src/timeline/parts.ts";

const START = 1_780_000_000;
const WINDOW = { start: START, end: START + 3_600, now: START + 3_600 };

const steps = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 3_599 }).map((second) => START + second),
    status: fc.constantFrom("running", "success", "failed", "killed"),
    runner_id: fc.constantFrom("a", "b"),
  }),
  { minLength: 1, maxLength: 6 },
);

const tracked = fc
  .array(fc.record({ task: fc.constantFrom("shop.pay", "shop.ship", null), steps }), { maxLength: 12 })
  .map((all) =>
    all.map(
      ({ task, steps: own }, n): TrackedInvocation => ({
        invocation_id: `i${n}`,
        task_id_key: task,
        steps: own.toSorted((one, other) => one.at - other.at),
        afterwards: "ongoing",
      }),
    ),
  );

describe("the parts of lanes of columns", () => {
  it("say how many changes and failures there were, of which tasks, and when the first and the last were", () => {
    fc.assert(
      fc.property(tracked, (invocations) => {
        const density = densityOf(invocations, WINDOW, false, undefined, []);
        const from = epochFromIso(density.from) ?? 0;
        const parts = partsOf(density, WINDOW, ({ runner_id }) => runner_id ?? undefined);
        const all = invocations.flatMap(({ task_id_key: task, steps: own }) => own.map((step) => ({ ...step, task })));
        expect(parts.reduce((sum, part) => sum + part.all.total, 0)).toBe(all.length);
        for (const { lane_key, slices, ...part } of parts) {
          const [begin, end] = slices.map((slice) => from + slice * density.slice_seconds) as [number, number];
          const own = all.filter(({ at, runner_id }) => runner_id === lane_key && at >= begin && at < end);
          for (const [counted, changes] of [
            [part.all, own],
            [part.failed, own.filter(({ status }) => status === "failed" || status === "killed")],
          ] as const) {
            const times = changes.map(({ at }) => isoFromEpoch(at)).sort();
            expect([counted?.total ?? 0, counted?.first, counted?.last]).toEqual([
              changes.length,
              times[0],
              times.at(-1),
            ]);
            const tasks: Record<string, number> = {};
            for (const { task } of changes) if (task !== null) tasks[task] = (tasks[task] ?? 0) + 1;
            expect(Object.fromEntries((counted?.tasks ?? []).map(({ task, total }) => [task, total]))).toEqual(tasks);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it("are fewer and longer if there are many lanes, so that all of them together stay few", () => {
    const many = Array.from(
      { length: 100 },
      (_, n): TrackedInvocation => ({
        invocation_id: `i${n}`,
        task_id_key: "shop.pay",
        steps: Array.from({ length: 36 }, (__, m) => ({ at: START + m * 100, status: "success", runner_id: `r${n}` })),
        afterwards: "ongoing",
      }),
    );
    const parts = partsOf(densityOf(many, WINDOW, false, undefined, []), WINDOW, ({ runner_id }) => runner_id ?? "");
    expect(parts.length).toBeLessThanOrEqual(300);
    expect(parts.reduce((sum, { all }) => sum + all.total, 0)).toBe(3_600);
  });

  it("name no task and whole slices where changes were only counted by runner", () => {
    const rows = [{ runner_id: "a", task_id_key: null, status: "failed", counts: [0, 3, 0, 1] }];
    const counted = { counted: null, whole: true, busy: null, totals: [0, 3, 0, 1], rows };
    const density = { ...counted, from: isoFromEpoch(START), slice_seconds: 900, slices: 4 };
    const parts = partsOf(density, WINDOW, ({ runner_id }) => runner_id ?? undefined);
    expect(parts.map(({ failed }) => failed)).toEqual([
      { total: 3, tasks: [], first: isoFromEpoch(START + 900), last: isoFromEpoch(START + 1_800) },
      { total: 1, tasks: [], first: isoFromEpoch(START + 2_700), last: isoFromEpoch(START + 3_600) },
    ]);
  });
});
