/** The family tree as a person uses it: more in place, lit lines, zoom, pan, keys, and what a refresh leaves alone. */
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, moveTo } from "./store.ts";

const ROOT = "b5b33649-501e-46c6-9471-8b5487ed90d3";
const BRANCH = "4d50aed3-a7c2-444d-8110-cf1d7c76dcf4";
const LEAF = "eb425c2c-4164-4643-8c87-ae30ec3cb57c";
const tree = (id: string, query = "") => `/invocations/${id}/family-tree${query}`;

const idsOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((nodes) => nodes.map((node) => (node as SVGElement).dataset.invocationId ?? "").sort());

const node = (page: Page, id: string) => page.locator(`.family-node[data-invocation-id="${id}"]`);
const width = async (page: Page) => (await page.locator(".family-svg").boundingBox())?.width ?? 0;

async function refreshed(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().headers()["hx-request"] === "true");
  await page.keyboard.press("r");
  await (await answered).finished();
  await page.waitForFunction(() => document.querySelector("[aria-busy]") === null);
}

describeInBrowser("the family tree", (open) => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
  });
  afterEach(() => monitor.close());

  it("loads more children in place, keeps them through refreshes, and focuses the first of them", async () => {
    const { page, problems } = await open(monitor);
    await page.goto(tree(ROOT, "?limit=6"));
    expect(await page.locator(".family-node").count()).toBe(6);
    const more = page.locator(`[data-more-of="${BRANCH}"] a`);
    await more.click();
    await expect.poll(() => page.locator(".family-node").count(), PATIENCE).toBe(9);
    expect(await more.count()).toBe(0);
    expect(new URL(page.url()).search).toBe("?limit=6");
    const focused = () =>
      node(page, BRANCH)
        .locator("a")
        .evaluate((link) => link === document.activeElement);
    await expect.poll(focused, PATIENCE).toBe(true);
    await refreshed(page);
    expect(await page.locator(".family-node").count()).toBe(9);
    await page.locator("[data-more-of] a").first().focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".family-node").count(), PATIENCE).toBeGreaterThan(9);
    expect(problems).toEqual([]);
  });

  it("loads more children by a link without scripts", async () => {
    const { page } = await open(monitor, { javaScriptEnabled: false });
    await page.goto(tree(ROOT, "?limit=6"));
    await page.locator(`[data-more-of="${BRANCH}"] a`).click();
    await page.waitForURL((url) => url.searchParams.get("expand") === BRANCH);
    expect(await page.locator(".family-node").count()).toBe(9);
    expect(await page.locator(".family-zoom").isVisible()).toBe(false);
  });

  it("highlights only the ancestors and descendants of the invocation that is pointed at or focused", async () => {
    const { page, problems } = await open(monitor, { viewport: { width: 1400, height: 1400 } });
    await page.goto(tree(LEAF));
    const line = { [LEAF]: [ROOT, BRANCH, LEAF], [BRANCH]: [ROOT, BRANCH, ...(await childrenOf(monitor, BRANCH))] };
    for (const [id, expected] of Object.entries(line)) {
      await node(page, id).hover();
      await expect
        .poll(() => idsOf(page, ".family-lit .family-node.family-related"), PATIENCE)
        .toEqual(expected.sort());
      expect(await page.locator(".family-edge.family-related").count()).toBe(expected.length - 1);
    }
    const opacity = (id: string) => node(page, id).evaluate((one) => Number(getComputedStyle(one).opacity));
    const cousin = (await idsOf(page, ".family-node:not(.family-related)"))[0] ?? "";
    await expect.poll(async () => [await opacity(BRANCH), (await opacity(cousin)) < 0.5], PATIENCE).toEqual([1, true]);
    await page.mouse.move(1, 1);
    await expect.poll(() => page.locator(".family-lit").count(), PATIENCE).toBe(0);
    await node(page, LEAF).locator("a").focus();
    await expect
      .poll(() => idsOf(page, ".family-lit .family-related[data-invocation-id]"), PATIENCE)
      .toEqual([ROOT, BRANCH, LEAF].sort());
    await page.locator("#go-to").focus();
    await expect.poll(() => page.locator(".family-lit").count(), PATIENCE).toBe(0);
    expect(problems).toEqual([]);
  });

  it("leads the keyboard to every invocation in turn, and Enter opens its page", async () => {
    const { page } = await open(monitor);
    await page.goto(tree(LEAF));
    await page.locator(".family-scroll").focus();
    const reached: string[] = [];
    for (let n = 0; n < 13; n++) {
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate(
          () => document.activeElement?.closest<SVGElement>(".family-node")?.dataset.invocationId ?? "elsewhere",
        ),
      );
    }
    expect(reached.sort()).toEqual(await idsOf(page, ".family-node"));
    await node(page, BRANCH).locator("a").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/invocations/${BRANCH}`);
  });

  it("zooms by buttons, keys and wheel within limits, and keeps the zoom through a refresh", async () => {
    const { page, problems } = await open(monitor);
    await page.goto(tree(ROOT));
    const natural = await width(page);
    await page.getByRole("button", { name: "Larger" }).click();
    await expect.poll(() => width(page), PATIENCE).toBeGreaterThan(natural);
    await page.locator(".family-scroll").focus();
    await page.keyboard.press("-");
    await expect.poll(() => width(page), PATIENCE).toBeCloseTo(natural, 0);
    await page.keyboard.press("0");
    const fits = async () => {
      const frame = await page.locator(".family-scroll").boundingBox();
      const drawing = await page.locator(".family-svg").boundingBox();
      if (frame === null || drawing === null) throw new Error("no tree");
      return drawing.height <= frame.height && drawing.width <= frame.width;
    };
    await expect.poll(fits, PATIENCE).toBe(true);
    const fitted = await page.locator(".family-svg").boundingBox();
    await refreshed(page);
    expect(await width(page)).toBeCloseTo(fitted?.width ?? 0, 0);
    await page.locator(".family-scroll").hover();
    const modified = async (delta: number) => {
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, delta);
      await page.keyboard.up("Control");
    };
    await modified(-200);
    await expect.poll(() => width(page), PATIENCE).toBeGreaterThan(fitted?.width ?? 0);
    for (let n = 0; n < 12; n++) await page.getByRole("button", { name: "Smaller" }).click();
    await expect.poll(() => width(page), PATIENCE).toBeCloseTo(natural / 4, 0);
    expect(problems).toEqual([]);
  });

  it("pans by dragging, and a drag that begins on a link does not follow it", async () => {
    const { page } = await open(monitor, { viewport: { width: 700, height: 700 } });
    await page.goto(tree(ROOT));
    const scroll = page.locator(".family-scroll");
    // Larger than its frame both ways.
    for (let n = 0; n < 3; n++) await page.getByRole("button", { name: "Larger" }).click();
    const position = () => scroll.evaluate((one) => [one.scrollLeft, one.scrollTop]);
    await scroll.evaluate((one) => one.scrollTo(0, 0));
    const box = (await node(page, ROOT).isVisible()) ? await scroll.boundingBox() : null;
    const [x, y] = [(box?.x ?? 0) + 500, (box?.y ?? 0) + 300];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 200, y - 100, { steps: 5 });
    await page.mouse.up();
    await expect.poll(position, PATIENCE).toEqual([200, 100]);
    await node(page, ROOT).scrollIntoViewIfNeeded();
    const link = await node(page, ROOT).boundingBox();
    const [left = 0] = await position();
    const [linkX, linkY] = [(link?.x ?? 0) + 80, (link?.y ?? 0) + 30];
    await page.mouse.move(linkX, linkY);
    await page.mouse.down();
    await page.mouse.move(linkX - 60, linkY, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => (await position())[0], PATIENCE).toBe(left + 60);
    expect(new URL(page.url()).pathname).toBe(tree(ROOT));
  });

  it("scrolls to the focused invocation in a small frame, and follows a change of the store", async () => {
    const { page, problems } = await open(monitor, { viewport: { width: 500, height: 600 } });
    await page.goto(tree(LEAF));
    const visible = await page.evaluate(() => {
      const box = document.querySelector(".family-focus")?.getBoundingClientRect();
      const frame = document.querySelector(".family-scroll")?.getBoundingClientRect();
      if (box === undefined || frame === undefined) return false;
      return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
    });
    expect(visible).toBe(true);
    const before = await page.locator(".family-scroll").evaluate((one) => one.scrollLeft);
    moveTo(monitor.path, LEAF, "failed", 1_795_221_429);
    await refreshed(page);
    await expect.poll(() => node(page, LEAF).getAttribute("data-status"), PATIENCE).toBe("failed");
    expect(await page.locator(".family-scroll").evaluate((one) => one.scrollLeft)).toBe(before);
    expect(problems).toEqual([]);
  });
});

async function childrenOf(monitor: Monitor, id: string): Promise<string[]> {
  const { nodes } = await monitor.json<{ nodes: { invocation_id: string; parent_id: string | null }[] }>(tree(id));
  return nodes.flatMap((one) => (one.parent_id === id ? [one.invocation_id] : []));
}
