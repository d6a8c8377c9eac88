/** The controls of the header stay beside each other and inside the window, also with a long time range. */
import { expect, it } from "vitest";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { describeInBrowser } from "./browser.ts";
import { APP } from "./store.ts";

describeInBrowser("the header", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  it.each([970, 1_100, 1_200, 1_300, 1_400])("has room for all controls in a window of %i pixels", async (width) => {
    const { page } = await open(monitor, { viewport: { width, height: 700 } });
    await page.goto("/invocations/timeline?from=2026-11-21T00:30:00Z&to=2026-11-22T00:40:00Z");
    const controls = page.locator(".go-to button, .header-tools > *:not(search)");
    const boxes = await controls.evaluateAll((elements) =>
      elements.map((element) => element.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
    );
    const places = boxes.filter(({ left, right }) => right > left).sort((a, b) => a.left - b.left);
    expect(places.length).toBeGreaterThan(3);
    for (const [i, { right }] of places.entries()) expect(right).toBeLessThanOrEqual(places[i + 1]?.left ?? width);
  });
});
