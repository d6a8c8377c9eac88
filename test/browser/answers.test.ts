/** People arrive with an order number, or with a phone: what they look for is there in one step, on the first screen. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";
import { describeInBrowser } from "./browser.ts";

const NOW = 1_780_000_000;

describeInBrowser("the monitor of the demo app", (open) => {
  const folder = temporaryFolder();
  let monitor: Monitor;
  beforeAll(async () => {
    const { path } = createDemo({ path: join(folder.path, "demo.db"), now: NOW, seed: 1 });
    monitor = await monitorAt(path, "over a socket", { app: "demo-shop", now: NOW });
  });
  afterAll(async () => {
    await monitor.close();
    folder.remove();
  });

  it.each([true, false])("leads from an order number to its invocations in one step (scripts: %s)", async (scripts) => {
    const { page } = await open(monitor, { javaScriptEnabled: scripts });
    await page.goto("/tasks/");
    await page.locator("input[name=q]").first().fill("ORD-00032");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/invocations\/\?q=arg/);
    const rows = await page.locator("#invocations-table tbody tr").allTextContents();
    expect(rows.length).toBeGreaterThan(0);
    // One that failed has its exception in place of its arguments.
    expect(rows.filter((row) => !row.startsWith("failed") && !row.includes("ORD-00032"))).toEqual([]);
  });

  it.each([
    ["failed", /^[A-Z]\w+(Error|Rejected|Declined)?/],
    ["paused", /^It waits for/],
    ["running", /^It is running/],
  ])("shows on a phone without scrolling why an invocation is %s", async (status, answer) => {
    const { invocations } = await monitor.json<InvocationList>(`/invocations/?limit=1&status=${status}`);
    const { page } = await open(monitor, { viewport: { width: 390, height: 844 } });
    await page.goto(`/invocations/${invocations[0]?.invocation_id}`);
    const notice = page.locator(".answer, .failure-name").first();
    expect((await notice.textContent())?.trim()).toMatch(answer);
    const box = await notice.boundingBox();
    expect((box?.y ?? 844) + (box?.height ?? 0)).toBeLessThan(844);
  });
});
