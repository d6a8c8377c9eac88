/** The opened app that every service works on. */
import { expect, it } from "vitest";
import { numberSetting, openedApp } from "../../../src/services/app/opened-app.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

it("a setting is a number in its own unit, with a default, and now comes from the app", () => {
  const app = memoryApp({ now: at(600), settings: { runner_considered_dead_after_minutes: 3 } });
  expect(numberSetting(app.opened, "runner_considered_dead_after_minutes")).toBe(3);
  expect(numberSetting(app.opened, "max_pending_seconds")).toBe(5);
  app.now = at(601);
  expect(app.opened.now()).toBe(at(601));
});

it("a figure is computed once for each state of the store", async () => {
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

it("figures from before an action of this process are discarded, even slow ones", async () => {
  const app = memoryApp().invocation("a");
  let now = 0;
  // Whatever is asked of the store takes a second.
  const slow = {
    ...app.store,
    app_id: "shop",
    location: "",
    kind: "memory",
    readOnly: false,
    actions: app.store.actions,
  };
  const opened = openedApp(
    { ...slow, version: () => app.store.version(), read: (fn) => app.store.read(fn).finally(() => (now += 1_000)) },
    app.opened.settings,
    () => at(0),
    { clock: () => now },
  );
  const counted = async () => [
    (await opened.inventory()).defined,
    await opened.memo("definitions", (reads) => reads.state_backend.countDefined()),
  ];
  expect(await counted()).toEqual([1, 1]);
  app.invocation("b");
  expect(await counted()).toEqual([1, 1]);
  await opened.store.actions.purge(["broker"]);
  expect(await counted()).toEqual([2, 2]);
});
