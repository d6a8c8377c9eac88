/** What every service works on. */
import { expect, it } from "vitest";
import { numberSetting } from "../../src/services/opened-app.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

it("a setting is a number of its own unit, by default too; the present is that of the app", () => {
  const app = memoryApp({ now: at(600), settings: { runner_considered_dead_after_minutes: 3 } });
  expect(numberSetting(app.opened, "runner_considered_dead_after_minutes")).toBe(3);
  expect(numberSetting(app.opened, "max_pending_seconds")).toBe(5);
  app.now = at(601);
  expect(app.opened.now()).toBe(at(601));
});

it("figures are computed once for a state of the store, and anew for the next", async () => {
  const app = memoryApp().invocation("a");
  let computed = 0;
  const count = () =>
    app.opened.memo("count", async (reads) => {
      computed++;
      return reads.state_backend.countDefined();
    });
  expect([await count(), await count(), computed]).toEqual([1, 1, 1]);
  app.invocation("b");
  expect([await count(), computed]).toEqual([2, 2]);
  expect(await app.opened.memo("another", async () => "x")).toBe("x");
});
