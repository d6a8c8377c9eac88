/** The search field completes what is written: by keyboard and pointer, read out rightly, and in both themes and on a phone. */
import { expect, it } from "vitest";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { Axe, COLOURS, EVERYTHING } from "./axe.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

describeInBrowser("the search field", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  const OPTIONS = "#filter-q-completions [role=option]";

  it("offers fields and then their values, accepts them by keyboard, and sends the text", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/invocations/");
    const input = page.locator("#filter-q");
    expect(await page.locator(OPTIONS).count()).toBe(0);
    await input.pressSequentially("stat");
    await expect.poll(() => page.locator(`${OPTIONS} .choice-name`).allTextContents(), PATIENCE).toEqual(["status:"]);
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await input.press("ArrowDown");
    const option = await input.getAttribute("aria-activedescendant");
    expect(await page.locator(`#${option}`).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    expect(await input.inputValue()).toBe("status:");
    await expect.poll(() => page.locator(`${OPTIONS} .choice-name`).allTextContents(), PATIENCE).toContain("failed");
    await input.pressSequentially("fail");
    await expect.poll(() => page.locator(`${OPTIONS} .choice-name`).allTextContents(), PATIENCE).toEqual(["failed"]);
    await input.press("ArrowDown");
    await input.press("Tab");
    expect(await input.inputValue()).toBe("status:failed ");
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await input.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q")?.trim() === "status:failed");
    expect(problems).toEqual([]);
  });

  it("opens its list with an arrow key, closes it with Escape or when it loses the focus, and accepts a click", async () => {
    const { page } = await open(monitor);
    await page.goto("/invocations/");
    const input = page.locator("#filter-q");
    await input.fill("-is:final exception:");
    await page.locator(OPTIONS).first().waitFor();
    await input.press("Escape");
    expect(await page.locator(OPTIONS).count()).toBe(0);
    await input.press("ArrowDown");
    await page.locator(OPTIONS).first().waitFor();
    await page.locator("#go-to").focus();
    await expect.poll(() => page.locator(OPTIONS).count(), PATIENCE).toBe(0);
    await input.focus();
    await input.press("ArrowDown");
    const first = page.locator(OPTIONS).first();
    const name = await first.locator(".choice-name").textContent();
    await first.click();
    expect(await input.inputValue()).toBe(`-is:final exception:${name} `);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("filter-q");
  });

  it("passes axe in both themes, and fits a narrow screen", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open(monitor, { colorScheme, viewport: { width: 320, height: 640 } });
      await page.goto("/invocations/");
      await page.locator("#filter-q").focus();
      await page.keyboard.press("ArrowDown");
      await page.locator(OPTIONS).first().waitFor();
      await page.keyboard.press("ArrowDown");
      // The list lies over links that cannot be pressed until it closes.
      const aspects = EVERYTHING.filter((aspect) => aspect !== "targets");
      expect(await new Axe().examine(page, colorScheme === "light" ? aspects : COLOURS)).toEqual([]);
      const box = await page.locator("#filter-q-completions").boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 320).toBe(true);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/completion-${colorScheme}-320.png` });
    }
  });
});

describeInBrowser("the search field of the header", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  it("completes a search for invocations, and leads to their list", async () => {
    const { page, problems } = await open(monitor, { viewport: { width: 1280, height: 700 } });
    await page.goto("/tasks/");
    const input = page.locator("#go-to");
    const names = () => page.locator("#go-to-completions [role=option] .choice-name").allTextContents();
    await input.pressSequentially("stat");
    await expect.poll(async () => (await names()).at(-1), PATIENCE).toBe("status:");
    await input.press("ArrowUp");
    await input.press("Enter");
    await expect.poll(names, PATIENCE).toContain("failed");
    await input.pressSequentially("fail");
    await expect.poll(async () => (await names())[0], PATIENCE).toBe("failed");
    const box = await page.locator("#go-to-completions").boundingBox();
    const field = await input.boundingBox();
    expect((box?.y ?? 0) >= (field?.y ?? 999) + (field?.height ?? 0) - 1).toBe(true);
    await input.press("ArrowDown");
    await expect
      .poll(() => page.locator("#go-to-completions [aria-selected=true]").textContent(), PATIENCE)
      .toContain("failed");
    // Both keys come before the answer to the first.
    await page.route(/completions|\/search/, async (route) => {
      if (route.request().isNavigationRequest()) return await route.continue();
      await new Promise((wake) => setTimeout(wake, 3000));
      await route.continue().catch(() => {});
    });
    await input.press("Enter");
    await input.press("Enter");
    await page.waitForURL(/\/invocations\/\?q=status%3Afailed/);
    expect(problems).toEqual([]);
  });
});
