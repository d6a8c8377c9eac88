import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HistoryRecord } from "../../../src/pynenc/records.ts";
import { FINAL_STATUSES } from "../../../src/pynenc/statuses.ts";
import type { TimeSpan } from "../../../src/rollups/buckets.ts";
import { RELATIVE_ERROR } from "../../../src/rollups/quantile-bins.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { storeWith } from "../../../src/services/app/opened-app.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import type { StateBackendReads } from "../../../src/stores/ports/state-backend.ts";
import { cases } from "../../support/cases.ts";
import { type Life, live, lives, stepsOf } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { caughtUp, everythingOf, fresh } from "../../support/true-figures.ts";

const HOURS = 3;
const SPAN = HOURS * 3_600;

function add(lists: Record<string, number[]>, name: string, value: number): void {
  lists[name] = [...(lists[name] ?? []), value];
}

/** What a person would count who has all rows: written apart from the code under test. */
function naively(app: MemoryApp, { from, to }: TimeSpan) {
  const rows = app.rows((all) => all);
  const tasks = new Map(rows.definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const counts: Record<string, Record<string, number>> = {};
  const waits: Record<string, number[]> = {};
  const runs: Record<string, number[]> = {};
  const failures: Record<string, number> = {};
  for (const id of new Set(rows.history.map((entry) => entry.invocation_id))) {
    const life = rows.history.filter((entry) => entry.invocation_id === id).sort((a, b) => a.timestamp - b.timestamp);
    const task = tasks.get(id) ?? "none";
    const within = (entry: HistoryRecord) => entry.written_at >= from && entry.written_at < to;
    for (const entry of life.filter(within)) {
      counts[task] ??= {};
      counts[task][entry.status] = (counts[task][entry.status] ?? 0) + 1;
      if (entry.status === "failed" || entry.status === "retry") {
        const stored = entry.status === "failed" && rows.exceptions.some((row) => row.invocation_id === id);
        const key = `${task} ${stored ? "stored" : "not stored"}`;
        failures[key] = (failures[key] ?? 0) + 1;
      }
    }
    const words = life.map((entry) => entry.status);
    for (const [i, entry] of life.entries()) {
      if (!within(entry)) continue;
      const before = words.slice(0, i);
      if (entry.status === "running" && before.at(-1) !== "paused") {
        // Since it first could be taken after the work before, if any.
        const lastWork = Math.max(before.lastIndexOf("running"), before.lastIndexOf("paused"));
        const ready = life
          .slice(lastWork + 1, i)
          .find((one) => ["registered", "rerouted", "retry"].includes(one.status));
        if (ready !== undefined) add(waits, task, entry.timestamp - ready.timestamp);
      }
      if (["success", "failed", "retry"].includes(entry.status)) {
        let seconds = 0;
        for (let back = i - 1; back >= 0 && ["running", "paused"].includes(words[back] ?? ""); back--) {
          if (words[back] === "running") seconds += (life[back + 1]?.timestamp ?? 0) - (life[back]?.timestamp ?? 0);
        }
        if (words[i - 1] === "running") add(runs, task, seconds);
      }
    }
  }
  return { counts, waits, runs, failures };
}

function quantile(values: readonly number[], q: number): number | null {
  return [...values].sort((a, b) => a - b)[Math.ceil(q * values.length) - 1] ?? null;
}

function expectEqual(follower: Follower, app: MemoryApp, asked: TimeSpan): void {
  const answers = rollupAnswers(follower);
  const { span, rows, complete } = answers.rows(asked, "task");
  expect(complete).toBe(true);
  expect(span.from).toBeLessThanOrEqual(asked.from);
  expect(span.to).toBeGreaterThanOrEqual(asked.to);
  const wanted = naively(app, span);
  expect(Object.fromEntries(rows.map((row) => [row.name, row.entered]))).toEqual(wanted.counts);
  for (const row of rows) {
    for (const [summary, values] of [
      [row.wait, wanted.waits[row.name ?? ""] ?? []],
      [row.run, wanted.runs[row.name ?? ""] ?? []],
    ] as const) {
      expect(summary.count).toBe(values.length);
      for (const [q, found] of [
        [0.5, summary.p50_seconds],
        [0.95, summary.p95_seconds],
        [0.99, summary.p99_seconds],
        [1, summary.max_seconds],
      ] as const) {
        const exact = quantile(values, q);
        if (exact === null) expect(found).toBeNull();
        else expect(Math.abs((found ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * RELATIVE_ERROR + 2e-6);
      }
    }
  }
  const { groups } = answers.failures(asked, 10);
  const found: Record<string, number> = {};
  for (const { task_id_key, type, failed, retries, trend } of groups) {
    const key = `${task_id_key} ${type === null ? "not stored" : "stored"}`;
    found[key] = (found[key] ?? 0) + failed + retries;
    expect(trend.reduce((sum, n) => sum + n, 0)).toBe(failed + retries);
  }
  expect(found).toEqual(wanted.failures);
  const names = Object.keys(wanted.counts).slice(1);
  const trends = answers.trends(asked, 10, names);
  const finished = names.filter((name) => FINAL_STATUSES.some((status) => wanted.counts[name]?.[status] !== undefined));
  expect(trends.rows.map((row) => row.task_id_key)).toEqual(finished);
  for (const row of trends.rows) {
    const { slices, slice } = answers.series(asked, 10, { task_id_key: row.task_id_key });
    const of = (entered: Record<string, number>, statuses: readonly string[]) =>
      statuses.reduce((sum, status) => sum + (entered[status] ?? 0), 0);
    expect(trends.slice).toBe(slice);
    expect(row.finished).toEqual(slices.map(({ entered }) => of(entered, FINAL_STATUSES)));
    expect(row.failed).toEqual(slices.map(({ entered }) => of(entered, ["failed"])));
    expect(row.finished.reduce((sum, n) => sum + n, 0)).toBe(of(wanted.counts[row.task_id_key] ?? {}, FINAL_STATUSES));
  }
}

/** Status changes by slice, whatever the length of slices: counted entry by entry, by when each was written. */
function expectChanges(follower: Follower, app: MemoryApp, asked: TimeSpan, settled: number): void {
  const rows = app.rows((all) => all);
  const tasks = new Map(rows.definitions.map((row) => [row.invocation_id, row.task_id_key]));
  for (const by of ["task", "writer"] as const) {
    for (const step of [60, 300, 3_600]) {
      const found = rollupAnswers(follower).changes(asked, { step, by, most: 1_000, settled });
      const { span, slice, slices, until } = found;
      expect([span.from % slice, (span.to - span.from) / slice, found.complete]).toEqual([0, slices, true]);
      expect([slice >= step, span.from <= asked.from, span.to >= asked.to]).toEqual([true, true, true]);
      expect(until).toBeLessThanOrEqual(Math.max(span.from, settled));
      expect(until).toBeGreaterThan(Math.min(span.to - 1e-6, settled - 3_600));
      const wanted: Record<string, number[]> = {};
      for (const { invocation_id, written_at, status, runner_context_id } of rows.history) {
        if (written_at < span.from || written_at >= until) continue;
        const key = `${by === "task" ? (tasks.get(invocation_id) ?? null) : runner_context_id} ${status}`;
        wanted[key] ??= new Array<number>(slices).fill(0);
        const place = Math.floor((written_at - span.from) / slice);
        wanted[key][place] = 1 + (wanted[key][place] ?? 0);
      }
      const told = (found.rows ?? []).map(({ name, status, counts }) => [`${name} ${status}`, counts]);
      expect(Object.fromEntries(told)).toEqual(wanted);
      expect(told).toHaveLength(Object.keys(wanted).length);
    }
  }
}

describe("counts and durations over time", () => {
  test("equal those of all rows, for any size of steps and any order of writing", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(40, SPAN),
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: SPAN, noNaN: true }),
        fc.double({ min: 1, max: SPAN, noNaN: true }),
        async (all, stretch, share, from, length) => {
          const app = live(memoryApp({ now: at(SPAN) }), all);
          const written = app.rows((rows) => [...rows.history]);
          // A part is there at first, the rest comes while it is read.
          const first = Math.floor(written.length * share);
          app.change((rows) => rows.history.splice(first));
          const follower = new Follower(app.store, () => at(SPAN), stretch);
          await follower.step();
          for (let n = first; n < written.length; n += 7) {
            app.change((rows) => rows.history.push(...written.slice(n, n + 7)));
            await follower.step();
          }
          await caughtUp(follower);
          expectChanges(follower, app, { from: at(from), to: at(from + length) }, at(4 * SPAN));
          expectChanges(follower, app, { from: at(from), to: at(from + length) }, at(from + length / 2));
          expectEqual(follower, app, { from: at(from), to: at(from + length) });
          expectEqual(follower, app, { from: at(-60), to: at(2 * SPAN) });
        },
      ),
      { numRuns: cases(150) },
    );
  });

  test("equal those of all rows after starts that continue saved figures", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(30, SPAN),
        fc.integer({ min: 5, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 6 }),
        async (all, stretch, share, steps) => {
          const app = live(memoryApp({ now: at(SPAN) }), all);
          const written = app.rows((rows) => [...rows.history]);
          const first = Math.floor(written.length * share);
          app.change((rows) => rows.history.splice(first));
          let follower = new Follower(app.store, () => at(SPAN), stretch);
          let resumed = 0;
          for (let n = first; n < written.length; n += 29) {
            for (let step = 0; step < steps; step++) await follower.step();
            const saved = follower.saved();
            follower = new Follower(app.store, () => at(SPAN), stretch);
            if (saved !== null) {
              expect(await follower.resume(deserialize(serialize(saved)))).toBe(true);
              resumed++;
            }
            app.change((rows) => rows.history.push(...written.slice(n, n + 29)));
          }
          fc.pre(resumed > 0);
          await caughtUp(follower);
          expectEqual(follower, app, { from: at(-60), to: at(2 * SPAN) });
          const everything = { from: at(-60), to: at(2 * SPAN) };
          const truth = await fresh(app.store, () => at(SPAN));
          expect(everythingOf(follower, everything)).toEqual(everythingOf(truth, everything));
        },
      ),
      { numRuns: cases(60) },
    );
  });

  test("are counted by hour if they are older than two days", async () => {
    const [old, recent] = fc.sample(lives(40, SPAN), { numRuns: 2, seed: 5 }) as [Life[], Life[]];
    const later = recent.map((life) => ({ ...life, begins: life.begins + 3 * 86_400 }));
    const app = live(memoryApp(), [...old, ...later]);
    const follower = await caughtUp(new Follower(app.store, () => at(5 * 86_400), 25));
    expect(follower.rollup.buckets.aligned({ from: at(61), to: at(62) })).toEqual({ from: at(0), to: at(3_600) });
    expectEqual(follower, app, { from: at(0), to: at(3_600) });
    for (const settled of [30, 4_000, 8_000]) {
      expectChanges(follower, app, { from: at(61), to: at(62) }, at(settled));
      expectChanges(follower, app, { from: at(61), to: at(SPAN) }, at(settled));
    }
    expectEqual(follower, app, { from: at(61), to: at(4 * 86_400) });
  });

  test("are null by name if there are more names than requested", async () => {
    const app = memoryApp();
    for (const task of ["a.one", "a.two"]) app.invocation(task, { task, history: [[at(61), "registered"]] });
    const { changes } = rollupAnswers(await caughtUp(new Follower(app.store, () => at(100), 25)));
    const asked = { step: 60, by: "task", settled: at(120) } as const;
    expect(changes({ from: at(60), to: at(120) }, { ...asked, most: 2 }).rows).toHaveLength(2);
    expect(changes({ from: at(60), to: at(120) }, { ...asked, most: 1 }).rows).toBeNull();
  });

  test("stay by minute if one entry is in the future", async () => {
    const app = memoryApp()
      .invocation("now", { history: [[at(61), "registered"]] })
      .invocation("ahead", { history: [[at(1e9), "registered"]] });
    const follower = await caughtUp(new Follower(app.store, () => at(100), 25));
    expect(follower.rollup.buckets.aligned({ from: at(61), to: at(62) })).toEqual({ from: at(60), to: at(120) });
  });

  test("are not called complete after a start that failed between its first reads", async () => {
    const app = memoryApp().invocations(5);
    let failures = 1;
    const store = storeWith(app.store, {
      read: (fn) =>
        app.store.read((reads) => {
          const historySpan = () =>
            failures-- > 0 ? Promise.reject(new Error("gone")) : reads.state_backend.historySpan();
          const get = (backend: StateBackendReads, name: keyof StateBackendReads) =>
            name === "historySpan" ? historySpan : backend[name];
          return fn({ ...reads, state_backend: new Proxy(reads.state_backend, { get }) });
        }),
    });
    const follower = new Follower(store, () => app.now);
    await expect(follower.step()).rejects.toThrow("gone");
    await caughtUp(follower);
    const everything = { from: at(-1e6), to: at(1e6) };
    expect(everythingOf(follower, everything)).toEqual(everythingOf(await fresh(app.store, () => app.now), everything));
  });

  test("say how far back they reach while the past is being read", async () => {
    const app = live(
      memoryApp(),
      Array.from({ length: 50 }, (_, n) => ({ begins: n * 100, moves: [], task: "t", runner: "r1", cause: null })),
    );
    const follower = new Follower(app.store, () => at(0), 10);
    expect(follower.reach).toEqual({ since: null, whole: false, until: null, purged_at: null, checking: false });
    await follower.step();
    expect(follower.covers({ from: at(4_901), to: at(5_000) })).toBe(true);
    // Others may have been written at the moment of the oldest one that was read.
    expect(follower.covers({ from: at(4_900), to: at(5_000) })).toBe(false);
    expect(follower.covers({ from: at(3_000), to: at(5_000) })).toBe(false);
    expect(rollupAnswers(follower).rows({ from: at(0), to: at(5_000) }, "total").complete).toBe(false);
    await caughtUp(follower);
    expect(follower.reach.whole).toBe(true);
  });
});

