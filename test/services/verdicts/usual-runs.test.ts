import { expect, test } from "vitest";
import { usualOfTasks } from "../../../src/services/verdicts/usual-runs.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const NOW = at(4 * 86_400);

/** So many runs of a task, of four seconds each, before the last hour. */
function ran(app: MemoryApp, task: string, runs: number): void {
  for (let n = 0; n < runs; n++) {
    const began = NOW - 9_000 + n * 20;
    app.invocation(`${task} ${n}`, {
      task,
      history: [
        [began, "registered"],
        [began, "pending", "r1"],
        [began, "running", "r1"],
        [began + 4, "success", "r1"],
      ],
    });
  }
}

test("the usual duration is known for tasks with at least thirty runs", async () => {
  const app = memoryApp({ now: NOW });
  ran(app, "shop.pay", 30);
  ran(app, "shop.ship", 29);
  const usual = await usualOfTasks(app.opened, ["shop.pay", "shop.ship", "shop.gone"], 60_000);
  expect([...usual.keys()]).toEqual(["shop.pay"]);
  const pay = usual.get("shop.pay");
  expect(pay?.count).toBe(30);
  expect(Math.abs((pay?.p95 ?? 0) / 4 - 1)).toBeLessThan(0.011);
  expect(await usualOfTasks({ ...app.opened, rollups: null }, ["shop.pay"])).toEqual(new Map());
});
