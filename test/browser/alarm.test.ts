/** Alarms in the page: once switched on, each new error is shown once, on whatever page and in however many tabs. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { monitorOf, testMonitor } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, write } from "./store.ts";

/** Chromium without a desktop shows no notifications: they are kept where the test can see them. */
async function recordNotifications(page: Page, permission: string): Promise<void> {
  await page.context().addInitScript((granted) => {
    class Recorded extends EventTarget {
      static permission = localStorage.getItem("permission") ?? "default";
      static async requestPermission() {
        localStorage.setItem("permission", granted);
        Recorded.permission = granted;
        return granted;
      }
      constructor(_: string, { body, tag }: { body: string; tag: string }) {
        super();
        const shown = JSON.parse(localStorage.getItem("shown") ?? "[]");
        localStorage.setItem("shown", JSON.stringify([...shown, { body, tag }]));
      }
    }
    Object.assign(window, { Notification: Recorded });
  }, permission);
}

const shown = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("shown") ?? "[]") as { body: string }[]);

/** Heartbeats stop, and go on. */
const stop = (path: string, by: number) =>
  write(path, "UPDATE $orchestrator_runner_heartbeats SET last_heartbeat = last_heartbeat - ?", by);

describeInBrowser("the alarm", (open) => {
  it("is off at first; once on, it shows a notification for each new error, once for all pages", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));
    const { page, problems } = await open(monitor);
    await recordNotifications(page, "granted");
    await page.clock.install();
    await page.goto("/tasks/");
    const button = page.locator("#alarm");
    await page.click("#bell summary");
    const bell = () => page.locator("#bell summary .icon").evaluate((icon) => getComputedStyle(icon).fill);
    expect([await button.isChecked(), await bell()]).toEqual([false, "none"]);
    const looked = () => page.waitForResponse((answer) => new URL(answer.url()).pathname === "/verdicts");
    const [first] = await Promise.all([looked(), button.click()]);
    expect([first.status(), await button.isChecked()]).toEqual([200, true]);
    expect(await bell()).not.toBe("none");
    const all = (await first.json()) as { verdicts: { severity: string }[] };
    expect(all.verdicts.filter(({ severity }) => severity === "error")).toEqual([]);

    stop(monitor.path, 100_000);
    const [second] = await Promise.all([looked(), page.clock.runFor(21_000)]);
    const found = (await second.json()) as { verdicts: { severity: string; sentence: string }[] };
    const errors = found.verdicts.filter(({ severity }) => severity === "error").map(({ sentence }) => sentence);
    expect(errors.length).toBeGreaterThan(0);
    await expect.poll(() => page.title(), PATIENCE).toMatch(new RegExp(`^\\(${errors.length}\\) Tasks `));
    expect((await shown(page)).map(({ body }) => body)).toEqual(errors.slice(0, 3));
    expect(await page.getAttribute('link[rel="icon"]', "href")).toMatch(/\/icon-alert\.svg$/);

    // Neither the next look, nor another page, nor another tab tells it again.
    await Promise.all([looked(), page.clock.runFor(21_000)]);
    await Promise.all([looked(), page.goto("/workflows/")]);
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^\(\d\) Workflows/);
    expect(await shown(page)).toHaveLength(Math.min(3, errors.length));

    stop(monitor.path, -100_000);
    await Promise.all([looked(), page.clock.runFor(21_000)]);
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^Workflows/);
    for (let look = 0; look < 4; look++) await Promise.all([looked(), page.clock.runFor(21_000)]);
    stop(monitor.path, 100_000);
    await Promise.all([looked(), page.clock.runFor(21_000)]);
    await expect.poll(async () => (await shown(page)).length, PATIENCE).toBe(2 * Math.min(3, errors.length));

    await page.click("#bell summary");
    await button.click();
    await expect.poll(() => button.isChecked(), PATIENCE).toBe(false);
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^Workflows/);
    expect(problems).toEqual([]);
  });

  it("shows a test notification on demand, and reports warnings too if that is chosen", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));
    // Heartbeats of the future: a clock that is ahead, which is a warning.
    stop(monitor.path, -1_000);
    const { page } = await open(monitor);
    await recordNotifications(page, "granted");
    await page.goto("/tasks/");
    await page.click("#bell summary");
    await page.click("#alarm-test");
    await expect
      .poll(async () => (await shown(page)).map(({ body }) => body), PATIENCE)
      .toEqual(["This is a test: a new problem would be shown like this."]);
    expect(await page.inputValue("#alarm-level")).toBe("error");
    await page.selectOption("#alarm-level", "warning");
    const looked = () => page.waitForResponse((answer) => new URL(answer.url()).pathname === "/verdicts");
    const [look] = await Promise.all([looked(), page.click("#alarm")]);
    const { verdicts } = (await look.json()) as { verdicts: { severity: string }[] };
    await Promise.all([looked(), page.goto("/tasks/")]);
    await page.click("#bell summary");
    expect(await page.inputValue("#alarm-level")).toBe("warning");
    expect(verdicts.map(({ severity }) => severity)).toEqual(["warning"]);
    await expect.poll(() => page.title(), PATIENCE).toMatch(new RegExp(`^\\(${verdicts.length}\\) Tasks `));
  });

  it("stays off where the browser forbids notifications, and says so", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));
    const { page } = await open(monitor);
    await recordNotifications(page, "denied");
    await page.goto("/");
    const button = page.locator("#alarm");
    await page.click("#bell summary");
    await button.click();
    await expect.poll(() => page.textContent("#alarm-note"), PATIENCE).toContain("blocks notifications");
    expect(await button.isChecked()).toBe(false);
  });

  it("asks once for the pages that are opened within 20 seconds, and again for one that lists problems itself", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));
    stop(monitor.path, 100_000);
    const { page } = await open(monitor);
    let asked = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/verdicts") asked++;
    });
    await page.clock.install();
    const countOn = async (path: string) => {
      await page.goto(path);
      await expect.poll(() => page.locator("header .problem-count").textContent(), PATIENCE).toMatch(/^\d+$/);
      return asked;
    };
    expect(await countOn("/tasks/")).toBe(1);
    expect(await countOn("/events/")).toBe(1);
    expect(await countOn("/")).toBe(2);
    expect(await countOn("/tasks/")).toBe(2);
    await page.clock.fastForward(21_000);
    expect(await countOn("/events/")).toBe(3);
  });

  it("counts the problems on every page, and lists them when it is opened", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));
    stop(monitor.path, 100_000);
    const { page, problems } = await open(monitor);
    await page.goto("/tasks/");
    const { verdicts } = await monitor.json<{ verdicts: { sentence: string }[] }>("/verdicts");
    expect(verdicts.length).toBeGreaterThan(0);
    const counts = () => page.locator(".problem-count").allTextContents();
    await expect.poll(counts, PATIENCE).toEqual([String(verdicts.length), String(verdicts.length)]);
    await page.click("#bell summary");
    const listed = page.locator("#ringing li");
    await expect.poll(() => listed.count(), PATIENCE).toBe(verdicts.length);
    for (const [n, { sentence }] of verdicts.entries()) expect(await listed.nth(n).textContent()).toContain(sentence);
    expect(await page.textContent("#alarm-note")).toContain("this tab stays open");
    expect(problems).toEqual([]);
  });
});
