/** What a page shows first is where it stays: neither parsing nor scripts move anything afterwards. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_APP_ID } from "../../src/demo/story/story.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";
import { describeInBrowser } from "./browser.ts";

const NOW = 1_795_220_000;

const PAGES = [
  "/",
  "/invocations/",
  "/failures/",
  "/tasks/",
  "/tasks/shop.reports.render",
  "/invocations/timeline",
  "/triggers/",
  "/trigger-runs/",
  "/events/",
  "/runners/",
  "/workflows/",
  "/stats/",
];

let monitor: Monitor;
beforeAll(async () => {
  const folder = temporaryFolder();
  const { path } = createDemo({ path: join(folder.path, "demo.db"), now: NOW, seed: 1 });
  monitor = await monitorAt(path, "over a socket", { app: DEMO_APP_ID, now: NOW }, folder.remove);
});
afterAll(() => monitor.close());

describeInBrowser("the first paint of a page", (open) => {
  it("already has everything where it stays, also when the script arrives late", { timeout: 300_000 }, async () => {
    const { page, problems } = await open(monitor, { viewport: { width: 1440, height: 900 } });
    // Long enough for a paint in between, if the page did not wait for the script.
    await page.route("**/client/main.js", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const moved: string[] = [];
    for (const path of PAGES) {
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      const shift = await page.evaluate(shiftSoFar);
      if (shift >= 0.001) moved.push(`${path}: ${shift}`);
    }
    expect(moved).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** Runs in the browser: the sum of all layout shifts, after two frames in which the last of them is counted. */
async function shiftSoFar(): Promise<number> {
  let sum = 0;
  const count = (entries: PerformanceEntryList) => {
    for (const entry of entries) sum += (entry as PerformanceEntry & { value: number }).value;
  };
  const observer = new PerformanceObserver((list) => count(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  await new Promise((resolve) => setTimeout(resolve));
  count(observer.takeRecords());
  return sum;
}
