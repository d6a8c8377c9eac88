/** The tab of the browser: how many errors the page shows, and an icon that says so. */
import { expect, it } from "vitest";
import { monitorOf, testMonitor } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, write } from "./store.ts";

describeInBrowser("the title and icon of a browser tab", (open) => {
  it("show the number of errors, and return to normal when the errors are gone", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true }));
    const { page, problems } = await open(monitor, { live: "2" });
    const icon = () => page.getAttribute('link[rel="icon"]', "href");
    await page.goto("/");
    expect([await page.title(), await icon()]).toEqual([
      expect.stringMatching(/^Overview /),
      expect.stringMatching(/\/icon\.svg$/),
    ]);
    write(monitor.path, "UPDATE $orchestrator_runner_heartbeats SET last_heartbeat = last_heartbeat - 100000");
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^\([1-9]\) Overview /);
    const shown = await page.locator("#verdicts .verdict-error").count();
    expect(await page.title()).toMatch(new RegExp(`^\\(${shown}\\) Overview `));
    expect(await icon()).toMatch(/\/icon-alert\.svg$/);
    expect((await page.request.get((await icon()) ?? "")).status()).toBe(200);
    write(monitor.path, "UPDATE $orchestrator_runner_heartbeats SET last_heartbeat = last_heartbeat + 100000");
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^Overview /);
    expect(await icon()).toMatch(/\/icon\.svg$/);
    expect(problems).toEqual([]);
  });
});
