/** What `monitor top` shows. */
import { describe, expect, test } from "vitest";
import { top } from "../../../src/services/health/top.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the answer of top", () => {
  test("lists active runners with their running invocations, the longest first, and busy runners before idle ones", async () => {
    const app = memoryApp()
      .runner("a")
      .runner("b")
      .runner("gone", { last: at(-9_999) })
      .invocation("short", { history: [[at(20), "running", "b"]] })
      .invocation("long", { task: "shop.ship", history: [[at(10), "running", "b"]] })
      .invocation("paused", { history: [[at(10), "paused", "a"]] })
      .invocation("done", { history: [[at(5), "success", "a"]] });
    const { workers, running_left_out, as_of } = await top(app.opened, {}, {});
    expect(as_of).toBe("2026-01-05T12:01:00.000000+00:00");
    expect(running_left_out).toBe(false);
    expect(workers.map(({ runner_id, running }) => [runner_id, running.map((one) => one.invocation_id)])).toEqual([
      ["b", ["long", "short"]],
      ["a", []],
    ]);
    expect(workers[0]?.running[0]).toEqual({
      invocation_id: "long",
      task_id_key: "shop.ship",
      since: "2026-01-05T12:00:10.000000+00:00",
    });
  });

  test("has no start of a run after its own time", async () => {
    const app = memoryApp().runner("a");
    app.invocation("one", { history: [[at(90), "running", "a"]] });
    const answer = top(app.opened, {}, {});
    app.now = at(91);
    const { as_of, workers } = await answer;
    expect(workers[0]?.running[0]?.since).toBe("2026-01-05T12:01:30.000000+00:00");
    expect(as_of).toBe("2026-01-05T12:01:31.000000+00:00");
  });

  test("sorts tasks as requested and has the requested number of rows", async () => {
    const app = memoryApp();
    for (let n = 0; n < 8; n++) {
      app.invocation(`i${n}`, {
        task: `shop.t${n}`,
        history: [
          [at(0), "registered"],
          [at(1), "running"],
          [at(2 + n), "failed"],
        ],
      });
    }
    const usual = await top(app.opened, {}, {});
    expect(usual.recent?.tasks).toHaveLength(5);
    expect(usual.recent?.groups).toHaveLength(5);
    const { recent } = await top(app.opened, { range: ["1h"] }, { limit: 7, sort: "p95" });
    expect(recent?.tasks.map((row) => row.task_id_key)).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `shop.t${n}`));
    expect(recent?.groups).toHaveLength(7);
  });

  test("is marked if there are more running invocations than are read", async () => {
    const app = memoryApp().runner("a");
    app.invocations(501, () => ({ history: [[at(1), "running", "a"]] }));
    const { workers, running_left_out } = await top(app.opened, {}, {});
    expect([workers[0]?.running.length, running_left_out]).toEqual([500, true]);
  });
});
