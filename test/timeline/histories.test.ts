/** Choosing what is drawn, and counting the rest. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochFromIso as epochOrNull } from "../../src/pynenc/time.ts";
import { cellsByLane } from "../../src/timeline/cells.ts";
import { densityOf } from "../../src/timeline/density.ts";
import { timelineGeometry } from "../../src/timeline/geometry.ts";
import { chooseDrawn, stepsWithin, type TrackedInvocation } from "../../src/timeline/histories.ts";
import { type Home, lanesOf, MAX_LANES } from "../../src/timeline/lanes.ts";

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

describe("runners that share a lane", () => {
  it("have the same lanes and columns whether each has rows of its own or all share those of one", () => {
    const runner_ids = Array.from({ length: 60 }, (_, n) => `r${n}`).sort();
    const list = runner_ids.map((runner_id, n): TrackedInvocation => {
      const steps = ["running", n % 7 === 0 ? "failed" : "success"].map((status, m) => ({
        at: 101 + n + 20 * m,
        status,
        runner_id,
      }));
      return { invocation_id: `i${n}`, task_id_key: null, steps, afterwards: "continues" };
    });
    const shared = { runner_cls: "ThreadRunner", hostname: "h", pid: 1, thread_id: 1, parent_runner_id: null };
    const marks = runner_ids.map((runner_id) => ({ home: { runner_id }, count: 2, failed: 0 }));
    const runners = runner_ids.map((runner_id) => ({ ...shared, runner_id, busy_seconds: 20, silent_seconds: null }));
    const options = { group: "runner" as const, collapseExternal: true, maxLanes: MAX_LANES, open: [] };
    const [lane] = lanesOf(runners, marks, options).lanes;
    const closed = new Set(runner_ids);
    const drawn = [[], [lane?.runner_ids ?? []]].map((together) => {
      const density = densityOf(list, WINDOW, false, closed, together);
      const iso = (at: number) => new Date(at * 1000).toISOString();
      const none = { invocations: [], events: [], trigger_runs: [], atomic_service_runs: [], event_counts: null };
      const window = { start: iso(WINDOW.start), end: iso(WINDOW.end), now: iso(WINDOW.now) };
      const { lanes, cells } = timelineGeometry({ ...none, ...window, runners, density });
      return { rows: density.rows.length, lanes, cells };
    });
    expect(drawn[1]).toEqual({ ...drawn[0], rows: 3 });
    expect(drawn[0]).toMatchObject({ rows: 120, lanes: [{ kind: "group", runner_ids }], cells: [{ failed: 9 }] });
  });
});

const runs = (name: string, count: number, seconds: number) =>
  Array.from({ length: count }, (_, n): TrackedInvocation => {
    const at = 100 + (n * 90) / count;
    return {
      invocation_id: `${name}${n}`,
      task_id_key: name,
      steps: [
        { at, status: "running", runner_id: name },
        { at: at + seconds, status: "success", runner_id: name },
      ],
      afterwards: "continues",
    };
  });

describe("the choice of what is drawn", () => {
  it("keeps to the limits, includes what was requested first, and has every change in a lane of bars or of columns", () => {
    fc.assert(
      fc.property(tracked, fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 20 }), (list, marks, limit) => {
        const asked = new Set(list.slice(-1).map((one) => one.invocation_id));
        const { drawn, closed } = chooseDrawn(list, WINDOW, { marks, limit, first: asked });
        expect(drawn.length).toBeLessThanOrEqual(limit);
        const inOpen = drawn.map((one) =>
          stepsWithin(one, WINDOW).filter((step) => asked.has(one.invocation_id) || !closed.has(step.runner_id)),
        );
        expect(sum(inOpen.map((steps) => steps.length))).toBeLessThanOrEqual(marks + 1);
        // Nothing of an open lane is left out.
        const left = list.filter((one) => !drawn.includes(one));
        expect(
          left.flatMap((one) => stepsWithin(one, WINDOW)).filter(({ runner_id }) => !closed.has(runner_id)),
        ).toEqual([]);
        const columns = densityOf(list, WINDOW, false, closed);
        const requested = drawn
          .filter((one) => asked.has(one.invocation_id))
          .flatMap((one) => stepsWithin(one, WINDOW).filter((step) => closed.has(step.runner_id)));
        expect(sum(columns.totals) + sum(inOpen.map((steps) => steps.length))).toBe(changes(list) + requested.length);
      }),
    );
  });

  const chosen = (list: TrackedInvocation[], more = {}) =>
    chooseDrawn(list, WINDOW, { marks: 200, limit: 100, first: new Set(), ...more });
  const closedOf = (list: TrackedInvocation[], more = {}) => [...chosen(list, more).closed];

  it("gives bars to a lane with few invocations, however short they are", () => {
    expect(closedOf(runs("a", 12, 0.001))).toEqual([]);
    expect(closedOf(runs("a", 13, 0.001))).toEqual(["a"]);
  });

  it("gives bars to a lane with more invocations if half of them are wide enough, in up to six rows", () => {
    expect(closedOf(runs("a", 40, 0.66))).toEqual(["a"]);
    expect(closedOf(runs("a", 40, 0.68))).toEqual([]);
    expect(closedOf([...runs("a", 20, 0.68), ...runs("a", 19, 0.1)])).toEqual([]);
    expect(closedOf(runs("a", 40, 13))).toEqual([]);
    expect(closedOf(runs("a", 40, 16))).toEqual(["a"]);
  });

  it("draws up to sixty points in a lane without bars", () => {
    const points = (count: number) => runs("a", count, 0).map((one) => ({ ...one, steps: one.steps.slice(1) }));
    expect(closedOf(points(60))).toEqual([]);
    expect(closedOf(points(61))).toEqual(["a"]);
  });

  it("takes no room from a quiet lane for a busy one", () => {
    for (const byTask of [true, false]) {
      expect(closedOf([...runs("busy", 99, 0.8), ...runs("quiet", 10, 0.001)], { byTask })).toEqual(["busy"]);
    }
  });

  it("opens lanes by hand, as far as the limits allow", () => {
    const list = [...runs("a", 20, 0.1), ...runs("b", 20, 0.1)];
    expect(closedOf(list, { open: new Set(["b"]) })).toEqual(["a"]);
    expect(closedOf(list, { open: new Set(["*"]) })).toEqual([]);
    expect(closedOf(list, { open: new Set(["*"]), limit: 30 })).toEqual(["b"]);
    expect(closedOf(list, { open: new Set(["*"]), marks: 50 })).toEqual(["b"]);
  });

  it("keeps to the limit even for requested invocations, which have bars in a lane of columns too", () => {
    const list = runs("a", 50, 0.1);
    const first = new Set(list.slice(0, 5).map((one) => one.invocation_id));
    const { drawn, closed } = chosen(list, { first });
    expect([drawn.map((one) => one.invocation_id), [...closed]]).toEqual([[...first], ["a"]]);
    expect(chosen(list, { first, limit: 2 }).drawn).toHaveLength(2);
    expect(chosen(list, { first, marks: 6 }).drawn).toHaveLength(3);
  });

  it("has thousands of one-invocation runners as columns, in a lane for each class and host", () => {
    const list = runs("t", 4_000, 1).map((one) => ({
      ...one,
      steps: one.steps.map((step) => ({ ...step, runner_id: one.invocation_id })),
    }));
    const lanesOn = (hosts: number, open: string[] = []) => {
      const runners = list.map(({ invocation_id }, n) => ({
        ...{ runner_id: invocation_id, runner_cls: "ThreadRunner", hostname: `host-${n % hosts}` },
        ...{ pid: null, thread_id: null, parent_runner_id: null, busy_seconds: 1, silent_seconds: null },
      }));
      const marks = runners.map(({ runner_id }, n) => ({ home: { runner_id }, count: n === 7 ? 9 : 3, failed: 0 }));
      return lanesOf(runners, marks, { group: "runner", collapseExternal: true, maxLanes: MAX_LANES, open });
    };
    const shown = (...given: Parameters<typeof lanesOn>) =>
      lanesOn(...given).lanes.map(({ kind, key, runner_ids }) => [kind, key, runner_ids.length]);
    expect(shown(2)).toEqual([
      ["group", "ThreadRunner on host-0", 2_000],
      ["group", "ThreadRunner on host-1", 2_000],
    ]);
    expect(shown(4_000)).toEqual([["group", "ThreadRunner on any host", 4_000]]);
    const { laneOf } = lanesOn(2);
    const { drawn, closed } = chosen(list, { marks: 900, limit: 500, laneKeyOf: (home: Home) => laneOf(home)?.key });
    expect([drawn.length, closed.size]).toEqual([0, 4_000]);
    // An open lane shows the busiest of its runners below it, and keeps the others.
    const opened = lanesOn(2, ["ThreadRunner on host-1"]).lanes;
    expect(opened.map(({ kind }) => kind)).toEqual(["group", "group", ...new Array(MAX_LANES).fill("runner")]);
    expect(opened[1]?.runner_ids).toHaveLength(2_000 - MAX_LANES);
    expect(opened.slice(2).map(({ key }) => key)).toContain("t7");
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
      }),
    );
  });

  it("has a lane that is busy all through the window, although nothing changes in it", () => {
    const list = runs("a", 13, 0).map(
      ({ steps: [first], ...one }): TrackedInvocation => ({
        ...one,
        steps: first === undefined ? [] : [{ ...first, at: 50 }],
      }),
    );
    const lane = cellsByLane(densityOf(list, WINDOW), () => "one").get("one");
    expect(lane).toMatchObject({ total: 0, busy: true, most: 13, silent: 0, runs: [{ height: 1 }] });
  });

  it("counts what a silent runner holds by lane, once each, and no time for it", () => {
    const held = (name: string, dead_from: number, ...more: TrackedInvocation["steps"]): TrackedInvocation => ({
      invocation_id: name,
      task_id_key: name,
      steps: [{ at: 50, status: "running", runner_id: "r", dead_from }, ...more],
      afterwards: "ongoing",
    });
    const recovered = { at: 90, status: "rerouted", runner_id: "s" };
    const list = [held("a", 60), held("b", 150), held("c", 60, recovered), held("d", 180)];
    const busyOf = (byTask: boolean) => densityOf(list, WINDOW, byTask).busy ?? [];
    const told = (byTask: boolean) =>
      busyOf(byTask).map((row) => [row.task_id_key ?? row.runner_id, row.silent, sum(row.busy_seconds)]);
    expect(told(true)).toEqual([
      ["a", 1, 0],
      ["b", 1, 50],
      ["d", 0, 80],
    ]);
    expect(told(false)).toEqual([["r", 2, 130]]);
    const lane = cellsByLane(densityOf(list.slice(0, 1), WINDOW, true), () => "one").get("one");
    expect(lane).toMatchObject({ busy: true, silent: 1, runs: [] });
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
        const begins = ({ from, slice_seconds: step }: typeof before, n: number) =>
          Math.round(epochFromIso(from) / step) + n;
        // A slice cut by the beginning or the end of a window may hold more in the other window.
        const whole = (density: typeof before) =>
          new Map(density.totals.map((total, n) => [begins(density, n), total] as const).slice(1, -1));
        expect(after.slice_seconds).toBe(before.slice_seconds);
        expect(before.slices).toBeLessThanOrEqual(241);
        expect(before.slices).toBeGreaterThan(40);
        const shared = [...whole(before)].filter(([n]) => whole(after).has(n));
        expect(shared).toEqual(shared.map(([n]) => [n, whole(after).get(n)]));
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
    const density = { slice_seconds: 1, slices: 3, rows, busy: null };
    const runsOf = cellsByLane(density, () => "one").get("one")?.runs;
    expect(runsOf?.map(({ first, length, failedHeight }) => [first, length, failedHeight > 0])).toEqual([
      [0, 2, false],
      [2, 1, true],
    ]);
  });

  it("is as high as the lane was busy, where that is known", () => {
    const list = [
      ...[100, 130].map(
        (at, n): TrackedInvocation => ({
          invocation_id: `i${n}`,
          task_id_key: null,
          steps: [
            { at, status: "running", runner_id: "r" },
            { at: at + 20, status: "success", runner_id: "r" },
          ],
          afterwards: "continues",
        }),
      ),
    ];
    const density = densityOf(list, WINDOW);
    expect(sum(density.busy?.[0]?.busy_seconds ?? [])).toBeCloseTo(40, 6);
    const lane = cellsByLane(density, () => "one").get("one");
    expect([lane?.busy, lane?.most, [...new Set(lane?.runs.map(({ height }) => height))]]).toEqual([true, 1, [1]]);
    const covered = sum((lane?.runs ?? []).map(({ length }) => length)) * density.slice_seconds;
    expect(covered).toBeCloseTo(40, -1);
    // Twice as many at a time: full height means two.
    const twice = cellsByLane(densityOf([...list, ...list.slice(0, 1)], WINDOW), () => "one").get("one");
    expect([twice?.most, [...new Set(twice?.runs.map(({ height }) => height))]]).toEqual([2, [1, 0.5]]);
  });

  it("shows one failure among ten thousand successes, and one change in a lane of its own", () => {
    const row = { runner_id: null, task_id_key: null };
    const density = {
      slice_seconds: 1,
      slices: 3,
      busy: null,
      rows: [
        { ...row, runner_id: "busy", status: "success", counts: [10_000, 0, 0] },
        { ...row, runner_id: "busy", status: "failed", counts: [1, 0, 0] },
        { ...row, runner_id: "quiet", status: "killed", counts: [0, 0, 1] },
      ],
    };
    const lanes = cellsByLane(density, ({ runner_id }) => runner_id ?? undefined);
    expect(lanes.get("busy")).toMatchObject({ total: 10_001, failed: 1, most: 10_001 });
    expect(lanes.get("busy")?.runs).toEqual([{ first: 0, length: 1, height: 1, failedHeight: 7 / 26 }]);
    expect(lanes.get("quiet")?.runs).toEqual([{ first: 2, length: 1, height: 1, failedHeight: 1 }]);
  });
});
