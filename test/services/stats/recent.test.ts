import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InvalidInputError, StoreUnreachableError } from "../../../src/errors.ts";
import { isoFromEpoch, utcText } from "../../../src/pynenc/time.ts";
import type { Answered, RollupReads } from "../../../src/rollups/reads.ts";
import { brokerOverview } from "../../../src/services/components/broker.ts";
import { listRunners, runnerDetail } from "../../../src/services/runners/runners.ts";
import { recent } from "../../../src/services/stats/recent.ts";
import { busyRunners, lately, latelyMembers, trends } from "../../../src/services/stats/trends.ts";
import { listTasks, taskDetail } from "../../../src/services/tasks/tasks.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const HOUR = 3_600;

// Pages wait for figures for a moment, which a busy machine may need for what they are made of.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const lost = () => Promise.reject(new StoreUnreachableError("failed", "The reading thread ended."));
/** What a store that cannot be read answers. */
const BROKEN = {
  rows: lost,
  series: lost,
  trends: lost,
  durations: lost,
  changes: lost,
  failures: lost,
  occupancy: lost,
  busy: lost,
  successes: lost,
  arrived: lost,
};

function shop(): MemoryApp {
  const app = memoryApp({ now: at(HOUR) });
  for (let n = 0; n < 7; n++) {
    app.invocation(`i${n}`, {
      task: `shop.t${n}`,
      history: [
        [at(n), "registered"],
        [at(n + 1), "running"],
        [at(n + 2), "failed"],
      ],
    });
  }
  return app;
}

test("the recent failures have the first five tasks and groups, and the number of all groups that failed", async () => {
  const app = shop().invocation("retried", {
    task: "shop.retried",
    history: [
      [at(1), "registered"],
      [at(2), "running"],
      [at(3), "retry"],
    ],
  });
  const { range, recent: found, recent_note } = await recent(app.opened, {});
  expect(range).toEqual({ from: isoFromEpoch(at(0)), to: isoFromEpoch(at(HOUR)) });
  expect([found?.tasks.length, found?.groups.length, found?.groups_failed, found?.total.failed]).toEqual([5, 5, 7, 7]);
  expect(recent_note).toBeNull();
});

test("a page has no recent figures if figures over time are switched off or cannot be read, with a note on errors", async () => {
  const { opened } = shop();
  expect(await recent({ ...opened, rollups: null }, { range: ["30m"] })).toEqual({
    range: { from: isoFromEpoch(at(HOUR / 2)), to: isoFromEpoch(at(HOUR)) },
    recent: null,
    recent_note: null,
  });
  const { recent: found, recent_note } = await recent({ ...opened, rollups: BROKEN }, {});
  expect([found, recent_note]).toEqual([null, expect.stringContaining("still being read")]);
});

test("task lists have the finished runs of the last hour if it has been read, for tasks that finished something", async () => {
  const app = shop().invocation("waits", { task: "shop.waits" });
  app.invocation("good", {
    task: "shop.t0",
    history: [
      [at(1_200), "registered"],
      [at(1_201), "running"],
      [at(1_202), "success"],
    ],
  });
  const found = await trends(app.opened, ["shop.t0", "shop.waits", "no such task"]);
  expect([found?.from, found?.to, found?.slice_seconds]).toEqual([isoFromEpoch(at(0)), isoFromEpoch(at(HOUR)), 120]);
  expect(found?.rows.map((row) => row.task_id_key)).toEqual(["shop.t0"]);
  const [row] = found?.rows ?? [];
  const at0and10 = (a: number, b: number) => Array.from({ length: 30 }, (_, i) => (i === 0 ? a : i === 10 ? b : 0));
  expect([row?.finished, row?.failed]).toEqual([at0and10(1, 1), at0and10(1, 0)]);
  expect(await trends({ ...app.opened, rollups: null }, ["shop.t0"])).toBeNull();
  expect((await listTasks(app.opened, {}, {})).trends?.rows.length).toBe(7);
  expect((await listTasks(app.opened, {})).trends).toBeNull();
});

