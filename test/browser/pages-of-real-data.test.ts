/** Every page of the kitchen sink, which pynenc wrote: nothing in the console, nothing that scrolls sideways. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser } from "./browser.ts";
import { pagesOf } from "./pages.ts";
import { sweep } from "./sweep.ts";

describeInBrowser("every page of the kitchen sink", (open) => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: "kitchen_sink" });
  });
  afterAll(() => monitor.close());

  it("is quiet and fits its window, in both themes", { timeout: 900_000 }, async () => {
    expect(await sweep(monitor, await pagesOf(monitor), open, null)).toEqual([]);
  });
});