describe("the completeness of figures", () => {
  const asked = { from: at(0), to: at(400) };
  const completeAt = (follower: Follower, span = asked) => rollupAnswers(follower).rows(span, "total").complete;

  test("requires that the range was read, and recently if it reaches to the present", async () => {
    const app = memoryApp({ now: at(100) }).invocation("a", { history: [[at(10), "registered"]] });
    const follower = new Follower(app.store, () => app.now, 10);
    expect(completeAt(follower)).toBe(false);
    await caughtUp(follower);
    expect(completeAt(follower)).toBe(true);
    app.now = at(300);
    expect(completeAt(follower)).toBe(false);
    expect(completeAt(follower, { from: at(0), to: at(60) })).toBe(true);
    follower.confirm();
    expect(completeAt(follower)).toBe(true);
  });
});

describe("figures over a changed history", () => {
  const some = (begins: number): Life => ({ begins, moves: [], task: "t", runner: "r1", cause: null });
  const total = (follower: Follower) =>
    rollupAnswers(follower).rows({ from: at(-1e6), to: at(1e6) }, "total").rows[0]?.entered;

  test("are kept after a purge, with the time of the purge", async () => {
    const app = live(memoryApp(), [some(0), some(100)]);
    const follower = await caughtUp(new Follower(app.store, () => at(500), 10));
    app.change((rows) => rows.history.splice(0));
    await caughtUp(follower);
    expect(follower.reach).toMatchObject({ whole: true, purged_at: at(500) });
    app.invocation("later", { history: [[at(600), "registered"]] });
    await caughtUp(follower);
    expect(total(follower)).toEqual({ registered: 3 });
  });

  test("contain only the new store if it took the place of another", async () => {
    const app = live(memoryApp(), [some(100), some(200)]);
    const follower = await caughtUp(new Follower(app.store, () => at(500), 10));
    app.change((rows) => rows.history.splice(0));
    live(app, [some(50)]);
    await caughtUp(follower);
    expect(total(follower)).toEqual({ registered: 1 });
    expect(follower.reach.purged_at).toBeNull();
  });
});

test("a generated life in these tests follows pynenc's status order", () => {
  const moves = [0, 0, 3].map((choice) => ({ choice, seconds: 1, lag: 0 }));
  expect(stepsOf({ begins: 0, moves, task: "t", runner: "r1", cause: null }).map(([, status]) => status)).toEqual([
    "registered",
    "pending",
    "running",
    "success",
  ]);
});
