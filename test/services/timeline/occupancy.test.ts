/** The occupancy of a window against a replay of all rows, slice by slice. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TimelineOccupancy } from "../../../src/api/timeline.ts";
import { rowsBy } from "../../../src/pynenc/groups.ts";
import { OCCUPANCY_STEPS } from "../../../src/pynenc/occupancy.ts";
import { WAITING_STATUSES } from "../../../src/pynenc/statuses.ts";
import { epochFromIso, isoFromEpoch } from "../../../src/pynenc/time.ts";
import { stats } from "../../../src/services/stats/stats.ts";
import { occupancyIn } from "../../../src/services/timeline/occupancy.ts";
import { readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { cases } from "../../support/cases.ts";
import { live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const SPAN = 3 * 3_600;

const GROUPS: Record<string, string[]> = {
  registered: ["registered", "rerouted", "retry"],
  pending: ["pending"],
  running: ["running", "resumed"],
};
const ALL = Object.keys(GROUPS);

/** The most that waited at once in each slice: as it begins, and after each of its instants with a change. All in microseconds. */
function mostIn(app: MemoryApp, begin: number, step: number, slices: number): number[] {
  const rows = app.rows((all) => all.history).map((entry) => ({ ...entry, at: Math.round(entry.timestamp * 1e6) }));
  const histories = [...rowsBy(rows, (entry) => entry.invocation_id).values()];
  const waitedAfter = (instant: number) =>
    histories.filter((life) => {
      const last = life.sort((a, b) => a.at - b.at).findLast(({ at: entered }) => entered <= instant);
      return last !== undefined && WAITING_STATUSES.includes(last.status);
    }).length;
  return Array.from({ length: slices }, (_, n) => {
    const [from, to] = [begin + n * step, begin + (n + 1) * step];
    const changed = rows.map((entry) => entry.at).filter((instant) => instant >= from && instant < to);
    return Math.max(...[from, ...changed].map(waitedAfter));
  });
}

