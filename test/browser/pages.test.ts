/** Every page as a person meets it: nothing in the console, nothing that scrolls sideways, nothing that axe finds serious. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDemo } from "../../src/demo/demo.ts";
import { DEMO_APP_ID } from "../../src/demo/story/story.ts";
import type { ServerContext } from "../../src/http/context.ts";
import { allRoutes } from "../../src/http/routes/all.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOf } from "../support/monitor.ts";
import { Axe, COLOURS, EVERYTHING, LAYOUT } from "./axe.ts";
import { describeInBrowser, type Open } from "./browser.ts";
import { type PageAddress, pagesOf } from "./pages.ts";

const NOW = 1_795_220_000;
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 400, height: 800 };
/** What 1280 pixels become at a zoom of 400 %: WCAG 1.4.10. */
const NARROWEST = { width: 320, height: 800 };

const STORES: Readonly<Record<string, () => Promise<Monitor>>> = {
  "the kitchen sink": () => monitorOf("kitchen_sink.db", "over a socket", { app: "kitchen_sink" }),
  "the demo story": async () => {
    const folder = temporaryFolder();
    const { path } = createDemo({ path: join(folder.path, "demo.db"), now: NOW, seed: 1 });
    return monitorAt(path, "over a socket", { app: DEMO_APP_ID, now: NOW }, folder.remove);
  },
};

for (const [store, start] of Object.entries(STORES)) {
  describeInBrowser(`every page of ${store}`, (open) => {
    let monitor: Monitor;
    let pages: PageAddress[];
    beforeAll(async () => {
      monitor = await start();
      pages = await pagesOf(monitor);
    });
    afterAll(() => monitor.close());

    // A page is loaded once; its window and its theme change as they do for a viewer. Axe looks at the demo, which has every page and every
    // status: at what is new on each page, in both themes, and in the narrow window at what depends on the layout.
    it("is quiet, fits its window and is accessible, in both themes", { timeout: 900_000 }, async () => {
      expect(await sweep(monitor, pages, open, store === "the demo story" ? new Axe() : null)).toEqual([]);
    });
  });
}

describe("the list of pages of browser tests", () => {
  it("names an address for every page route", async () => {
    const monitor = await STORES["the demo story"]?.();
    if (monitor === undefined) throw new Error("no demo");
    try {
      const pages = await pagesOf(monitor);
      const paths = pages.map(({ path }) => new URL(path, "http://monitor").pathname);
      const server = { dev: false } as ServerContext;
      const missed = allRoutes(server)
        .filter((route) => route.method === "GET" && route.json === undefined && !NO_PAGE.test(route.path))
        .filter((route) => !paths.some((path) => pattern(route.path).test(path)));
      expect(missed.map((route) => route.path)).toEqual([]);
      expect(pages.filter(({ name }) => STATUSES.some((status) => name === `invocation ${status.name}`))).toHaveLength(
        STATUSES.length,
      );
    } finally {
      await monitor.close();
    }
  });
});

/** Assets, the page to sign in (a monitor with a token has it), downloads, redirects and the partial refreshes of pages. `/calls/**` is the page of `/calls/` under another address. */
const NO_PAGE =
  /^\/assets\/|^\/login$|^\/switch-app\/|\/export$|\/refresh$|\/table$|\/panel$|\/compact$|^\/calls\/\*\*/;

function pattern(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`);
}

/** One line for each finding. */
async function sweep(monitor: Monitor, pages: readonly PageAddress[], open: Open, axe: Axe | null): Promise<string[]> {
  // Without motion: in the middle of a transition colours are neither those of one theme nor of the other.
  const { page, problems } = await open(monitor, { reducedMotion: "reduce", expectStatuses: [400, 404] });
  await page.setViewportSize(WIDE);
  const findings: string[] = [];
  const titles = new Map<string, string>();
  for (const { name, path, status = 200, variant = false, asks = false } of pages) {
    const tell = (where: string, found: readonly string[]) =>
      findings.push(...found.map((finding) => `${name} (${path}) ${where}: ${finding}`));
    const response = await page.goto(path);
    if (response?.status() !== status) tell("loading", [`status ${response?.status()}`]);
    const { pathname } = new URL(page.url());
    const title = await page.title();
    const namesake = titles.get(title);
    if (namesake !== undefined && namesake !== pathname) tell("title", [`${title} is that of ${namesake} too`]);
    if (status === 200) titles.set(title, pathname);
    if (status === 200 && !asks) tell("refreshed", await changedByRefresh(page));
    tell("markup", await repeatedIds(page));
    await unstickActions(page);
    tell("1280", await sideways(page));
    await page.setViewportSize(NARROWEST);
    tell("320", await sideways(page));
    await page.setViewportSize(NARROW);
    tell("400 light", await sideways(page));
    if (axe !== null && !variant) tell("400 light", await axe.examine(page, LAYOUT));
    await page.emulateMedia({ colorScheme: "dark" });
    tell("400 dark", await sideways(page));
    await page.setViewportSize(WIDE);
    if (axe !== null) tell("1280 dark", await axe.examine(page, COLOURS));
    await page.emulateMedia({ colorScheme: "light" });
    if (axe !== null) tell("1280 light", await axe.examine(page, EVERYTHING));
    tell("console", problems.splice(0));
  }
  return findings;
}

/** A refresh finds parts of a page again by their ids. */
async function repeatedIds(page: Page): Promise<string[]> {
  const ids = await page.locator("[id]").evaluateAll((elements) => elements.map((element) => element.id));
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))].map((id) => `two elements with id ${id}`);
}

async function sideways(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.scrollingElement ?? document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > clientWidth);
    const names = wide.slice(0, 3).map((e) => `${e.tagName.toLowerCase()}.${e.className}`);
    return [`scrolls sideways, ${scrollWidth} in ${clientWidth}: ${names.join(", ")}`];
  });
}

/**
 * A bar of actions sticks to the lower edge of the window. Which part of which row it covers there depends on the rows above, and axe takes a
 * link that is half covered for a target that is too small.
 */
async function unstickActions(page: Page): Promise<void> {
  await page.locator(".selection ~ .actions").evaluateAll((bars) => {
    for (const bar of bars) (bar as HTMLElement).style.position = "static";
  });
}

/** A page and its partial refresh are the same component, so with a fixed clock a refresh of an unchanged store changes nothing. */
async function changedByRefresh(page: Page): Promise<string[]> {
  const region = page.locator("[data-live]");
  if ((await region.count()) !== 1) return ["no live region"];
  // What is loaded behind the page is there.
  await page.waitForFunction(() => document.querySelector("[data-lazy]:empty") === null);
  const before = await region.innerHTML();
  const answered = page.waitForResponse((response) => response.request().headers()["hx-request"] === "true");
  await page.keyboard.press("r");
  await (await answered).finished();
  await page.waitForFunction(() => document.querySelector<HTMLElement>("[data-live]")?.dataset.etag !== undefined);
  const after = await region.innerHTML();
  return before === after ? [] : ["a refresh of the unchanged store changed the page"];
}
