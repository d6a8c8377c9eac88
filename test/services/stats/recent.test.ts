import { expect, test } from "vitest";
import { InvalidInputError, StoreUnreachableError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { recent } from "../../../src/services/stats/recent.ts";
import { trends } from "../../../src/services/stats/trends.ts";
import { listTasks } from "../../../src/services/tasks/tasks.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const HOUR = 3_600;

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

test("what happened recently has the first tasks and groups, and how many groups there are", async () => {
  const { range, recent: found, recent_note } = await recent(shop().opened, {});
  expect(range).toEqual({ from: isoFromEpoch(at(0)), to: isoFromEpoch(at(HOUR)) });
  expect([found?.tasks.length, found?.groups.length, found?.groups_total, found?.total.failed]).toEqual([5, 5, 7, 7]);
  expect(recent_note).toBeNull();
});

test("a page is shown without it where figures over time are switched off, or cannot be read now", async () => {
  const { opened } = shop();
  expect(await recent({ ...opened, rollups: null }, { range: ["30m"] })).toEqual({
    range: { from: isoFromEpoch(at(HOUR / 2)), to: isoFromEpoch(at(HOUR)) },
    recent: null,
    recent_note: null,
  });
  const lost = () => Promise.reject(new StoreUnreachableError("failed", "The reading thread ended."));
  const broken = { rows: lost, series: lost, trends: lost, durations: lost, failures: lost };
  const { recent: found, recent_note } = await recent({ ...opened, rollups: broken }, {});
  expect([found, recent_note]).toEqual([null, expect.stringContaining("not been read")]);
});

test("lists have what their tasks finished in the last hour, if it has been read, and only those that finished", async () => {
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
  expect((await listTasks(app.opened, {}, true)).trends?.rows.length).toBe(7);
  expect((await listTasks(app.opened, {})).trends).toBeNull();
});

test("a range that is not understood is refused", async () => {
  await expect(recent(shop().opened, { range: ["soon"] })).rejects.toBeInstanceOf(InvalidInputError);
});
