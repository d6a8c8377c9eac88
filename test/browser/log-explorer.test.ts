/** The log explorer as a browser has it: lines and marks light each other, files drop, and all of it works from the keyboard and without scripts. */
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import type { EventList } from "../../src/api/events.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

const ALL = readFileSync(fixturePath("kitchen_sink.log"), "utf8").split("\n");
const EVENT_LINE = ALL.find((line) => line.includes("order.audited invocation:")) ?? "";
const [, EVENT = "", EMITTER = ""] = /event:(\S+) .* invocation:(\S+)/.exec(EVENT_LINE) ?? [];
const LOG = [...ALL.filter((line) => line.includes(EMITTER)), ALL[1] ?? "", "a line of another program"].join("\n");

describeInBrowser("the log explorer", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  async function explored(page: Page, log: string): Promise<void> {
    await page.goto("/log-explorer/");
    await page.fill("#log", log);
    await page.click("#log-form button[type=submit]");
    await page.waitForSelector(".log-line");
    // The scripts that light things run when the last line is there.
    await page.waitForLoadState();
  }

  /** Ids of all marks of the timeline that are lit. */
  const lit = (page: Page): Promise<string[]> =>
    page.locator("[data-log-explorer] .timeline .related").evaluateAll((marks) =>
      marks.map((mark) => {
        const { eventId, triggerRunId, invocationId, runnerId } = (mark as SVGElement).dataset;
        return eventId ?? triggerRunId ?? invocationId ?? runnerId ?? "?";
      }),
    );

  const litLines = (page: Page): Promise<string[]> =>
    page.locator(".log-line.related .log-body > .log-text").allTextContents();

  async function point(mark: Locator): Promise<void> {
    await mark.scrollIntoViewIfNeeded();
    await mark.dispatchEvent("pointerover", { bubbles: true, pointerType: "mouse" });
  }

  it("highlights only the marker of an event and the lines that name the event", async () => {
    const { page, problems } = await open(monitor);
    await explored(page, LOG);
    await page.locator(`.marker[data-event-id="${EVENT}"] path`).hover({ force: true });
    await expect.poll(() => lit(page), PATIENCE).toEqual([EVENT]);
    const lines = await litLines(page);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((line) => line.includes(EVENT))).toBe(true);
    expect(problems).toEqual([]);
  });

  it("highlights the lines of an invocation, and the marks that a line names", async () => {
    const { page } = await open(monitor);
    await explored(page, LOG);
    await point(page.locator(`.strand[data-invocation-id="${EMITTER}"]`).first());
    const naming = LOG.split("\n").filter((line) => line.includes(EMITTER));
    await expect.poll(() => litLines(page), PATIENCE).toEqual(naming);
    await page.locator(".log-line", { hasText: "status:pending" }).first().hover();
    await expect.poll(async () => new Set(await lit(page)), PATIENCE).toEqual(new Set([EMITTER]));
    expect(await page.locator(".log-line.related").count()).toBe(1);
    // A line that names its runner alone lights the lane.
    await page.locator(".log-line", { hasText: "Starting ThreadRunner" }).hover();
    const runner = /runner:(\S+)/.exec(ALL[1] ?? "")?.[1] ?? "?";
    await expect.poll(async () => new Set(await lit(page)), PATIENCE).toEqual(new Set([runner]));
    await page.locator("h1").hover();
    await expect.poll(() => page.locator(".related").count(), PATIENCE).toBe(0);
  });

  it("highlights from the keyboard too", async () => {
    const { page } = await open(monitor);
    await explored(page, LOG);
    await page.locator(".log-line a.log-reference[data-kind=event]").first().focus();
    await expect.poll(() => lit(page), PATIENCE).toContain(EVENT);
  });

  it("shows the period of the lines, widened to the emitter of an event, and links to exactly that window", async () => {
    const { page } = await open(monitor);
    // A line from before, which names nothing but the event.
    await explored(page, `2026-11-21 00:34:41.000+00:00 INFO pynenc.${APP} event:${EVENT}`);
    const plot = page.locator(".timeline-compact .timeline-plot");
    const [start, end] = [await plot.getAttribute("data-start"), await plot.getAttribute("data-end")];
    expect(start).toBe("2026-11-21T00:34:40.750000");
    const { history } = await monitor.json<InvocationDetail>(`/invocations/${EMITTER}`);
    const last = Math.max(...history.map((entry) => Date.parse(entry.timestamp)));
    const { events } = await monitor.json<EventList>("/events/?page_size=200");
    const emitted = Date.parse(events.find((event) => event.event_id === EVENT)?.timestamp ?? "");
    expect(Date.parse(`${end}Z`)).toBeGreaterThanOrEqual(Math.max(last, emitted) + 249);
    expect(await plot.locator(`.strand[data-invocation-id="${EMITTER}"]`).count()).toBeGreaterThan(0);
    await page.getByRole("link", { name: "Open full" }).click();
    await page.waitForURL(/\/invocations\/timeline/);
    const query = new URL(page.url()).searchParams;
    expect([query.get("start_date"), query.get("end_date")]).toEqual([start, end]);
    const full = page.locator("#card-timeline .timeline-plot");
    expect([await full.getAttribute("data-start"), await full.getAttribute("data-end")]).toEqual([start, end]);
  });

  it("reads a file that is dropped on its field", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/log-explorer/");
    const data = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "worker.log", { type: "text/plain" }));
      return transfer;
    }, LOG);
    await page.dispatchEvent("#log", "dragover", { dataTransfer: data });
    await page.dispatchEvent("#log", "drop", { dataTransfer: data });
    await page.click("#log-form button[type=submit]");
    await page.waitForSelector(".log-line");
    await page.waitForLoadState();
    expect(new URL(page.url()).search).toBe("");
    expect(await page.locator(".log-line").count()).toBe(LOG.split("\n").length - 1);
    expect(await page.inputValue("#log")).toBe(LOG);
    expect(problems).toEqual([]);
  });

  it("filters and turns pages without scripts", async () => {
    const { page } = await open(monitor, { javaScriptEnabled: false });
    await explored(page, ALL.slice(0, 444).join("\n"));
    const texts = page.locator(".log-line");
    expect(await texts.count()).toBe(200);
    await page.locator("nav.pager button", { hasText: "Next" }).click();
    await page.locator(".pager-text", { hasText: "201–" }).waitFor();
    await page.waitForLoadState();
    await page.locator("#filter-level").selectOption("error");
    await page.click("#log-form button[type=submit]");
    await page.getByRole("heading", { name: /match/ }).waitFor();
    await page.waitForLoadState();
    expect(await page.locator(".log-line:not(.log-error)").count()).toBe(0);
    await page.locator("#filter-level").selectOption("");
    await page.locator(".log-group", { hasText: "Events" }).locator("summary").click();
    await page.locator(".log-group", { hasText: "Events" }).locator("button[name=reference]").first().click();
    await page.locator('#filter-reference[value^="event:"]').waitFor();
    await page.waitForLoadState();
    expect(await page.inputValue("#filter-reference")).toMatch(/^event:/);
    expect(await texts.count()).toBeLessThan(5);
  });

  it("copies an id in a line, and links to its trace and its family", async () => {
    const { page } = await open(monitor, { permissions: ["clipboard-read", "clipboard-write"] });
    await explored(page, LOG);
    const line = page.locator(".log-line", { hasText: "status:pending" }).first();
    await line.hover();
    await line.locator("button.copy").click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), PATIENCE).toBe(EMITTER);
    const hrefs = await line
      .locator(".log-actions a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(hrefs).toEqual([`/invocations/${EMITTER}#card-origin`, `/trace/${EMITTER}`]);
  });
});
