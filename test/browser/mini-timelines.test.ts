/** Small timelines within other pages: loaded behind the page, kept by its refreshes, drawn anew when their window changes. */
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Timeline } from "../../src/api/timeline.ts";
import { presentOf } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, moveTo, write } from "./store.ts";

const NOW = presentOf("kitchen_sink.db");

/** Addresses of small timelines that were asked for. */
function asked(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/timeline/compact")) addresses.push(request.url());
  });
  return addresses;
}

describeInBrowser("small timelines", (open) => {
  let monitor: Monitor;
  let data: Timeline;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP });
    data = await monitor.json<Timeline>("/invocations/timeline?time_range=5m");
  });
  afterEach(() => monitor.close());

  const idOf = (status: string) =>
    data.invocations.find((one) => one.entries.at(-1)?.status === status)?.invocation_id ?? "";

  it("light up like the large one, and are one stop of the Tab key", async () => {
    const { page, problems } = await open(monitor);
    const id = data.invocations.find((one) => one.parent_event_id !== null)?.invocation_id ?? "";
    await page.goto(`/invocations/${id}`);
    const strand = page.locator(`.mini-timeline .strand[data-invocation-id="${id}"]`).first();
    await strand.locator("rect, circle").first().hover({ force: true });
    await page.waitForSelector(".mini-timeline .tracing");
    expect(await page.locator(".mini-timeline .marker.related").count()).toBeGreaterThan(0);
    expect(await page.locator(".mini-timeline .timeline-plot a[tabindex='0']").count()).toBe(1);
    // A click leads to the page of the mark: there is no panel here.
    const marker = page.locator(".mini-timeline .marker").first();
    const href = await marker.getAttribute("href");
    await marker.locator("path").click({ force: true });
    await page.waitForURL(`**${href}`);
    expect(problems).toEqual([]);
  });

  it("survive a refresh that leaves their window alone, and follow one that does not", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    const addresses = asked(page);
    const id = idOf("paused");
    await page.goto(`/invocations/${id}`);
    await page.waitForSelector(".mini-timeline .strand");
    await page
      .locator(".mini-timeline .strand")
      .first()
      .evaluate((element) => {
        (element as SVGElement).dataset.kept = "yes";
      });
    write(monitor.path, "UPDATE $orchestrator_invocations SET retry_count = 7 WHERE invocation_id = ?", id);
    await expect.poll(() => page.textContent(".page-title"), PATIENCE).toContain("7 retries");
    expect(await page.locator(".mini-timeline [data-kept]").count()).toBe(1);
    expect(addresses).toHaveLength(1);

    moveTo(monitor.path, id, "failed", NOW - 1);
    await expect.poll(() => page.locator(".mini-timeline [data-status=failed]").count(), PATIENCE).toBe(1);
    expect(new Set(addresses).size).toBe(2);
    expect(problems).toEqual([]);
  });

  it("say in their place that they could not be loaded", async () => {
    const { page } = await open(monitor, { expectStatuses: [503] });
    await page.route("**/timeline/compact*", (route) => route.fulfill({ status: 503, body: "no" }));
    await page.goto(`/invocations/${idOf("success")}`);
    await expect.poll(() => page.textContent(".mini-timeline"), PATIENCE).toContain("answered 503");
    expect(await page.locator("#banner").isVisible()).toBe(false);
  });

  it("leave a way to the timeline without scripts", async () => {
    const { page } = await open(monitor, { javaScriptEnabled: false });
    const id = idOf("success");
    await page.goto(`/invocations/${id}`);
    expect(await page.locator(".mini-timeline").isVisible()).toBe(false);
    await page.getByRole("link", { name: "Open in the timeline" }).click();
    await page.waitForURL(/\/invocations\/timeline\?/);
    expect(await page.locator(`.strand[data-invocation-id="${id}"].selected`).count()).toBeGreaterThan(0);
  });
});
