/** Charts over one range: all of them show the slice under the pointer, and dragging chooses a range. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Dashboard } from "../../src/api/health.ts";
import { inAddress } from "../../src/pynenc/time.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

describeInBrowser("the charts of the dashboard", (open) => {
  let monitor: Monitor;
  let slices: { from: string; finished: number }[];
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
    slices = (await monitor.json<Dashboard>("/")).recent?.slices ?? [];
  });
  afterAll(() => monitor.close());

  const PLOT = ".time-chart-plot";

  it("show the values of the slice under the pointer, in every chart", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/");
    const busiest = slices.reduce((most, slice, i) => (slice.finished > (slices[most]?.finished ?? 0) ? i : most), 0);
    expect(slices[busiest]?.finished).toBeGreaterThan(0);
    const box = await page.locator(PLOT).first().boundingBox();
    if (box === null) throw new Error("no chart");
    await page.mouse.move(box.x + (box.width * (busiest + 0.5)) / slices.length, box.y + box.height / 2);
    const told = page.locator(".time-chart-at:visible");
    await expect.poll(() => told.count(), PATIENCE).toBe(await page.locator(PLOT).count());
    expect(await told.nth(1).textContent()).toBe(
      `${slices[busiest]?.finished} finished, ${slices[busiest]?.from.slice(11, 16)} UTC`,
    );
    // What was at the end of the slice is told with the time of its end.
    expect(await told.nth(3).textContent()).toBe(`0 waiting at ${slices[busiest + 1]?.from.slice(11, 16)} UTC`);
    // Below the charts: it hides neither their titles nor their values.
    expect(await page.locator("figcaption .time-chart-at").count()).toBe(0);
    await page.mouse.move(5, 5);
    await expect.poll(() => told.count(), PATIENCE).toBe(0);
    expect(problems).toEqual([]);
  });

  it("open the range of the slices that are dragged across", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/");
    const box = await page.locator(PLOT).nth(1).boundingBox();
    if (box === null) throw new Error("no chart");
    const x = (slice: number) => box.x + (box.width * (slice + 0.5)) / slices.length;
    // From right to left, which chooses the same.
    await page.mouse.move(x(20), box.y + 10);
    await page.mouse.down();
    await page.mouse.move(x(12), box.y + 10, { steps: 4 });
    expect(await page.locator(".stats-strip[data-brushed]").count()).toBe(1);
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.has("from"));
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get("from"), searchParams.get("to")]).toEqual([
      "/",
      inAddress(slices[12]?.from ?? ""),
      inAddress(slices[21]?.from ?? ""),
    ]);
    expect(problems).toEqual([]);
  });

  it("open the range of the slice that is clicked, though without scripts a link has several slices", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/");
    const busiest = slices.reduce((most, slice, i) => (slice.finished > (slices[most]?.finished ?? 0) ? i : most), 0);
    const plot = page.locator(PLOT).nth(1);
    expect(await plot.locator("a").count()).toBeLessThanOrEqual(12);
    const box = await plot.boundingBox();
    if (box === null) throw new Error("no chart");
    await page.mouse.click(box.x + (box.width * (busiest + 0.5)) / slices.length, box.y + 10);
    await page.waitForURL((url) => url.searchParams.has("from"));
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("from"), searchParams.get("to")]).toEqual([
      inAddress(slices[busiest]?.from ?? ""),
      inAddress(slices[busiest + 1]?.from ?? ""),
    ]);
    expect(problems).toEqual([]);
  });

  it("drop a dragged range on Escape", async () => {
    const { page } = await open(monitor);
    await page.goto("/");
    const box = await page.locator(PLOT).first().boundingBox();
    if (box === null) throw new Error("no chart");
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 150, box.y + 10, { steps: 3 });
    await page.keyboard.press("Escape");
    expect(await page.locator(".stats-strip[data-brushed]").count()).toBe(0);
    await page.mouse.up();
    await page.waitForTimeout(200);
    expect(new URL(page.url()).search).toBe("");
  });
});
