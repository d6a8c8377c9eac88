/** Choosing what is drawn, and counting the rest. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochFromIso as epochOrNull } from "../../src/pynenc/time.ts";
import { cellsByLane } from "../../src/timeline/cells.ts";
import { densityOf, estimatedDensity } from "../../src/timeline/density.ts";
import { chooseDrawn, fairShares, stepsWithin, type TrackedInvocation } from "../../src/timeline/histories.ts";
import { busiest, lanesOf, MAX_LANES } from "../../src/timeline/lanes.ts";

const epochFromIso = (iso: string) => epochOrNull(iso) ?? Number.NaN;
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

describe("the choice of what is drawn", () => {
  it("keeps to the budget, includes what was requested first, and counts the rest exactly", () => {
    fc.assert(
      fc.property(tracked, fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 20 }), (list, marks, limit) => {
        const asked = new Set(list.slice(-1).map((one) => one.invocation_id));
        const { drawn, counted } = chooseDrawn(list, WINDOW, { marks, limit, first: asked });
        expect(drawn.length + counted.length).toBe(list.length);
        expect(new Set([...drawn, ...counted]).size).toBe(list.length);
        expect(drawn.length).toBeLessThanOrEqual(limit);
        expect(changes(drawn)).toBeLessThanOrEqual(marks);
        const density = densityOf(counted, WINDOW);
        expect(sum(density.totals) + changes(drawn)).toBe(changes(list));
      }),
    );
  });

  it("prefers what takes more space", () => {
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

it("the longest of thousands of one-invocation runners have bars, all in one lane", () => {
  const list = Array.from({ length: 4_000 }, (_, n): TrackedInvocation => {
    const at = 100 + (n * 90) / 4_000;
    const runner_id = `once ${n}`;
    const steps = [
      { at, status: "pending", runner_id },
      { at: at + 0.1, status: "running", runner_id },
      { at: at + (n % 100 === 7 ? 9 : 1), status: "success", runner_id },
    ];
    return { invocation_id: `i${n}`, task_id_key: "t", steps, afterwards: "continues" };
  });
  const { drawn } = chooseDrawn(list, WINDOW, { marks: 900, limit: 500, first: new Set() });
  expect(drawn.filter(({ invocation_id }) => /07$/.test(invocation_id)).length).toBeGreaterThan(30);
  const runners = list.map(({ steps }) => ({
    runner_id: steps[0]?.runner_id ?? "",
    runner_cls: "ThreadRunner",
    hostname: null,
    pid: null,
    thread_id: null,
    parent_runner_id: null,
    busy_seconds: 1,
  }));
  const marks = runners.map(({ runner_id }) => ({ home: { runner_id }, count: 3, failed: 0 }));
  const lanes = lanesOf(runners, marks, { group: "runner", collapseExternal: true, maxLanes: MAX_LANES });
  expect(lanes.lanes.map(({ kind, runner_ids }) => [kind, runner_ids.length])).toEqual([["other", 4_000]]);
});

it("a runner with more than one invocation has its own lane beside thousands with one", () => {
  const kept = busiest([5, ...Array.from({ length: 4_000 }, () => 3), 4], (marks) => marks, MAX_LANES);
  expect(kept).toEqual([5, 4]);
  expect(busiest([1, 2, 1, 1], (marks) => marks, 2)).toEqual([2, 1]);
});

describe("the choice of what is drawn in each lane", () => {
  const runs = (task: string, count: number, seconds: number, more: Partial<TrackedInvocation> = {}) =>
    Array.from({ length: count }, (_, n): TrackedInvocation => {
      const at = 100 + (n * 90) / count;
      return {
        invocation_id: `${task}${n}`,
        task_id_key: task,
        steps: [
          { at, status: "running", runner_id: task },
          { at: at + seconds, status: "success", runner_id: task },
        ],
        afterwards: "continues",
        ...more,
      };
    });
  const chosen = (list: TrackedInvocation[], more = {}) =>
    chooseDrawn(list, WINDOW, { marks: 200, limit: 100, first: new Set(), byTask: true, ...more }).drawn;
  const of = (list: TrackedInvocation[], task: string) => list.filter((one) => one.task_id_key === task).length;

  it("does not reduce a quiet lane in favour of a busy one", () => {
    for (const byTask of [true, false]) {
      const drawn = chosen([...runs("busy", 2_000, 2), ...runs("quiet", 10, 0.001)], { byTask });
      expect([of(drawn, "quiet"), of(drawn, "busy") > 20, of(drawn, "busy") <= 90]).toEqual([10, true, true]);
    }
  });

  it("excludes too narrow bars only if not all fit", () => {
    expect(of(chosen(runs("a", 150, 0.1)), "a")).toBe(0);
    expect(of(chosen(runs("a", 90, 0.1)), "a")).toBe(90);
  });

  it("has at most twelve rows for a lane that does not fit", () => {
    const drawn = chosen(runs("a", 150, 95));
    expect(of(drawn, "a")).toBe(12);
  });

  it("includes ongoing and requested invocations first", () => {
    const long = runs("a", 150, 3);
    const now: TrackedInvocation = {
      invocation_id: "now",
      task_id_key: "a",
      steps: [{ at: 179.99, status: "running", runner_id: "a" }],
      afterwards: "ongoing",
    };
    const ids = chosen([...long, now], { first: new Set(["a7"]), marks: 20 }).map((one) => one.invocation_id);
    expect(ids).toEqual(expect.arrayContaining(["now", "a7"]));
  });

  it("keeps to the limit even for requested invocations", () => {
    const list = runs("a", 10, 1);
    const first = new Set(list.slice(0, 5).map((one) => one.invocation_id));
    expect(chosen(list, { first, limit: 2 })).toHaveLength(2);
    expect(chosen(list, { first, marks: 6 })).toHaveLength(3);
  });

  it.each([
    [10, [3, 3, 3], [3, 3, 3]],
    [10, [1, 20, 20], [1, 4, 5]],
    [0, [1, 2], [0, 0]],
    [7, [100], [7]],
    [5, [], []],
  ])("divides %i among those that want %j as %j", (room, wanted, shares) => {
    expect(fairShares(room, wanted)).toEqual(shares);
  });
});

describe("the density of a timeline", () => {
  it("conserves counts: rows add up to totals, and totals to the changes", () => {
    fc.assert(
      fc.property(tracked, (list) => {
        const density = densityOf(list, WINDOW);
        const { slices } = density;
        expect(sum(density.totals)).toBe(changes(list));
        expect(density.totals).toHaveLength(slices);
        expect(slicesOf(density.rows, slices)).toEqual(density.totals);
        const lane = cellsByLane(density, () => "one").get("one");
        expect(lane?.total ?? 0).toBe(changes(list));
        expect(sum((lane?.statuses ?? []).map(({ total }) => total))).toBe(changes(list));
        expect(sum((lane?.runs ?? []).map(({ total, length }) => total * length))).toBe(changes(list));
      }),
    );
  });

  it("has slices that stay in place when the window moves", () => {
    const windows = fc.record({
      length: fc.constantFrom(0.3, 7, 60, 300, 3_600, 86_400, 40 * 366 * 86_400),
      later: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(tracked, windows, (list, { length, later }) => {
        const at = (start: number) => densityOf(list, { start, end: start + length, now: start + length });
        const [before, after] = [at(100), at(100 + later * length)];
        const begins = ({ from, step }: typeof before, n: number) => Math.round(epochFromIso(from) / step) + n;
        // A slice cut by the beginning or the end of a window may hold more in the other window.
        const whole = (density: typeof before) =>
          new Map(density.totals.map((total, n) => [begins(density, n), total] as const).slice(1, -1));
        expect(after.step).toBe(before.step);
        expect(before.slices).toBeLessThanOrEqual(241);
        expect(before.slices).toBeGreaterThan(40);
        const shared = [...whole(before)].filter(([n]) => whole(after).has(n));
        expect(shared).toEqual(shared.map(([n]) => [n, whole(after).get(n)]));
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
          WINDOW,
        );
        expect(slicesOf(density.rows, sample.length)).toEqual(sample.map(({ total }) => total));
        expect(Math.min(0, ...density.rows.flatMap((row) => row.counts))).toBe(0);
      }),
    );
  });

  it("is counted by task if lanes are tasks, without losing any change", () => {
    fc.assert(
      fc.property(tracked, (list) => {
        const { rows } = densityOf(list, WINDOW, true);
        const counted = new Map<string | null, number>();
        for (const row of rows) counted.set(row.task_id_key, (counted.get(row.task_id_key) ?? 0) + sum(row.counts));
        const expected = new Map<string | null, number>();
        for (const one of list) {
          const n = stepsWithin(one, WINDOW).length;
          if (n > 0) expected.set(one.task_id_key, (expected.get(one.task_id_key) ?? 0) + n);
        }
        expect(counted).toEqual(expected);
        expect(rows.filter(({ runner_id }) => runner_id !== null)).toEqual([]);
      }),
    );
  });

  it("separates slices with equal totals but different numbers of failures", () => {
    const row = { runner_id: "r", task_id_key: null };
    const rows = [
      { ...row, status: "success", counts: [3, 3, 2] },
      { ...row, status: "failed", counts: [0, 0, 1] },
    ];
    const density = { estimated: false, sampled: 0, slices: 3, totals: [3, 3, 3], rows };
    const runsOf = cellsByLane(density, () => "one").get("one")?.runs;
    expect(runsOf?.map(({ first, length, failed }) => [first, length, failed])).toEqual([
      [0, 2, 0],
      [2, 1, 1],
    ]);
  });

  it("shows one failure among ten thousand successes, and one change in a lane of its own", () => {
    const row = { runner_id: null, task_id_key: null };
    const density = {
      estimated: false,
      whole: false,
      sampled: 0,
      slices: 3,
      totals: [10_001, 0, 1],
      rows: [
        { ...row, runner_id: "busy", status: "success", counts: [10_000, 0, 0] },
        { ...row, runner_id: "busy", status: "failed", counts: [1, 0, 0] },
        { ...row, runner_id: "quiet", status: "killed", counts: [0, 0, 1] },
      ],
    };
    const lanes = cellsByLane(density, ({ runner_id }) => runner_id ?? undefined);
    expect(lanes.get("busy")).toMatchObject({ total: 10_001, failed: 1, most: 10_001 });
    expect(lanes.get("busy")?.runs).toEqual([
      { first: 0, length: 1, total: 10_001, failed: 1, height: 1, failedHeight: 0.12 },
    ]);
    expect(lanes.get("quiet")?.runs).toEqual([
      { first: 2, length: 1, total: 1, failed: 1, height: 1, failedHeight: 1 },
    ]);
  });
});
