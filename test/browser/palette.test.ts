/** The search with matches while typing: by keyboard and pointer, read out rightly, and in both themes and on a phone. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { shortId } from "../../src/presentation/text.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { Axe, COLOURS, EVERYTHING } from "./axe.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

describeInBrowser("the command palette", (open) => {
  let monitor: Monitor;
  let id: string;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1");
    id = invocations[0]?.invocation_id ?? "";
  });
  afterAll(() => monitor.close());

  it("opens with / and with Ctrl-K in any field, closes with Escape, and returns the focus", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/invocations/");
    const palette = page.locator("#go-to-completions");
    await page.keyboard.press("/");
    await palette.waitFor();
    // The key itself is not typed.
    expect(await page.inputValue("#go-to")).toBe("");
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await page.focus("#filter-q");
    await page.keyboard.press("/");
    expect(await page.inputValue("#filter-q")).toBe("/");
    expect(await palette.isVisible()).toBe(false);
    await page.keyboard.press("Control+k");
    await palette.waitFor();
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("filter-q");
    expect(problems).toEqual([]);
  });

  it("lists the pages at first, and opens the one that is chosen with the arrow keys", async () => {
    const { page } = await open(monitor);
    await page.goto("/tasks/");
    await page.keyboard.press("/");
    const pages = await page.locator("a.nav-link").allTextContents();
    expect(await page.locator(".go-to .choice-name").allTextContents()).toEqual(pages);
    const input = page.locator("#go-to");
    const chosen = async () => {
      const option = await input.getAttribute("aria-activedescendant");
      const selected = await page.locator(".go-to [aria-selected=true]").evaluateAll((all) => all.map((one) => one.id));
      expect(selected).toEqual(option === null ? [] : [option]);
      return option;
    };
    expect(await chosen()).toBeNull();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await chosen()).toBe("go-to-completions-1");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    // Above the first is the field, and above that the last.
    expect(await chosen()).toBeNull();
    await page.keyboard.press("ArrowUp");
    expect(await chosen()).toBe(`go-to-completions-${pages.length - 1}`);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/audit");
  });

  it("offers the switches of the page: theme, times, live refresh and pause", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/tasks/");
    const choose = async (text: string, name: string) => {
      await page.keyboard.press("Control+k");
      await page.fill("#go-to", text);
      await page.locator(`.go-to .choice:has(.choice-name:text-is("${name}"))`).click();
      await page.locator("#go-to-completions").waitFor({ state: "hidden" });
    };
    await choose("dark", "Theme: Dark");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await choose("times ages", "Times: Ages");
    expect(await page.inputValue("#times-switch")).toBe("ages");
    await choose("live 15", "Live 15 s");
    expect(await page.inputValue("#live-switch")).toBe("15");
    await choose("pause", "Paused");
    expect(await page.inputValue("#live-switch")).toBe("paused");
    await choose("keyboard", "Keyboard shortcuts");
    await page.locator("#keys[open], dialog[open]").first().waitFor();
    await page.keyboard.press("Escape");
    // What is switched already is not offered.
    await page.keyboard.press("Control+k");
    await page.fill("#go-to", "theme");
    await page.locator(".go-to .choice", { hasText: "Theme: Light" }).waitFor();
    expect(await page.locator(".go-to .choice", { hasText: "Theme: Dark" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each([
    ["alert", "Notify me of new problems"],
    ["alarms", "Overview"],
    ["share", "Copy link"],
    ["dark", "Theme: Dark"],
    ["slow", "Statistics"],
    ["delete", "Store"],
    ["periodic", "Triggers"],
  ])("finds what “%s” means although nothing has that name: %s", async (text, name) => {
    const { page } = await open(monitor);
    await page.goto("/tasks/");
    await page.keyboard.press("Control+k");
    await page.fill("#go-to", text);
    // The list of an empty field, which has all pages, has no number below it.
    await expect.poll(() => page.textContent(".go-to .choices-note"), PATIENCE).toMatch(/^\d+ results?$/);
    expect(await page.locator(".go-to .choice-name").allTextContents()).toContain(name);
  });

  it("shows matches while text is typed, and says how many there are", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/");
    await page.keyboard.press("Control+k");
    await page.keyboard.type(id.slice(0, 8).toUpperCase());
    const input = page.locator("#go-to");
    await expect.poll(() => page.textContent(".go-to .choices-note"), PATIENCE).toBe("1 result");
    expect(await page.locator(".go-to .choice-name").allTextContents()).toEqual([shortId(id)]);
    expect(await page.locator(".go-to .choice-kind").allTextContents()).toEqual(["invocation"]);
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.type("zz");
    await expect.poll(() => page.textContent(".go-to .choices-note"), PATIENCE).toBe("No result");
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await input.fill(id);
    await expect.poll(() => page.textContent(".go-to .choices-note"), PATIENCE).toBe("1 result");
    await page.locator(".go-to [role=option]").click();
    await page.waitForURL(`**/invocations/${id}`);
    expect(problems).toEqual([]);
  });

  it("opens the search with Enter when nothing is chosen, which leads to the only match", async () => {
    const { page } = await open(monitor);
    await page.goto("/");
    await page.keyboard.press("Control+k");
    await page.fill("#go-to", id.slice(0, 8));
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/invocations/${id}`);
    expect(await page.locator("h1").count()).toBe(1);
  });

  it("passes axe in both themes, and fits a narrow screen", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open(monitor, { colorScheme, viewport: { width: 320, height: 640 } });
      await page.goto("/");
      await page.keyboard.press("Control+k");
      await page.fill("#go-to", "tasks.");
      await expect.poll(() => page.textContent(".go-to .choices-note"), PATIENCE).toContain("results");
      await page.keyboard.press("ArrowDown");
      const axe = new Axe();
      expect(await axe.examine(page, colorScheme === "light" ? EVERYTHING : COLOURS)).toEqual([]);
      const box = await page.locator(".go-to .completions").boundingBox();
      expect(box).not.toBeNull();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 320).toBe(true);
      expect((box?.y ?? 0) + (box?.height ?? 999)).toBeLessThanOrEqual(640);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/palette-${colorScheme}-320.png` });
    }
  });
});