/** Those at the first of the busiest instants of each slice: each once, by category and by task. */
function busiest(
  app: MemoryApp,
  { from, slice_seconds: step, slices }: TimelineOccupancy,
  categories: readonly string[],
) {
  const micro = (seconds: number) => Math.round(seconds * 1e6);
  const begin = micro(epochFromIso(from) ?? Number.NaN);
  const { definitions, history } = app.rows((all) => all);
  const tasks = new Map(definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const rows = history.map((entry) => ({ ...entry, at: micro(entry.timestamp) })).sort((a, b) => a.at - b.at);
  const lives = [...rowsBy(rows, (entry) => entry.invocation_id)];
  const presentAt = (instant: number) =>
    lives.flatMap(([id, life]) => {
      const status = life.findLast(({ at: entered }) => entered <= instant)?.status ?? "";
      const category = categories.find((one) => GROUPS[one]?.includes(status));
      return category === undefined ? [] : [{ category, task: tasks.get(id) ?? "none" }];
    });
  const zeros = () => Array.from({ length: slices }, () => 0);
  const groups: Record<string, number[]> = Object.fromEntries(categories.map((category) => [category, zeros()]));
  const byTask: Record<string, number[]> = {};
  for (let n = 0; n < slices; n++) {
    const [opens, closes] = [begin + n * micro(step), begin + (n + 1) * micro(step)];
    const instants = rows.flatMap(({ at: entered }) => (entered > opens && entered < closes ? [entered] : []));
    const all = [opens, ...instants].map(presentAt);
    const most = all.reduce((best, one) => (one.length > best.length ? one : best), []);
    for (const { category, task } of most) {
      byTask[task] ??= zeros();
      for (const counts of [groups[category], byTask[task]]) if (counts) counts[n] = (counts[n] ?? 0) + 1;
    }
  }
  return { groups, byTask };
}

/** By category and by task. */
function replayed(
  app: MemoryApp,
  { from, slice_seconds: step, slices, waiting_is }: TimelineOccupancy,
  categories: readonly string[],
) {
  const micro = (seconds: number) => Math.round(seconds * 1e6);
  const begin = micro(epochFromIso(from) ?? Number.NaN);
  const rows = app.rows((all) => all);
  const tasks = new Map(rows.definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const zeros = () => Array.from({ length: slices }, () => 0);
  const groups = Object.fromEntries(categories.map((category) => [category, zeros()]));
  const byTask: Record<string, number[]> = {};
  const atEnds = zeros();
  for (const id of new Set(rows.history.map((entry) => entry.invocation_id))) {
    const life = rows.history.filter((entry) => entry.invocation_id === id).sort((a, b) => a.timestamp - b.timestamp);
    for (let n = 0; n < slices; n++) {
      const last = life.findLast((entry) => micro(entry.timestamp) < begin + (n + 1) * micro(step));
      if (last !== undefined && WAITING_STATUSES.includes(last.status)) atEnds[n] = (atEnds[n] ?? 0) + 1;
    }
    for (const category of categories) {
      for (let n = 0; n < slices; n++) {
        const [opens, closes] = [begin + n * micro(step), begin + (n + 1) * micro(step)];
        const there = life.some((entry, i) => {
          const entered = micro(entry.timestamp);
          const left = i + 1 < life.length ? micro(life[i + 1]?.timestamp ?? 0) : Number.POSITIVE_INFINITY;
          return GROUPS[category]?.includes(entry.status) && entered < closes && (left > opens || entered >= opens);
        });
        if (!there) continue;
        const task = tasks.get(id) ?? "none";
        byTask[task] ??= zeros();
        for (const counts of [groups[category], byTask[task]]) if (counts) counts[n] = (counts[n] ?? 0) + 1;
      }
    }
  }
  return { groups, byTask, waiting: waiting_is === "at_end" ? atEnds : mostIn(app, begin, micro(step), slices) };
}

/** @param whole of the first and the last slice, which may reach beyond the window, everything is counted. */
function expectReplayed(
  app: MemoryApp,
  found: TimelineOccupancy | null,
  categories: readonly string[],
  whole = true,
): void {
  if (found === null) throw new Error("not known");
  const { groups, waiting } = {
    ...replayed(app, found, categories),
    ...(found.totals_are === "at_once" && busiest(app, found, categories)),
  };
  const compared = (counts: readonly (number | null)[]) => (whole ? counts : counts.slice(1, -1));
  if (found.waiting !== null) expect(compared(found.waiting)).toEqual(compared(waiting));
  for (const { category, counts } of found.groups) expect(compared(counts)).toEqual(compared(groups[category] ?? []));
  expect(found.groups.map(({ category }) => category)).toEqual(categories);
  expect(found.totals).toEqual(
    found.totals.map((_, n) => found.groups.reduce((sum, { counts }) => sum + (counts[n] ?? 0), 0)),
  );
  expect(OCCUPANCY_STEPS).toContain(found.slice_seconds);
}

/** The occupancy of a window whose changes are followed. */
async function followed(app: MemoryApp, from: number, to: number, categories: readonly string[] = ALL) {
  const window = { from: [isoFromEpoch(at(from))], to: [isoFromEpoch(at(to))] };
  const raw = { ...window, histogram_status: [categories.join(",")] };
  return (await timeline(app.opened, await readTimelineInput(app.opened, raw))).occupancy;
}

/** That of one with too many. */
const counted = (app: MemoryApp, from: number, to: number, categories: readonly string[] = ALL, show_system = true) =>
  occupancyIn(app.opened, { start: at(from), end: at(to) }, { categories, show_system });

describe("the occupancy of a window", () => {
  test("equals a replay of all rows, followed or counted, also up to the present", async () => {
    let short = 0;
    await fc.assert(
      fc.asyncProperty(
        lives(25, SPAN),
        fc.double({ min: -100, max: SPAN, noNaN: true }),
        fc.oneof(fc.double({ min: 0.5, max: 600, noNaN: true }), fc.double({ min: 600, max: SPAN, noNaN: true })),
        fc.subarray(ALL, { minLength: 1 }),
        async (all, from, length, categories) => {
          const app = live(memoryApp({ now: at(SPAN + 1_300) }), all);
          const end = Math.min(from + length, SPAN + 1_300);
          const whole = await counted(app, from, end, categories);
          expectReplayed(app, whole, categories);
          const tasks = whole?.tasks.map(({ task_id_key, counts }) => [task_id_key ?? "", counts]) ?? [];
          expect(Object.fromEntries(tasks)).toEqual(whole && replayed(app, whole, categories).byTask);
          const found = await followed(app, from, end, categories);
          expect(found?.waiting).not.toBeNull();
          expectReplayed(app, found, categories, false);
          // Such a window has no whole minute from which its changes could be counted.
          if (Math.floor(end / 60) * 60 < from) short++;
        },
      ),
      { numRuns: cases(200) },
    );
    expect(short).toBeGreaterThan(cases(5));
  });

  test("has the queue of the overview at the end of each slice where it is counted by minutes", async () => {
    await fc.assert(
      fc.asyncProperty(lives(25, SPAN), async (all) => {
        const app = live(memoryApp({ now: at(SPAN + 1_300) }), all);
        const { slices } = await stats(app.opened, { from: [String(at(0))], to: [String(at(SPAN))] });
        const ends = slices.slice(1).map((slice, n) => [slice.from, slices[n]?.queued ?? null] as const);
        const overview = new Map(ends);
        let compared = 0;
        const found = await counted(app, 0, SPAN);
        expect(found?.waiting_is).toBe("at_end");
        for (const [n, waiting] of (found?.waiting ?? []).entries()) {
          const instant = isoFromEpoch((epochFromIso(found?.from ?? "") ?? 0) + (n + 1) * (found?.slice_seconds ?? 0));
          if (!overview.has(instant)) continue;
          compared++;
          expect([instant, waiting]).toEqual([instant, overview.get(instant)]);
        }
        expect(compared).toBeGreaterThan(10);
      }),
      { numRuns: cases(40) },
    );
  });

  test("has the most that waited at once, so that a queue of a moment is not lost in a long slice, nor in a window between two minutes", async () => {
    const app = memoryApp({ now: at(7_300) });
    for (const id of ["a", "b", "c"]) {
      app.invocation(id, {
        history: [
          [at(1_801), "registered"],
          [at(1_803), "running", "r"],
          [at(1_804), "success", "r"],
        ],
      });
    }
    for (const [from, to] of [
      [0, 3_600],
      [1_790, 1_870],
      [1_800.5, 1_803.5],
      [1_801.5, 1_810],
    ] as const) {
      const { waiting, waiting_is } = (await followed(app, from, to)) ?? {};
      expect([from, waiting_is, Math.max(...(waiting ?? []).map(Number))]).toEqual([from, "most", 3]);
    }
  });

  test("counts a run from before its first slice until it ends, also if it ends as that begins", async () => {
    const until = (end: number): Step[] => [
      [at(10), "registered"],
      [at(20), "running"],
      [at(end), "success"],
    ];
    const app = memoryApp({ now: at(200) })
      .invocation("ends within", { history: until(70) })
      .invocation("ends at its beginning", { history: until(60) })
      .invocation("ends later", { history: until(150) });
    for (const start of [60, 65]) {
      const found = await followed(app, start, start + 20, ["running"]);
      expectReplayed(app, found, ["running"]);
      expect([Math.max(...(found?.totals ?? []).map(Number)), found?.totals.at(-1)]).toEqual([2, 1]);
    }
  });

  test("is the most at once where changes are followed, each invocation once, whatever statuses it passes in a slice", async () => {
    const app = memoryApp({ now: at(3_700) });
    for (const [id, start] of [
      ["a", 1_800],
      ["b", 1_803],
      ["c", 1_803.5],
    ] as const) {
      app.invocation(id, {
        history: [
          [at(start), "registered"],
          [at(start + 0.1), "pending", "r"],
          [at(start + 0.2), "running", "r"],
          [at(start + 1), "success", "r"],
        ],
      });
    }
    const found = await followed(app, 0, 3_600);
    expect([found?.totals_are, found?.slice_seconds, Math.max(...(found?.totals ?? []).map(Number))]).toEqual([
      "at_once",
      15,
      2,
    ]);
    expect([(await counted(app, 0, 3_600))?.totals_are, found?.waiting_last]).toEqual(["within", 0]);
  });

  test("excludes pynenc's own tasks unless they are shown", async () => {
    const app = memoryApp({ now: at(7_300) })
      .invocation("a", { task: "shop.pay", history: [[at(10), "registered"]] })
      .invocation("c", { task: "pynenc.core_tasks.trigger_task", history: [[at(20), "registered"]] });
    expect((await counted(app, 0, 7_200))?.totals.at(-1)).toBe(2);
    expect((await counted(app, 0, 7_200, ALL, false))?.totals.at(-1)).toBe(1);
  });

  test("has no slices after the present, and none for a future window", async () => {
    const app = memoryApp({ now: at(100) }).invocation("a", { history: [[at(10), "registered"]] });
    const half = await followed(app, 40, 160);
    expect([half?.slice_seconds, half?.slices, half?.totals]).toEqual([1, 60, new Array(60).fill(1)]);
    expect((await counted(app, 200, 300))?.slices).toBe(0);
  });

  test("is known of what is followed only without figures over time, while the past is unread, and after a purge", async () => {
    const app = memoryApp({ now: at(100) }).invocation("a", { history: [[at(10), "running"]] });
    const bare = { ...app, opened: { ...app.opened, rollups: null } } as MemoryApp;
    expect([await counted(bare, -7_200, 90), await followed(bare, 0, 90)]).toEqual([null, null]);
    expect(await followed(bare, 0, 90, ["running"])).toMatchObject({ waiting: null });
    expect(await counted(app, -7_200, 90)).not.toBeNull();
    app.change((rows) => rows.history.splice(0));
    expect([await counted(app, -7_200, 90), await followed(app, 0, 90)]).toEqual([null, null]);
  });

  test("of a queue is not known while pynenc's own tasks are hidden", async () => {
    const app = memoryApp({ now: at(100) }).invocation("c", {
      task: "pynenc.core_tasks.trigger_task",
      history: [[at(20), "registered"]],
    });
    const given = { from: [isoFromEpoch(at(0))], to: [isoFromEpoch(at(90))], show_system: ["0"] };
    const { occupancy } = await timeline(app.opened, await readTimelineInput(app.opened, given));
    expect(occupancy).toMatchObject({ waiting: null });
    expect((await followed(app, 0, 90))?.waiting?.at(-1)).toBe(1);
  });

  test("between two minutes has the queue of all tasks, while pynenc's own are left out of what was active", async () => {
    const app = memoryApp({ now: at(7_300) }).invocation("no longer", {
      history: [
        [at(1_790), "registered"],
        [at(1_803), "running", "r"],
      ],
    });
    for (const task of ["shop.pay", "pynenc.core_tasks.trigger_task"])
      app.invocation(task, {
        task,
        history: [
          [at(1_801), "registered"],
          [at(1_830), "running", "r"],
        ],
      });
    const found = async (show_system: string) => {
      const window = { from: [isoFromEpoch(at(1_805))], to: [isoFromEpoch(at(1_810))] };
      const given = { ...window, show_system: [show_system], histogram_status: ["registered"] };
      const { occupancy } = await timeline(app.opened, await readTimelineInput(app.opened, given));
      return [occupancy?.totals.at(0), occupancy?.waiting_last];
    };
    expect([await found("0"), await found("1")]).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test("between two minutes is not known where too much changed since the earlier one", async () => {
    const app = memoryApp({ now: at(7_300) }).invocation("a", { history: [[at(1_840.5), "running"]] });
    app.change(({ history }) => {
      for (let n = 0; n < 20_001; n++) {
        const timestamp = at(1_801 + n / 1_000);
        const entry = { status_runner_id: null, runner_context_id: "r1", registered_by_inv_id: null };
        history.push({ invocation_id: `i${n}`, timestamp, written_at: timestamp, status: "registered", ...entry });
      }
    });
    expect(await followed(app, 1_840, 1_841)).toBeNull();
    expect(await followed(app, 1_840, 1_841, ["running"])).toMatchObject({
      waiting: null,
      waiting_unknown: "not known, too much changed since the last full minute",
    });
  });

  test("has slices of a minute if there is too much to follow", async () => {
    const app = memoryApp({ now: at(1_000) });
    app.change(({ history }) => {
      for (let n = 0; n < 20_001; n++)
        history.push({
          invocation_id: `i${n % 5_000}`,
          timestamp: at(n / 100),
          written_at: at(n / 100),
          status: n < 5_000 ? "registered" : n < 10_000 ? "pending" : n < 15_000 ? "running" : "success",
          status_runner_id: null,
          runner_context_id: "r1",
          registered_by_inv_id: null,
        });
    });
    // Read all before it is asked, however long that takes.
    await app.opened.rollups?.rows({ from: at(0), to: at(300), whole: true }, "total");
    const found = await counted(app, 0, 300);
    expect(found?.slice_seconds).toBe(60);
    expect(found?.groups.map(({ counts }) => Math.max(...counts.map((n) => n ?? 0)))).toEqual([5_000, 5_000, 5_000]);
  });
});

test("a filtered timeline counts the invocations that it follows", async () => {
  const app = memoryApp({ now: at(200) })
    .invocation("a", {
      task: "shop.pay",
      history: [
        [at(10), "registered"],
        [at(20), "running", "r"],
        [at(30), "success", "r"],
      ],
    })
    .invocation("b", {
      task: "shop.ship",
      history: [
        [at(10), "registered"],
        [at(20), "running", "r"],
        [at(30), "success", "r"],
      ],
    });
  const raw = { range: ["200s"], task_id: ["shop.pay"], histogram_status: ["registered,running"] };
  const { occupancy } = await timeline(app.opened, await readTimelineInput(app.opened, raw));
  expect(occupancy?.slice_seconds).toBe(2);
  const { groups } = { groups: Object.fromEntries(occupancy?.groups.map((row) => [row.category, row.counts]) ?? []) };
  const first = ((epochFromIso(occupancy?.from ?? "") ?? 0) - at(0)) / 2;
  const filled = (counts: (number | null)[] | undefined) =>
    counts?.flatMap((n, i) => (n === 0 ? [] : [[first + i, n]]));
  expect(filled(groups.registered)).toEqual([5, 6, 7, 8, 9].map((slice) => [slice, 1]));
  expect(filled(groups.running)).toEqual([10, 11, 12, 13, 14].map((slice) => [slice, 1]));
});
