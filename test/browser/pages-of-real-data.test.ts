/** Every page of the kitchen sink, which pynenc wrote: nothing in the console, nothing that scrolls sideways. */
import { expect, it } from "vitest";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";
import { describeInBrowser } from "./browser.ts";
import { sweep } from "./sweep.ts";

describeInBrowser("every page of the kitchen sink", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: "kitchen_sink" }));

  it("causes no error in the console and fits its window", { timeout: 900_000 }, async () => {
    // The pages that ask before an action look the same whatever is stored, and variants are those of the demo.
    const pages = (await pagesOf(monitor)).filter(({ asks = false, variant = false }) => !asks && !variant);
    expect(pages.length).toBeGreaterThan(30);
    expect(await sweep(monitor, pages, open, null)).toEqual([]);
  });
});
