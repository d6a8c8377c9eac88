/** Looks at every page of a monitor as a person meets it. */
import type { Page } from "playwright-core";
import type { Monitor } from "../support/monitor.ts";
import type { PageAddress } from "../support/pages.ts";
import { type Axe, COLOURS, EVERYTHING, LAYOUT } from "./axe.ts";
import type { Open } from "./browser.ts";

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 400, height: 800 };
/** What 1280 pixels become at a zoom of 400 %: WCAG 1.4.10. */
const NARROWEST = { width: 320, height: 800 };

/**
 * A page is loaded once; its window and its theme change as they do for a viewer. Axe looks at what is new on each page, and leaves
 * out variants of a page.
 *
 * @param axe null for pages that differ from others only in what is stored: they are not refreshed either.
 * @returns one line for each finding.
 */
export async function sweep(
  monitor: Monitor,
  pages: readonly PageAddress[],
  open: Open,
  axe: Axe | null,
): Promise<string[]> {
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
    if (axe !== null && status === 200 && !asks) tell("refreshed", await changedByRefresh(page));
    tell("markup", await repeatedIds(page));
    await unstickActions(page);
    tell("1280", await sideways(page));
    await page.setViewportSize(NARROWEST);
    tell("320", await sideways(page));
    const examined = variant ? null : axe;
    if (examined !== null) tell("320", await examined.examine(page, LAYOUT));
    await page.setViewportSize(NARROW);
    tell("400", await sideways(page));
    await page.setViewportSize(WIDE);
    if (examined !== null) {
      tell("light", await examined.examine(page, EVERYTHING));
      await page.emulateMedia({ colorScheme: "dark" });
      tell("dark", await examined.examine(page, COLOURS));
      await page.emulateMedia({ colorScheme: "light" });
    }
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
