/** Occupancy of the rollups against a replay of all rows, for every window, length of buckets and order of reading. */
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_SIGNS_OF_LIFE } from "../../../src/pynenc/life.ts";
import { OCCUPANCY_STEPS } from "../../../src/pynenc/occupancy.ts";
import type { HistoryRecord } from "../../../src/pynenc/records.ts";
import { Arrivals } from "../../../src/rollups/arrivals.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { Rollup } from "../../../src/rollups/rollup.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import { cases } from "../../support/cases.ts";
import { type Life, live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const HOURS = 3;
const SPAN = HOURS * 3_600;
const STEPS = OCCUPANCY_STEPS.filter((step) => step >= 60);

async function caughtUp(follower: Follower): Promise<Follower> {
  while (await follower.step()) {}
  return follower;
}

const GROUPS: Record<string, string[]> = {
  registered: ["registered", "rerouted", "retry"],
  pending: ["pending"],
  running: ["running", "resumed"],
};

/** Bucket by bucket and invocation by invocation, in microseconds. */
function replayed(app: MemoryApp, from: number, step: number, buckets: number) {
  const micro = (seconds: number) => Math.round(seconds * 1e6);
  const rows = app.rows((all) => all);
  const tasks = new Map(rows.definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const counts: Record<string, number[]> = {};
  const ids = [...new Set(rows.history.map((entry) => entry.invocation_id))];
  for (const id of ids) {
    const life = rows.history.filter((entry) => entry.invocation_id === id).sort((a, b) => a.timestamp - b.timestamp);
    for (const [group, statuses] of Object.entries(GROUPS)) {
      for (let n = 0; n < buckets; n++) {
        const [begins, ends] = [micro(from) + n * micro(step), micro(from) + (n + 1) * micro(step)];
        const there = life.some((entry, i) => {
          if (!statuses.includes(entry.status)) return false;
          const entered = micro(entry.timestamp);
          const left = i + 1 < life.length ? micro(life[i + 1]?.timestamp ?? 0) : Number.POSITIVE_INFINITY;
          return entered < ends && (left > begins || entered >= begins);
        });
        if (!there) continue;
        const key = `${tasks.get(id)} ${group}`;
        counts[key] ??= Array.from({ length: buckets }, () => 0);
        counts[key][n] = (counts[key][n] ?? 0) + 1;
      }
    }
  }
  return counts;
}

/** What each runner had running, bucket by bucket. In these histories every entry is by the runner of the invocation. */
function busyReplayed(app: MemoryApp, from: number, step: number, buckets: number) {
  const micro = (seconds: number) => Math.round(seconds * 1e6);
  const rows = app.rows((all) => all);
  const counts: Record<string, number[]> = {};
  for (const id of new Set(rows.history.map((entry) => entry.invocation_id))) {
    const life = rows.history.filter((entry) => entry.invocation_id === id).sort((a, b) => a.timestamp - b.timestamp);
    const had = new Map<string, Set<number>>();
    let runner: string | null = null;
    life.forEach((entry, i) => {
      if (!GROUPS.running?.includes(entry.status)) {
        runner = null;
        return;
      }
      runner ??= entry.status_runner_id ?? entry.runner_context_id ?? "";
      const seen = had.get(runner) ?? new Set();
      had.set(runner, seen);
      const [entered, left] = [micro(entry.timestamp), micro(life[i + 1]?.timestamp ?? Number.POSITIVE_INFINITY)];
      for (let n = 0; n < buckets; n++) {
        const [begins, ends] = [micro(from) + n * micro(step), micro(from) + (n + 1) * micro(step)];
        if (entered < ends && (left > begins || entered >= begins)) seen.add(n);
      }
    });
    for (const [name, seen] of had) {
      counts[name] ??= Array.from({ length: buckets }, () => 0);
      for (const n of seen) counts[name][n] = (counts[name][n] ?? 0) + 1;
    }
  }
  return counts;
}

function expectReplayed(follower: Follower, app: MemoryApp, asked: { from: number; to: number }, step: number): void {
  const answer = rollupAnswers(follower).occupancy(asked, step, 1_000);
  expect(answer.span.from).toBeLessThanOrEqual(asked.from);
  expect(answer.span.to).toBeGreaterThanOrEqual(asked.to);
  expect(answer.span.from % answer.step).toBe(0);
  const found = Object.fromEntries(
    (answer.rows ?? [])
      .filter(({ counts }) => counts.some((count) => count > 0))
      .map(({ task_id_key, group, counts }) => [`${task_id_key} ${group}`, counts]),
  );
  expect(found).toEqual(replayed(app, answer.span.from, answer.step, answer.buckets));
  const busy = rollupAnswers(follower).busy(asked, step, ["r1", "r2", "nobody"]);
  const none = new Array<number>(answer.buckets).fill(0);
  const wanted = busyReplayed(app, answer.span.from, answer.step, answer.buckets);
  expect(busy).toMatchObject({ span: answer.span, step: answer.step });
  expect(Object.fromEntries(busy.rows?.map(({ runner_id, counts }) => [runner_id, counts]) ?? [])).toEqual({
    r1: none,
    r2: none,
    nobody: none,
    ...wanted,
  });
}

describe("occupancy by bucket", () => {
  test("equals a replay of all rows, for any steps and order of writing, and after a restart", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(25, SPAN),
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: -600, max: SPAN, noNaN: true }),
        fc.double({ min: 1, max: SPAN, noNaN: true }),
        fc.constantFrom(...STEPS),
        fc.boolean(),
        fc.boolean(),
        async (all, stretch, share, from, length, step, resumes, sums) => {
          const app = live(memoryApp({ now: at(SPAN) }), all);
          const written = app.rows((rows) => [...rows.history]);
          const first = Math.floor(written.length * share);
          app.change((rows) => rows.history.splice(first));
          let follower = new Follower(app.store, () => at(SPAN), stretch);
          await follower.step();
          for (let n = first; n < written.length; n += 11) {
            app.change((rows) => rows.history.push(...written.slice(n, n + 11)));
            await follower.step();
            if (sums) follower.rollup.sumHours(Number.POSITIVE_INFINITY);
            const saved = resumes ? follower.saved() : null;
            if (saved === null) continue;
            follower = new Follower(app.store, () => at(SPAN), stretch);
            expect(await follower.resume(deserialize(serialize(saved)))).toBe(true);
          }
          await caughtUp(follower);
          if (sums) follower.rollup.sumHours(Number.POSITIVE_INFINITY);
          if (written.length === 0) return;
          expectReplayed(follower, app, { from: at(from), to: at(from + length) }, step);
        },
      ),
      { numRuns: cases(150) },
    );
  });

  test("is counted by hour if the window begins before the minutes that are kept", async () => {
    const all = fc.sample(lives(40, SPAN), { numRuns: 20, seed: 5 });
    const [old, recent] = [all.slice(0, 10).flat(), all.slice(10).flat()];
    expect(Math.min(old.length, recent.length)).toBeGreaterThan(10);
    const later = recent.map((life) => ({ ...life, begins: life.begins + 10 * 86_400 }));
    const app = live(memoryApp(), [...old, ...later]);
    const follower = await caughtUp(new Follower(app.store, () => at(12 * 86_400), 25));
    const { step } = rollupAnswers(follower).occupancy({ from: at(61), to: at(4_000) }, 60, 8);
    expect(step).toBe(3_600);
    expectReplayed(follower, app, { from: at(61), to: at(SPAN + 7_000) }, 60);
    expectReplayed(follower, app, { from: at(0), to: at(11 * 86_400) }, 7_200);
    expectReplayed(follower, app, { from: at(10 * 86_400), to: at(10 * 86_400 + SPAN) }, 120);
  });

  test("is null while a part of the history is unread, and after a purge", async () => {
    const some = (begins: number): Life => ({ begins, moves: [], task: "t", runner: "r1", cause: null });
    const app = live(memoryApp(), [some(0), some(100), some(200)]);
    const follower = new Follower(app.store, () => at(500), 1);
    await follower.step();
    const rows = () => rollupAnswers(follower).occupancy({ from: at(0), to: at(300) }, 60, 8).rows;
    const busy = () => rollupAnswers(follower).busy({ from: at(0), to: at(300) }, 60, ["r1"]).rows;
    expect(rows()).toBeNull();
    expect(busy()).toBeNull();
    await caughtUp(follower);
    expect(rows()).toEqual([{ task_id_key: "t", group: "registered", before: 0, counts: [1, 2, 2, 3, 3] }]);
    app.change((all) => all.history.splice(0));
    await caughtUp(follower);
    expect(rows()).toBeNull();
    expect(busy()).toBeNull();
  });

  test("is counted again for a minute that is dropped, with entries of other minutes", () => {
    const step = (at: number, status: string, written_at = at): HistoryRecord => ({
      invocation_id: "a",
      status,
      timestamp: at,
      written_at,
      runner_context_id: "r",
      status_runner_id: null,
      registered_by_inv_id: null,
    });
    const history = [step(10, "registered"), step(119.9, "pending", 120.1), step(130, "running"), step(190, "success")];
    const isTask = (number: number) => rollup.members.at(number)?.kind === "task";
    const counts = () =>
      Object.fromEntries(
        (rollup.occupancy.over({ from: 0, to: 240 }, 60, isTask) ?? []).map(({ group, counts: all }) => [group, all]),
      );
    const rollup = new Rollup();
    rollup.advance(200);
    rollup.fold({ task_id_key: "t", history, signs: NO_SIGNS_OF_LIFE, cause: null });
    const wanted = { registered: [1, 1, 0, 0], pending: [0, 1, 1, 0], running: [0, 0, 1, 1] };
    expect(counts()).toEqual(wanted);
    const third = { from: 120, to: 180 };
    rollup.drop(third);
    const written = (entry: HistoryRecord) => entry.written_at >= third.from && entry.written_at < third.to;
    rollup.fold({ task_id_key: "t", history, signs: NO_SIGNS_OF_LIFE, cause: null }, written);
    expect(counts()).toEqual(wanted);
    // Hours later the minute cannot be forgotten any more.
    rollup.advance(20_000);
    expect(rollup.occupancy.exact).toBe(true);
    expect(counts()).toEqual(wanted);
    rollup.drop(third);
    expect(rollup.occupancy.exact).toBe(false);
  });

  test("counts an invocation once for each bucket and runner that has it running", async () => {
    const app = memoryApp({ now: at(600) });
    const step = (second: number, status: string, runner: string): Step => [at(second), status, runner, at(second)];
    app.invocation("a", {
      task: "t",
      history: [
        [at(0), "registered"],
        step(10, "running", "r1"),
        step(20, "retry", "r1"),
        step(30, "running", "r2"),
        step(40, "paused", "r2"),
        // Whoever wrote it, it runs where it is resumed, until a recovery takes it.
        step(50, "running", "r1"),
        step(130, "running_recovery", "r2"),
        step(250, "rerouted", "r2"),
        step(310, "running", "r2"),
      ],
    });
    app.invocation("b", {
      task: "u",
      history: [[at(70), "registered"], step(80, "running", "r1"), step(90, "success", "r1")],
    });
    const follower = await caughtUp(new Follower(app.store, () => at(600), 3));
    const { rows } = rollupAnswers(follower).busy({ from: at(0), to: at(420) }, 60, ["r1", "r2", "idle"]);
    expect(rows).toEqual([
      { runner_id: "r1", counts: [1, 2, 1, 0, 0, 0, 0] },
      { runner_id: "r2", counts: [1, 0, 0, 0, 0, 1, 1] },
      { runner_id: "idle", counts: [0, 0, 0, 0, 0, 0, 0] },
    ]);
  });

  test("omits runners that came after there were too many to count separately", () => {
    const rollup = new Rollup();
    const runOf = (runner: string): HistoryRecord => ({
      invocation_id: runner,
      status: "running",
      timestamp: 30,
      written_at: 30,
      runner_context_id: runner,
      status_runner_id: null,
      registered_by_inv_id: null,
    });
    const reach = { since: null, whole: true, until: Number.POSITIVE_INFINITY, purged_at: null, checking: false };
    const told = () =>
      rollupAnswers({ rollup, arrivals: new Arrivals(), reach, covers: () => true })
        .busy({ from: 0, to: 60 }, 60, ["r1", "r30000", "idle"])
        .rows?.map(({ runner_id, counts }) => [runner_id, counts]);
    const fold = (n: number) =>
      rollup.fold({ task_id_key: "t", history: [runOf(`r${n}`)], signs: NO_SIGNS_OF_LIFE, cause: null });
    fold(1);
    expect(told()).toEqual([
      ["r1", [1]],
      ["r30000", [0]],
      ["idle", [0]],
    ]);
    for (let n = 2; n <= 30_000; n++) fold(n);
    expect(told()).toEqual([["r1", [1]]]);
  });

  test("names the tasks with the most invocations, and adds up the others", async () => {
    const lifeOf = (task: string) => ({ begins: 0, moves: [], task, runner: "r1", cause: null });
    const app = live(memoryApp(), ["a", "b", "b", "c", "pynenc.core_tasks.x"].map(lifeOf));
    const follower = await caughtUp(new Follower(app.store, () => at(500), 25));
    const { rows } = rollupAnswers(follower).occupancy({ from: at(0), to: at(60) }, 60, 1);
    expect(rows?.map(({ task_id_key, counts }) => [task_id_key, counts])).toEqual([
      ["b", [2]],
      [null, [3]],
    ]);
    const one = rollupAnswers(follower).occupancy({ from: at(0), to: at(60) }, 60, 8, { task_id_key: "c" });
    expect(one.rows?.map(({ task_id_key, counts }) => [task_id_key, counts])).toEqual([["c", [1]]]);
  });
});
