/** Without scripts everything can be read, filtered and gone to; only what needs scripts is not there. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { factsOf } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";
import { describeInBrowser, PATIENCE, shownIds } from "./browser.ts";
import { APP, bringBack, takeAway } from "./store.ts";

const NO_SCRIPTS = { javaScriptEnabled: false };

/** Runs in the page, whose own scripts do not: headings, whether there is something to read beside them, and controls that need a script. */
function whatIsShown() {
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0;
  const shown = (selector: string) => [...document.querySelectorAll(selector)].filter(isShown);
  const texts = shown("main *").filter((element) =>
    [...element.childNodes].some((node) => node instanceof Text && /\w{4}/.test(node.data)),
  );
  const idle = shown(".needs-script, button[type=button]:not([popovertarget], :disabled)");
  return { headings: shown("h1").length, texts: texts.length > 2, idle: idle.map((one) => one.outerHTML) };
}

describeInBrowser("a browser without scripts", (open) => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
  });
  afterEach(() => monitor.close());

  it("shows every page, and no control that needs scripts", async () => {
    const { page, problems } = await open(monitor, { ...NO_SCRIPTS, expectStatuses: [400, 404] });
    const pages = (await pagesOf(monitor)).filter(({ variant = false }) => !variant);
    expect(pages.length).toBeGreaterThan(40);
    for (const { path } of pages) {
      await page.goto(path);
      expect([path, await page.evaluate(whatIsShown)]).toEqual([path, { headings: 1, texts: true, idle: [] }]);
    }
    expect(problems).toEqual([]);
  });

  it("filters with the form, and removes the filter with the status that is marked", async () => {
    const { page } = await open(monitor, NO_SCRIPTS);
    await page.goto("/invocations/");
    await page.locator(".filter-more summary").click();
    await page.locator('.status-field input[value="failed"]').check();
    await page.locator(".filter-form button[type=submit]").click();
    await page.waitForURL(/status=failed/);
    expect(await page.locator("#invocations-table tbody tr").count()).toBe(
      factsOf("kitchen_sink.db", APP).statuses.failed,
    );
    await page.getByTitle("Remove this filter").click();
    await page.waitForURL((url) => !url.href.includes("failed"));
    expect(await page.locator(".chip").count()).toBe(0);
  });

  it("turns pages, and shows each row once", async () => {
    const { page } = await open(monitor, NO_SCRIPTS);
    await page.goto("/invocations/");
    const seen = await shownIds(page);
    for (let pages = 1; (await page.locator(".pager a[rel=next]").count()) > 0; pages++) {
      await page.locator(".pager a[rel=next]").click();
      await page.waitForURL((url) => url.searchParams.getAll("after").length === pages);
      seen.push(...(await shownIds(page)));
    }
    const { total } = (await monitor.json<{ page: { total: number } }>("/invocations/")).page;
    expect([seen.length, new Set(seen).size]).toEqual([total, total]);
    await page.getByRole("link", { name: "Newest" }).click();
    await page.waitForURL((url) => !url.searchParams.has("after"));
    expect(await shownIds(page)).toEqual(seen.slice(0, 50));
  });

  it("switches the app by a link", async () => {
    const other = "kitchen-sink.two/β";
    const both = await monitorOf("kitchen_sink.db", "over a socket", { app: APP });
    const { page } = await open(both, NO_SCRIPTS);
    await page.goto("/invocations/");
    expect(await page.locator(".app-name").textContent()).toBe(APP);
    await page.locator(".app-switcher summary").click();
    await page.getByRole("link", { name: other }).click();
    await page.waitForURL((url) => url.pathname === "/invocations/" && url.searchParams.get("app") === other);
    expect(await page.locator(".app-name").textContent()).toBe(other);
    expect(await page.locator("#invocations-table tbody tr").count()).toBe(
      Object.values(factsOf("kitchen_sink.db", other).statuses).reduce((sum, count) => sum + count, 0),
    );
    await both.close();
  });

  it("opens the navigation of a narrow window, and follows its links", async () => {
    const { page } = await open(monitor, { ...NO_SCRIPTS, viewport: { width: 400, height: 800 } });
    await page.goto("/");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.locator("#navigation").getByRole("link", { name: "Runners" }).click();
    await page.waitForURL("**/runners/");
    expect(await page.textContent("h1")).toBe("Runners");
  });

  it("returns to the page by itself when a store that was gone is back", async () => {
    const { page } = await open(monitor, { ...NO_SCRIPTS, expectStatuses: [503] });
    takeAway(monitor);
    const response = await page.goto("/tasks/");
    expect([response?.status(), response?.headers().refresh]).toEqual([503, "3"]);
    expect(await page.textContent("main")).toContain("retries every three seconds");
    bringBack(monitor);
    await expect.poll(() => page.locator("h1").textContent(), PATIENCE).toBe("Tasks");
    expect(new URL(page.url()).pathname).toBe("/tasks/");
  });
});