test("the first failure of a task is the first known, whatever the range, and never a retry", async () => {
  const app = memoryApp({ now: at(2 * HOUR + 30) });
  const failing = (id: string, seconds: number, task = "shop.pay") =>
    app.invocation(id, {
      task,
      history: [
        [at(seconds), "registered"],
        [at(seconds + 1), "running"],
        [at(seconds + 2), "failed"],
      ],
    });
  failing("before", 100);
  failing("now", 2 * HOUR - 600);
  failing("long ago", 200, "shop.ship");
  app.invocation("retried", {
    task: "shop.mail",
    history: [
      [at(2 * HOUR - 500), "registered"],
      [at(2 * HOUR - 499), "running"],
      [at(2 * HOUR - 498), "retry"],
      [at(2 * HOUR - 497), "running"],
      [at(2 * HOUR - 496), "success"],
    ],
  });
  const { opened } = app;
  const since = async (range: Record<string, string[]>) =>
    (await trends(opened, ["shop.mail", "shop.pay", "shop.ship"], range))?.first_failures;
  const known = [
    { task_id_key: "shop.pay", at: isoFromEpoch(at(102)) },
    { task_id_key: "shop.ship", at: isoFromEpoch(at(202)) },
  ];
  expect(await since({})).toEqual(known);
  expect(await since({ range: ["3h"] })).toEqual(known);
  const times = async (task_id?: string) => {
    const found = await lately(opened, task_id === undefined ? {} : { task_id });
    return [found?.failing_since, found?.last_failed];
  };
  expect(await times("shop.pay")).toEqual([isoFromEpoch(at(102)), isoFromEpoch(at(2 * HOUR - 598))]);
  expect(await times("shop.ship")).toEqual([isoFromEpoch(at(202)), isoFromEpoch(at(202))]);
  expect(await times("shop.mail")).toEqual([null, null]);
  expect(await times()).toEqual([null, null]);
  const longer = await taskDetail(opened, "shop.ship", {}, { range: ["3h"] });
  expect([longer.lately?.total.failed, longer.lately?.failing_since]).toEqual([1, isoFromEpoch(at(202))]);
});

test("a silent runner ran nothing after its last heartbeat", async () => {
  const app = shop().change((rows) => rows.history.splice(0));
  const history: [number, string, string?][] = [
    [at(0), "registered"],
    [at(60), "running", "r1"],
  ];
  app.invocation("left", { history });
  app.runner("r1", { last: at(300) });
  const list = await listRunners(app.opened, { show: ["all"] }, {});
  expect(list.runners.map(({ active }) => active)).toEqual([false]);
  const running = Array.from({ length: 30 }, (_, slice) => (slice <= 2 ? 1 : 0));
  expect(list.busy?.rows).toEqual([{ runner_id: "r1", running }]);
});

test("runner lists have the running invocations of the last hour if the whole history has been read", async () => {
  const app = shop().change((rows) => rows.history.splice(0));
  app.invocation("long", {
    history: [
      [at(-100), "registered"],
      [at(-60), "running", "r1"],
      [at(290), "success", "r1"],
    ],
  });
  app.invocation("short", {
    history: [
      [at(250), "registered"],
      [at(260), "running", "r1"],
      [at(261), "failed", "r1"],
    ],
  });
  for (const runner_id of ["r1", "idle"]) app.runner(runner_id);
  const found = await busyRunners(app.opened, ["r1", "idle"]);
  expect([found?.from, found?.to, found?.slice_seconds]).toEqual([isoFromEpoch(at(0)), isoFromEpoch(at(HOUR)), 120]);
  const slices = (...first: number[]) => Array.from({ length: 30 }, (_, i) => first[i] ?? 0);
  expect(found?.rows).toEqual([
    { runner_id: "r1", running: slices(1, 1, 2) },
    { runner_id: "idle", running: slices() },
  ]);
  expect(await busyRunners({ ...app.opened, rollups: null }, ["r1"])).toBeNull();
  const stale = {
    ...BROKEN,
    busy: async (...asked: Parameters<RollupReads["busy"]>) => {
      const answer = await app.opened.rollups?.busy(...asked);
      return { ...(answer ?? expect.fail()), complete: false };
    },
  };
  expect(await busyRunners({ ...app.opened, rollups: stale }, ["r1"])).toBeNull();
  const all = { show: ["all"] };
  expect((await listRunners(app.opened, all, {})).busy?.rows.map((row) => row.runner_id).sort()).toEqual([
    "idle",
    "r1",
  ]);
  expect((await listRunners(app.opened, all)).busy).toBeNull();
});

