/** Everything without a pointer: the skip link, the keys, and what has the focus is seen and named. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return element === null || element === document.body ? "" : element.id || element.className;
  });
}

describeInBrowser("the keyboard", (open) => {
  let monitor: Monitor;
  let id: string;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed&limit=1");
    id = invocations[0]?.invocation_id ?? "";
  });
  afterAll(() => monitor.close());

  it("reaches the skip link first, which leads to the content", async () => {
    const { page } = await open(monitor);
    await page.goto("/");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("skip-link");
    const box = await page.locator(".skip-link").boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page), PATIENCE).toBe("main");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
  });

  it("opens the list of keys with ? or its button, and closes it with Escape or its close button", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/");
    const dialog = page.locator("#keys-dialog");
    await page.keyboard.press("?");
    await dialog.waitFor();
    expect(await dialog.locator("dd", { hasText: "Invocations" }).count()).toBe(1);
    // Keys mean nothing while it is open.
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.closest("dialog") !== null)).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.click("#settings summary");
    await page.locator("#keys-button").focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(() => focused(page), PATIENCE).toBe("keys-button");
    expect(problems).toEqual([]);
  });

  it("opens each page of the navigation with g and its letter", async () => {
    const { page } = await open(monitor);
    await page.goto("/");
    const targets = await page
      .locator("a[data-letter]")
      .evaluateAll((links: HTMLAnchorElement[]) =>
        links.map((link) => [link.dataset.letter ?? "", link.href] as const),
      );
    expect(targets).toContainEqual(["i", new URL("/invocations/", page.url()).href]);
    expect(new Set(targets.map(([letter]) => letter)).size).toBe(targets.length);
    // From one to the next, and to where it began last, so that each is gone to from another page.
    const [first, ...rest] = targets;
    if (first === undefined) throw new Error("no letters");
    for (const [letter, href] of [...rest, first]) {
      await page.keyboard.press("g");
      await page.keyboard.press(letter);
      await page.waitForURL(href);
    }
    // A letter without g, or one that no page has, goes nowhere.
    await page.goto("/tasks/");
    for (const key of ["i", "g", "z", "i"]) await page.keyboard.press(key);
    await page.keyboard.press("?");
    await page.locator("#keys-dialog").waitFor();
    expect(new URL(page.url()).pathname).toBe("/tasks/");
  });

  it("refreshes the page with r", async () => {
    const { page } = await open(monitor);
    await page.goto("/broker/");
    const answered = page.waitForResponse((response) => response.url().endsWith("/broker/refresh"));
    await page.keyboard.press("r");
    expect((await answered).status()).toBe(200);
    // A page without a live part is loaded again.
    const { page: error } = await open(monitor, { expectStatuses: [404] });
    await error.goto("/no/such/page");
    const again = error.waitForResponse((response) => response.url().endsWith("/no/such/page"));
    await error.keyboard.press("r");
    expect((await again).status()).toBe(404);
  });

  it("has no shortcuts while text is typed", async () => {
    const { page } = await open(monitor);
    const refreshes: string[] = [];
    page.on("request", (request) => {
      // The search field asks for what completes its text, unless the next key comes soon.
      const asks = new URL(request.url()).pathname === "/search";
      if (request.headers()["hx-request"] === "true" && !asks) refreshes.push(request.url());
    });
    await page.goto("/invocations/");
    for (const field of ["#go-to", "#filter-q"]) {
      await page.focus(field);
      await page.keyboard.type("r/?gt/r");
      expect(await page.inputValue(field)).toBe("r/?gt/r");
    }
    await page.focus("#filter-task_id");
    await page.keyboard.press("r");
    expect(await page.locator("#keys-dialog").isVisible()).toBe(false);
    // With a modifier a key is the browser's.
    await page.focus("h1 + .actions a");
    await page.keyboard.press("Alt+r");
    expect(new URL(page.url()).pathname).toBe("/invocations/");
    expect(refreshes).toEqual([]);
  });

  it("closes menus with Escape, and the focus returns", async () => {
    const { page } = await open(monitor);
    await page.goto("/");
    const summary = page.locator(".app-switcher summary");
    await summary.focus();
    await page.keyboard.press("Enter");
    await page.locator(".app-switcher .menu-panel").waitFor({ state: "visible" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await page.locator(".app-switcher .menu-panel").waitFor({ state: "hidden" });
    await expect.poll(() => summary.evaluate((element) => element === document.activeElement), PATIENCE).toBe(true);
  });

  it("reaches the navigation in a narrow window", async () => {
    const { page } = await open(monitor, { viewport: { width: 400, height: 800 } });
    await page.goto("/");
    const navigation = page.locator("#navigation");
    expect(await navigation.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).focus();
    await page.keyboard.press("Enter");
    await navigation.waitFor();
    await page.keyboard.press("Escape");
    await navigation.waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await navigation.getByRole("link", { name: "Tasks" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tasks/");
  });

  it.each([
    ["the dashboard", () => "/"],
    ["the list of invocations", () => "/invocations/?limit=3&status=failed&start_date=2026-11-01"],
    ["an invocation", () => `/invocations/${id}`],
    ["the runners", () => "/runners/?show=all"],
  ])("shows the focus on every control of %s, and each control has a name", async (_name, path) => {
    const { page } = await open(monitor);
    await page.goto(path());
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    expect(await unseenFocus(page)).toEqual([]);
    expect(await nameless(page)).toEqual([]);
  });

  it("reaches the same pages in a narrow window as in a wide one", async () => {
    const { page } = await open(monitor);
    await page.goto("/");
    const count = await page.locator(".nav-link:visible").count();
    expect(count).toBeGreaterThan(10);
    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole("button", { name: "Menu" }).click();
    await expect.poll(() => page.locator(".nav-link:visible").count(), PATIENCE).toBe(count);
  });
});

/** Focuses every control and tells those that look the same, or are not to be seen at all. */
async function unseenFocus(page: Page): Promise<string[]> {
  // From now on the browser takes the viewer for one who uses the keyboard.
  await page.keyboard.press("Tab");
  return page.evaluate(() => {
    const controls = [
      ...document.querySelectorAll<HTMLElement>(
        "a[href], button, input, select:not(:disabled), textarea, summary, [tabindex='0']",
      ),
    ];
    const told: string[] = [];
    for (const control of controls) {
      if (!control.checkVisibility()) continue;
      control.focus();
      const name = `${control.tagName.toLowerCase()}.${control.className} ${control.textContent?.slice(0, 30) ?? ""}`;
      if (document.activeElement !== control) told.push(`cannot have the focus: ${name}`);
      const { outlineStyle, outlineWidth, outlineColor, opacity } = getComputedStyle(control);
      const seen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1 && !/, 0\)$/.test(outlineColor);
      if (!seen || Number(opacity) < 0.9) told.push(`not seen: ${name}`);
    }
    return told.length > 0 || controls.length > 20 ? told : [`only ${controls.length} controls`];
  });
}

interface Node {
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
  properties?: { name: string; value: { value: unknown } }[];
}

/** What can have the focus but no name, by the browser's own tree of accessibility. */
async function nameless(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send("Accessibility.getFullAXTree")) as unknown as { nodes: Node[] };
  const controls = nodes.filter(
    (node) =>
      !node.ignored &&
      node.properties?.some((property) => property.name === "focusable" && property.value.value === true),
  );
  const bare = controls.filter(
    (node) => !node.name?.value && !["main", "RootWebArea"].includes(node.role?.value ?? ""),
  );
  return controls.length > 20 ? bare.map((node) => node.role?.value ?? "?") : [`only ${controls.length} controls`];
}
