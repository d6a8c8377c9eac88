/** What a viewer sets or takes along: the theme, and text on the clipboard. */
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { presentOf } from "../support/fixtures.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

/** Whether what is seen is dark, whatever the attributes say. */
function isDark(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const [red = 0] = (/\d+/.exec(getComputedStyle(document.body).backgroundColor) ?? []).map(Number);
    return red < 128;
  });
}

/** Chooses in the menu of settings, which is closed when a page is opened. */
async function choose(page: Page, select: string, value: string): Promise<void> {
  await page.locator("#settings").evaluate((menu: HTMLDetailsElement) => {
    menu.open = true;
  });
  await page.selectOption(select, value);
}

describeInBrowser("the preferences of a browser", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  it.each([
    { system: "light", chosen: "dark" },
    { system: "dark", chosen: "light" },
  ] as const)(
    "keep the theme $chosen over a reload and on other pages where the system is $system",
    async ({ system, chosen }) => {
      const { page, problems } = await open(monitor, { colorScheme: system });
      await page.goto("/");
      expect([await isDark(page), await page.inputValue("#theme-switch")]).toEqual([system === "dark", "system"]);
      await choose(page, "#theme-switch", chosen);
      await expect.poll(() => isDark(page), PATIENCE).toBe(chosen === "dark");
      for (const visit of [() => page.reload(), () => page.goto("/tasks/")]) {
        await visit();
        expect([await isDark(page), await page.inputValue("#theme-switch")]).toEqual([chosen === "dark", chosen]);
      }
      await choose(page, "#theme-switch", "system");
      await page.reload();
      expect([await isDark(page), await page.inputValue("#theme-switch")]).toEqual([system === "dark", "system"]);
      expect(problems).toEqual([]);
    },
  );

  it("set the theme before the page is painted", async () => {
    const { page } = await open(monitor, { colorScheme: "light" });
    await page.goto("/");
    await choose(page, "#theme-switch", "dark");
    // The module that runs after the page is there stays away: what is left is the script that blocks the first paint.
    await page.route("**/client/main.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    await page.reload();
    expect(await isDark(page)).toBe(true);
  });

  it("follow a change in another tab, and the system while no theme was chosen", async () => {
    const { page } = await open(monitor, { colorScheme: "light" });
    await page.goto("/");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => isDark(page), PATIENCE).toBe(true);
    const other = await page.context().newPage();
    await other.goto("/tasks/");
    await choose(other, "#theme-switch", "light");
    await expect.poll(() => page.inputValue("#theme-switch"), PATIENCE).toBe("light");
    await expect.poll(() => isDark(page), PATIENCE).toBe(false);
  });

  it("show times as ages, in UTC or in the local zone, also after a reload", async () => {
    const { page, problems } = await open(monitor, { timezoneId: "America/New_York", locale: "en-US" });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed&limit=1");
    const { invocation_id, registered_at } = invocations[0] ?? {};
    // A list shows instants to the second, those of today without the date.
    const utc = new RegExp(`(^| )${registered_at?.slice(11, 19)}$`);
    // Eastern standard time is five hours behind.
    const there = new Date(Date.parse(`${registered_at?.slice(0, 23)}Z`) - 5 * 3_600_000).toISOString();
    const local = new RegExp(`(^| )${there.slice(11, 19)} EST$`);
    const cell = page.locator(`tr[data-row="${invocation_id}"] time`).first();
    await page.goto("/invocations/?status=failed");
    const text = () => cell.textContent();
    await expect.poll(text, PATIENCE).toMatch(/ago$/);
    for (const [chosen, expected] of [
      ["utc", utc],
      ["local", local],
      ["ages", /ago$/],
    ] as const) {
      await choose(page, "#times-switch", chosen);
      for (const visit of [null, () => page.reload()]) {
        await visit?.();
        await expect.poll(text, PATIENCE).toMatch(expected);
        expect(await page.inputValue("#times-switch")).toBe(chosen);
      }
    }
    await page.goto(`/invocations/${invocation_id}`);
    await expect.poll(() => page.locator(".fact-line time").first().textContent(), PATIENCE).toMatch(/ago$/);
    await choose(page, "#times-switch", "local");
    await expect.poll(() => page.locator(".fact-line time").first().textContent(), PATIENCE).toMatch(/ EST$/);
    await choose(page, "#times-switch", "mixed");
    await expect.poll(() => page.locator(".fact-line time").first().textContent(), PATIENCE).toMatch(/ago$/);
    expect(problems).toEqual([]);
  });

  it("show what is stamped in the future as an instant, and as an age only what is due", async () => {
    const early = await monitorOf("kitchen_sink.db", "over a socket", {
      alone: APP,
      now: presentOf("kitchen_sink.db") - 86_400,
    });
    onTestFinished(() => early.close());
    const { page } = await open(early);
    const relative = (kind: string) => page.locator(`main td time[data-relative="${kind}"]`).allTextContents();
    await page.goto("/invocations/");
    await expect.poll(async () => (await relative(""))[0], PATIENCE).toMatch(/\d\d:\d\d:\d\d$/);
    for (const text of await relative("")) expect(text).not.toMatch(/^in /);
    await page.goto("/triggers/");
    await expect.poll(async () => (await relative("due"))[0], PATIENCE).toMatch(/^in \d/);
  });

  it("show the time of day before the age where a failure was seen first", async () => {
    const { page } = await open(monitor);
    await page.goto("/failures/?range=7d");
    const first = page.locator("main td time[data-relative=at]").first();
    await expect.poll(() => first.textContent(), PATIENCE).toMatch(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d, .+ ago$/);
  });

  it.each([
    ["Asia/Kolkata", "en-IN", /(GMT\+5:30|IST)$/, 5.5],
    ["America/New_York", "en-US", /EST$/, -5],
  ] as const)(
    "name on pages the zone of %s beside times, and no other zone",
    async (timezoneId, locale, zone, hours) => {
      const { page, problems } = await open(monitor, { timezoneId, locale });
      const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed&limit=1");
      const { invocation_id, registered_at } = invocations[0] ?? {};
      const there = new Date(Date.parse(`${registered_at?.slice(0, 23)}Z`) + hours * 3_600_000).toISOString();
      const shownZones = () => page.locator("[data-utc]:visible").allTextContents();
      const history = page.locator("#history");
      await page.goto(`/invocations/${invocation_id}`);
      expect(await history.locator("th", { hasText: "Time" }).innerText()).toMatch(/Time \(UTC\)/i);
      await choose(page, "#times-switch", "local");
      await expect.poll(shownZones, PATIENCE).toEqual([]);
      expect(await history.locator("th", { hasText: "Time" }).innerText()).toMatch(/^Time$/i);
      const clocks = await history.locator("time[data-clock]").allTextContents();
      expect(clocks[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} /);
      for (const clock of clocks) expect(clock).toMatch(zone);
      expect(await history.locator("time[data-day]:visible").allTextContents()).toEqual([there.slice(0, 10)]);
      await page.goto("/invocations/timeline");
      await expect.poll(shownZones, PATIENCE).toEqual([]);
      for (const bound of await page.locator(".timeline-window time").allTextContents()) expect(bound).toMatch(zone);
      await page.goto("/log-explorer/");
      await page.fill("#log", `${registered_at} INFO something of ${invocation_id}\n${registered_at} INFO and more`);
      await page.click("#log-form button[type=submit]");
      await page.waitForSelector(".log-line");
      await expect.poll(shownZones, PATIENCE).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it("hold for the page where storage is forbidden", async () => {
    const { page, problems } = await open(monitor, { colorScheme: "light" });
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new DOMException("forbidden", "SecurityError");
        },
      });
    });
    await page.goto("/");
    await choose(page, "#theme-switch", "dark");
    expect(await isDark(page)).toBe(true);
    expect(problems).toEqual([]);
  });

  async function firstInvocation() {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1");
    const row = invocations[0];
    if (row === undefined) throw new Error("no invocation");
    return row;
  }

  it("a shortened id is copied whole", async () => {
    const { invocation_id } = await firstInvocation();
    const { page, problems } = await open(monitor, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/invocations/");
    const cell = page.locator("#invocations-table tbody tr").first().locator("th");
    expect(await cell.textContent()).toContain("…");
    await cell.hover();
    await cell.locator("button.copy").click();
    await expect.poll(() => page.textContent("#announcer"), PATIENCE).toBe("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(invocation_id);
    expect(problems).toEqual([]);
  });

  it("an id is copied with the keyboard, and where the clipboard cannot be written to", async () => {
    const { call_id_key } = await firstInvocation();
    const { page } = await open(monitor, { permissions: ["clipboard-read", "clipboard-write"] });
    // As on a page that did not come over a secure connection.
    await page.addInitScript(() => {
      Clipboard.prototype.writeText = () => Promise.reject(new DOMException("not allowed", "NotAllowedError"));
    });
    await page.goto(`/calls/?call_id_key=${encodeURIComponent(call_id_key ?? "")}`);
    const button = page.locator("main button.copy").first();
    const wanted = await button.getAttribute("data-copy");
    await button.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.textContent("#announcer"), PATIENCE).toBe("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wanted);
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