test("details have the figures of their own last hour, or null if these are unknown", async () => {
  const app = shop().invocation("other", {
    task: "shop.t0",
    history: [
      [at(1_200), "registered"],
      [at(1_201), "pending", "r2"],
      [at(1_202), "running", "r2"],
      [at(1_205), "success", "r2"],
    ],
  });
  const { opened } = app;
  const ofTask = await lately(opened, { task_id: "shop.t0" });
  expect([ofTask?.entries, ofTask?.total.finished, ofTask?.total.failed, ofTask?.total.run.count]).toEqual([
    7, 2, 1, 2,
  ]);
  expect(ofTask?.slices.reduce((sum, { finished }) => sum + finished, 0)).toBe(2);
  expect(ofTask?.durations?.counts.flat().reduce((sum, n) => sum + n, 0)).toBe(2);
  const ofRunner = await lately(opened, { runner: "r2" });
  expect([ofRunner?.total.finished, ofRunner?.total.busy_seconds]).toEqual([1, 3]);
  const ofAll = await lately(opened);
  expect([ofAll?.total.registered, ofAll?.slices.at(-1)?.queued, ofAll?.durations]).toEqual([8, 0, null]);
  expect((await taskDetail(opened, "shop.t0", {}, {})).lately).toEqual(ofTask);
  expect((await taskDetail(opened, "shop.t0", {})).lately).toBeNull();
  expect((await runnerDetail(opened, "r2", {})).lately).toEqual(ofRunner);
  expect((await runnerDetail(opened, "r2")).lately).toBeNull();
  expect((await brokerOverview(opened, {})).lately).toEqual(ofAll);
  expect((await brokerOverview(opened)).lately).toBeNull();
  const unread = { ...opened, rollups: BROKEN };
  const note = expect.stringContaining("still being read");
  expect(await taskDetail(unread, "shop.t0", {}, {})).toMatchObject({ lately: null, lately_note: note });
  expect(await runnerDetail(unread, "r2", {})).toMatchObject({ lately: null, lately_note: note });
  expect(await brokerOverview({ ...opened, rollups: null }, {})).toMatchObject({ lately: null, lately_note: null });
  // No name is not all names.
  expect([await lately(opened, { task_id: "" }), await lately(opened, { runner: "" })]).toEqual([null, null]);
  expect(await lately({ ...opened, rollups: null })).toBeNull();
  // Nothing was found although something was asked for, and figures are not switched off.
  const noteOf = async (range: Record<string, string[]> | null, app = opened) =>
    (await latelyMembers(app, { task_id: "" }, range)).lately_note;
  expect([await noteOf({}), await noteOf(null), await noteOf({}, { ...opened, rollups: null })]).toEqual([
    "The history of this range is still being read.",
    null,
    null,
  ]);
});

test("figures that begin before a purge of the history have a note wherever they are shown", async () => {
  const { opened } = shop();
  const figures = opened.rollups ?? expect.fail();
  const purgedAt = (purged_at: number): RollupReads => {
    const after =
      <Asked extends unknown[], Answer extends Answered>(ask: (...asked: Asked) => Promise<Answer>) =>
      async (...asked: Asked) => {
        const answer = await ask(...asked);
        return { ...answer, reach: { ...answer.reach, purged_at } };
      };
    return {
      ...BROKEN,
      rows: after((...asked: Parameters<RollupReads["rows"]>) => figures.rows(...asked)),
      series: after((...asked: Parameters<RollupReads["series"]>) => figures.series(...asked)),
      durations: after((...asked: Parameters<RollupReads["durations"]>) => figures.durations(...asked)),
      trends: after((...asked: Parameters<RollupReads["trends"]>) => figures.trends(...asked)),
      failures: after((...asked: Parameters<RollupReads["failures"]>) => figures.failures(...asked)),
      successes: (...asked) => figures.successes(...asked),
    };
  };
  const notesOf = async (purged_at: number) => {
    const purged = { ...opened, rollups: purgedAt(purged_at) };
    return [
      (await recent(purged, {})).recent?.notes,
      (await lately(purged, { task_id: "shop.t0" }))?.notes,
      (await lately(purged))?.notes,
      (await trends(purged, ["shop.t0"]))?.notes,
    ];
  };
  const note = `The history was purged at about ${utcText(at(1_000))}. Older figures are those counted before.`;
  expect(await notesOf(at(1_000))).toEqual([[note], [note], [note], [note]]);
  expect(await notesOf(at(-1_000))).toEqual([[], [], [], []]);
});

test("an unreadable range is refused", async () => {
  await expect(recent(shop().opened, { range: ["soon"] })).rejects.toBeInstanceOf(InvalidInputError);
});
