/** Small timelines within other pages: loaded behind the page, kept by its refreshes, a way without scripts. */
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Timeline } from "../../src/api/timeline.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

/** Addresses of small timelines that were asked for. */
function asked(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/timeline/compact")) addresses.push(request.url());
  });
  return addresses;
}

async function refreshed(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().headers()["hx-request"] === "true");
  await page.keyboard.press("r");
  // Not until it has finished: nothing tells that of an answer without a body, for an unchanged page.
  await answered;
  await page.waitForFunction(() => document.querySelector("[aria-busy]") === null);
}

describeInBrowser("small timelines", (open) => {
  let monitor: Monitor;
  let data: Timeline;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true });
    data = await monitor.json<Timeline>("/invocations/timeline?time_range=5m");
  });
  afterEach(() => monitor.close());

  const idOf = (status: string) =>
    data.invocations.find((one) => one.entries.at(-1)?.status === status)?.invocation_id ?? "";

  /** The page of the runner that an invocation was last with. */
  const runnerOf = (wanted: (one: Timeline["invocations"][number]) => boolean) => {
    const entries = data.invocations.find(wanted)?.entries ?? [];
    return `/runners/${entries.findLast((entry) => entry.runner_id !== null)?.runner_id}`;
  };

  it("highlight like the large timeline, and are one stop of the Tab key", async () => {
    const { page, problems } = await open(monitor);
    const id = data.invocations.find((one) => one.parent_event_id !== null)?.invocation_id ?? "";
    await page.goto(runnerOf((one) => one.invocation_id === id));
    const strand = page.locator(".mini-timeline .strand").first();
    await strand.locator("rect, circle").first().hover({ force: true });
    await page.waitForSelector(".mini-timeline .tracing");
    expect(await page.locator(".mini-timeline .timeline-plot a[tabindex='0']").count()).toBe(1);
    // It leads to the page of the mark: there is no panel here.
    const href = await strand.getAttribute("href");
    await strand.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${href}`);
    expect(problems).toEqual([]);
  });

  it("are kept by a refresh that does not change their window", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    const addresses = asked(page);
    await page.goto(runnerOf((one) => one.invocation_id === idOf("success")));
    await page.waitForSelector(".mini-timeline .strand");
    await page
      .locator(".mini-timeline .strand")
      .first()
      .evaluate((element) => {
        (element as SVGElement).dataset.kept = "yes";
      });
    await refreshed(page);
    expect(await page.locator(".mini-timeline [data-kept]").count()).toBe(1);
    expect(addresses).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it("say where they would be that they could not be loaded", async () => {
    const { page } = await open(monitor, { expectStatuses: [503] });
    await page.route("**/timeline/compact*", (route) => route.fulfill({ status: 503, body: "no" }));
    await page.goto(runnerOf((one) => one.invocation_id === idOf("success")));
    await expect.poll(() => page.textContent(".mini-timeline"), PATIENCE).toContain("answered 503");
    expect(await page.locator("#banner").isVisible()).toBe(false);
  });

  it("are replaced by a link to the timeline without scripts", async () => {
    const { page } = await open(monitor, { javaScriptEnabled: false });
    await page.goto(runnerOf((one) => one.invocation_id === idOf("success")));
    expect(await page.locator(".mini-timeline").isVisible()).toBe(false);
    await page.getByRole("link", { name: "Open in the timeline" }).click();
    await page.waitForURL(/\/invocations\/timeline\?/);
    expect(await page.locator(".strand").count()).toBeGreaterThan(0);
  });
});
