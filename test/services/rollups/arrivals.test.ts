/** Counters that only grow: entries written since a follower caught up for the first time. */
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DURATION_BOUNDS, type DurationCounts, TASKS_NAMED } from "../../../src/rollups/arrivals.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import { cases } from "../../support/cases.ts";
import { live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const SPAN = 3_600;

async function caughtUp(follower: Follower): Promise<Follower> {
  while (await follower.step()) {}
  return follower;
}

const followerOf = (app: MemoryApp, stretch = 20) => new Follower(app.store, () => app.now, stretch);

const arrived = (follower: Follower) => rollupAnswers(follower).arrived({ from: at(0), to: at(0) }).tasks;

/** Entries by task and status. */
function entered(follower: Follower): Record<string, Record<string, number>> {
  return Object.fromEntries(
    arrived(follower).map((one) => [one.task_id_key ?? "others", Object.fromEntries(Object.entries(one.entered))]),
  );
}

const total = ({ counts }: DurationCounts) => counts.reduce((sum, n) => sum + n, 0);

/** Registered at an instant, taken 2 s later, and ended 20 s after that. */
function done(app: MemoryApp, id: string, begins: number, end = "success", task = "shop.pay"): MemoryApp {
  return app.invocation(id, {
    task,
    history: [
      [at(begins), "registered"],
      [at(begins + 1), "pending", "r1"],
      [at(begins + 2), "running", "r1"],
      [at(begins + 22), end, "r1"],
    ],
  });
}

describe("the entries counted since a follower caught up", () => {
  test("are all those written since, and none of the past, however long that takes to read", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(30, SPAN),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (all, stretch, share) => {
          const app = live(memoryApp({ now: at(SPAN) }), all);
          const written = app.rows((rows) => [...rows.history]);
          const first = Math.floor(written.length * share);
          app.change((rows) => rows.history.splice(first));
          const follower = followerOf(app, stretch);
          // Only the newest are read, and the past is read between those that come.
          await follower.step();
          for (let n = first; n < written.length; n += 7) {
            app.change((rows) => rows.history.push(...written.slice(n, n + 7)));
            await follower.step();
          }
          await caughtUp(follower);
          const tasks = app.rows(
            (rows) => new Map(rows.definitions.map((row) => [row.invocation_id, row.task_id_key])),
          );
          const counts: Record<string, Record<string, number>> = {};
          for (const { invocation_id, status } of written.slice(first)) {
            const task = tasks.get(invocation_id) ?? "others";
            counts[task] = { ...counts[task], [status]: (counts[task]?.[status] ?? 0) + 1 };
          }
          expect(entered(follower)).toEqual(counts);
        },
      ),
      { numRuns: cases(100) },
    );
  });

  test("have their waits and runs in the right duration ranges", async () => {
    const app = memoryApp({ now: at(100) });
    const follower = await caughtUp(followerOf(app));
    done(app, "a", 0);
    done(app, "b", 40, "failed");
    await caughtUp(follower);
    const [task] = arrived(follower);
    const rangeOf = (seconds: number) => DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    expect(task?.entered).toMatchObject({ success: 1, failed: 1 });
    expect(task?.wait.counts[rangeOf(2)]).toBe(2);
    expect(task?.run.counts[rangeOf(20)]).toBe(2);
    expect([task?.wait.sum, task?.run.sum]).toEqual([4, 40]);
    expect([total(task?.wait as DurationCounts), total(task?.run as DurationCounts)]).toEqual([2, 2]);
  });

  test("have durations beyond the last bound in their own range, and one at a bound below it", async () => {
    const app = memoryApp({ now: at(1e6) });
    const follower = await caughtUp(followerOf(app));
    app.invocation("a", {
      history: [
        [at(0), "registered"],
        [at(5), "running", "r1"],
        [at(90_005), "success", "r1"],
      ],
    });
    await caughtUp(follower);
    const [task] = arrived(follower);
    expect(task?.run.counts.at(-1)).toBe(1);
    expect(task?.wait.counts[DURATION_BOUNDS.indexOf(5)]).toBe(1);
  });

  test("leave out what was written between two starts", async () => {
    const app = done(memoryApp({ now: at(500) }), "a", 0);
    const saved = (await caughtUp(followerOf(app))).saved();
    done(app, "b", 100);
    // Read in several steps.
    const follower = followerOf(app, 2);
    expect(await follower.resume(deserialize(serialize(saved)))).toBe(true);
    await caughtUp(follower);
    expect(entered(follower)).toEqual({});
    done(app, "c", 200, "failed");
    await caughtUp(follower);
    expect(entered(follower)).toEqual({ "shop.pay": { registered: 1, pending: 1, running: 1, failed: 1 } });
  });

  test("remain after a purge, and include what was written before it was noticed", async () => {
    const app = done(memoryApp({ now: at(500) }), "a", 0);
    const follower = await caughtUp(followerOf(app, 2));
    done(app, "b", 100);
    await caughtUp(follower);
    app.change((rows) => rows.history.splice(0));
    done(app, "c", 200, "failed");
    done(app, "d", 300);
    await caughtUp(follower);
    expect(entered(follower)).toEqual({ "shop.pay": { registered: 3, pending: 3, running: 3, success: 2, failed: 1 } });
    done(app, "e", 400);
    await caughtUp(follower);
    expect(entered(follower)["shop.pay"]).toMatchObject({ success: 3, failed: 1 });
  });

  test("are empty for a different store in the place of the old one", async () => {
    const app = done(memoryApp({ now: at(500) }), "a", 100);
    const follower = await caughtUp(followerOf(app));
    app.change((rows) => rows.history.splice(0));
    done(app, "other", 50);
    await caughtUp(follower);
    expect(entered(follower)).toEqual({});
  });

  test("are named for the first tasks, and added up for the others", async () => {
    const app = memoryApp({ now: at(500) });
    const follower = await caughtUp(followerOf(app, 500));
    for (let n = 0; n < TASKS_NAMED + 3; n++) done(app, `i${n}`, n, "success", `shop.task${n}`);
    await caughtUp(follower);
    for (let n = TASKS_NAMED; n < TASKS_NAMED + 3; n++) done(app, `j${n}`, 100 + n, "failed", `shop.task${n}`);
    done(app, "again", 200, "failed", "shop.task0");
    await caughtUp(follower);
    const counts = entered(follower);
    expect(Object.keys(counts)).toHaveLength(TASKS_NAMED + 1);
    expect(counts.others).toMatchObject({ success: 3, failed: 3 });
    expect(counts["shop.task0"]).toMatchObject({ success: 1, failed: 1 });
  });

  test("may have a status with the name of an object member", async () => {
    const app = memoryApp({ now: at(500) });
    const follower = await caughtUp(followerOf(app));
    app.invocation("a", { history: [[at(0), "constructor"]] });
    await caughtUp(follower);
    expect(entered(follower)).toEqual({ "shop.pay": { constructor: 1 } });
  });
});
