/** Live refresh: what changes in the store appears by itself, and nothing that a viewer does is lost by it. */
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { presentOf } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, bringBack, moveTo, takeAway, write } from "./store.ts";

const NOW = presentOf("kitchen_sink.db");

/** A page's time that only the test moves on: timers run when they are told to, so that nothing waits and nothing depends on speed. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
}

/** Statuses of the answers to refreshes, in order. */
function refreshes(page: Page): number[] {
  const statuses: number[] = [];
  page.on("response", (response) => {
    // Small timelines are loaded behind their page once; they are no refresh.
    if (response.url().includes("/timeline/compact")) return;
    if (response.request().headers()["hx-request"] === "true") statuses.push(response.status());
  });
  return statuses;
}

describeInBrowser("live refresh", (open) => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP, refreshing: true });
  });
  afterEach(async () => {
    await monitor.close();
  });

  async function anId(status: string): Promise<string> {
    const { invocations } = await monitor.json<InvocationList>(`/invocations/?status=${status}`);
    const id = invocations[0]?.invocation_id;
    if (id === undefined) throw new Error(`no invocation is ${status}`);
    return id;
  }

  it("shows a change without a reload in a list, in a detail and on the dashboard", async () => {
    const id = await anId("paused");
    const { page: list, problems } = await open(monitor, { live: "2" });
    await list.goto("/invocations/?status=failed");
    const { page: detail } = await open(monitor, { live: "2" });
    await detail.goto(`/invocations/${id}`);
    const { page: dashboard } = await open(monitor, { live: "2" });
    await dashboard.goto("/");
    for (const page of [list, detail, dashboard]) {
      expect(await page.inputValue("#live-switch")).toBe("2");
      await page.evaluate(() => {
        document.documentElement.dataset.kept = "yes";
      });
    }
    const failed = dashboard.locator('.status-link[href="/invocations/?status=failed"] .number').first();
    const rows = list.locator("#invocations-table tbody tr");
    expect([await rows.count(), await failed.textContent()]).toEqual([10, "10"]);
    await expect
      .poll(() => detail.locator("h1 ~ .badge, .page-title .badge").first().textContent(), PATIENCE)
      .toContain("paused");

    moveTo(monitor.path, id, "failed", NOW - 1);

    await expect.poll(() => rows.count(), PATIENCE).toBe(11);
    await expect.poll(() => failed.textContent(), PATIENCE).toBe("11");
    await expect.poll(() => detail.locator(".page-title").textContent(), PATIENCE).toContain("failed");
    expect(await detail.locator("#history tbody tr").last().textContent()).toContain("failed");
    for (const page of [list, detail, dashboard]) {
      expect(await page.evaluate(() => document.documentElement.dataset.kept)).toBe("yes");
    }
    expect(problems).toEqual([]);
  });

  it("gets 304 while nothing changes, and one full answer for a change", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    const statuses = refreshes(page);
    await stopClock(page);
    await page.goto("/orchestrator/");
    const next = async () => {
      const before = statuses.length;
      await page.clock.runFor(2000);
      await expect.poll(() => statuses.length, PATIENCE).toBe(before + 1);
      await expect.poll(() => page.locator("[data-live][aria-busy]").count(), PATIENCE).toBe(0);
      return statuses.at(-1);
    };
    for (let asked = 1; asked <= 4; asked++) await next();
    // The page itself carries no ETag, so the first refresh is answered in full.
    expect(statuses).toEqual([200, 304, 304, 304]);
    moveTo(monitor.path, await anId("paused"), "failed", NOW - 1);
    // On a busy machine what was counted before is used a little longer.
    await expect.poll(next, PATIENCE).toBe(200);
    expect(await next()).toBe(304);
    expect(problems).toEqual([]);
  });

  it("stops when it is switched off, also on other pages", async () => {
    const { page } = await open(monitor, { live: "2" });
    const statuses = refreshes(page);
    await stopClock(page);
    await page.goto("/broker/");
    await page.selectOption("#live-switch", "0");
    await page.clock.runFor(300_000);
    await page.locator("#live-dot[data-state=off]").waitFor({ state: "attached" });
    await page.goto("/tasks/");
    expect(await page.inputValue("#live-switch")).toBe("0");
    await page.clock.runFor(300_000);
    await page.selectOption("#live-switch", "5");
    await page.locator("#live-dot[data-state=on]").waitFor({ state: "attached" });
    await page.clock.runFor(5000);
    // The one answer is that of the switch turned on again.
    await expect.poll(() => statuses, PATIENCE).toEqual([200]);
  });

  it("asks again for figures that were not read in time, also where it is switched off", async () => {
    const { page, problems } = await open(monitor, { live: "0" });
    const statuses = refreshes(page);
    await stopClock(page);
    await page.route("**/broker/", async (route) => {
      const response = await route.fetch();
      const asked = route.request().headers()["hx-request"] === "true";
      const body = await response.text();
      const unread = "$&<p data-unread>still being read</p>";
      await route.fulfill({ response, body: asked ? body : body.replace(/<div [^>]*data-live=[^>]*>/, unread) });
    });
    await page.goto("/broker/");
    expect(await page.locator("[data-unread]").count()).toBe(1);
    await page.clock.runFor(2000);
    await expect.poll(() => page.locator("[data-unread]").count(), PATIENCE).toBe(0);
    await page.clock.runFor(300_000);
    expect([statuses, problems]).toEqual([[200], []]);
  });

  it("pauses while the tab is hidden, and catches up when it is shown again", async () => {
    const { page } = await open(monitor, { live: "2" });
    const statuses = refreshes(page);
    await stopClock(page);
    await page.goto("/broker/");
    const hide = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    await hide(true);
    await page.clock.runFor(300_000);
    expect(statuses).toEqual([]);
    await hide(false);
    await expect.poll(() => statuses, PATIENCE).toEqual([200]);
  });

  it("pauses by its control and its key, and catches up afterwards", async () => {
    const { page } = await open(monitor, { live: "2" });
    const statuses = refreshes(page);
    await stopClock(page);
    await page.goto("/broker/");
    const state = () => page.locator("#live-switch option:checked").textContent();
    await page.selectOption("#live-switch", "paused");
    await page.locator("#live-dot[data-state=off]").waitFor({ state: "attached" });
    await page.clock.runFor(300_000);
    expect([statuses, await state()]).toEqual([[], "Paused"]);
    await page.keyboard.press("p");
    await expect.poll(() => statuses, PATIENCE).toEqual([200]);
    expect(await state()).toBe("Live 2 s");
    await page.keyboard.press("p");
    await page.clock.runFor(300_000);
    expect(statuses).toEqual([200]);
    // The pause was of this page only.
    await page.reload();
    expect(await state()).toBe("Live 2 s");
  });

  it("updates the rows of a list in use in place, and holds back new ones behind a button", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    await page.goto("/invocations/?status=failed&status=paused");
    const rows = page.locator("#invocations-table tbody tr");
    const ids = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
    const waiting = page.locator("#new-rows");
    const before = await ids();
    const paused = await anId("paused");
    expect(before).toContain(paused);

    await rows.nth(2).hover();
    moveTo(monitor.path, paused, "failed", NOW - 2);
    moveTo(monitor.path, await anId("pending"), "failed", NOW - 1);
    await waiting.waitFor({ state: "visible" });
    expect(await waiting.textContent()).toBe("1 new row");
    expect(await ids()).toEqual(before);
    expect(await page.locator(`tr[data-row="${paused}"]`).textContent()).toContain("failed");
    // The next refresh knows that this one was not shown as it was.
    moveTo(monitor.path, await anId("running"), "failed", NOW - 0.5);
    await expect.poll(() => waiting.textContent(), PATIENCE).toBe("2 new rows");
    expect(await ids()).toEqual(before);

    await waiting.click();
    await expect.poll(() => rows.count(), PATIENCE).toBe(before.length + 2);
    await waiting.waitFor({ state: "hidden" });

    // So does a page that is not at its top, until it is there again.
    await page.setViewportSize({ width: 1000, height: 300 });
    await page.mouse.move(1, 1);
    await page.evaluate(() => scrollTo(0, 120));
    const shown = await ids();
    moveTo(monitor.path, await anId("registered"), "failed", NOW - 0.25);
    await waiting.waitFor({ state: "visible" });
    expect(await ids()).toEqual(shown);
    await page.evaluate(() => scrollTo(0, 0));
    await expect.poll(() => rows.count(), PATIENCE).toBe(shown.length + 1);
    await waiting.waitFor({ state: "hidden" });
    expect(problems).toEqual([]);
  });

  it("keeps the element of each row when rows are added, removed or moved", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    await page.goto("/invocations/?status=failed&status=running");
    const rows = page.locator("#invocations-table tbody tr");
    const ids = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
    const answered = async () => {
      const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed&status=running");
      return invocations.map((row) => row.invocation_id);
    };
    const before = await ids();
    expect(before.length).toBeGreaterThan(3);
    await rows.evaluateAll((all) => {
      for (const row of all) Object.assign(row, { was: (row as HTMLElement).dataset.row });
    });
    const [gone, moved] = [before[1] ?? "", before.at(-1) ?? ""];
    moveTo(monitor.path, gone, "success", NOW - 3);
    moveTo(monitor.path, moved, "failed", NOW - 2);
    const added = await anId("paused");
    moveTo(monitor.path, added, "failed", NOW - 1);
    const wanted = [added, ...before.filter((id) => id !== gone)].toSorted();
    await expect.poll(async () => (await ids()).toSorted(), PATIENCE).toEqual(wanted);
    expect(await ids()).toEqual(await answered());
    expect(await ids()).not.toEqual([added, ...before.filter((id) => id !== gone)]);
    const was = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement & { was?: string }).was ?? null));
    expect(was).toEqual((await ids()).map((id) => (id === added ? null : id)));
    expect(await page.locator(`tr[data-row="${added}"]`).textContent()).toContain("failed");
    expect(await page.locator(`tr[data-row="${moved}"]`).textContent()).toContain("failed");
    expect(problems).toEqual([]);
  });

  it("keeps the order of rows in a table in use, and updates their texts", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?task_id=tasks.wf_step&limit=5");
    await page.goto("/tasks/");
    const rows = page.locator("[data-live] tbody tr");
    const tasks = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
    const before = await tasks();
    expect(before[0]).toBe("tasks.fail_value");
    await page.locator("section.table-scroll").focus();
    for (const { invocation_id } of invocations) moveTo(monitor.path, invocation_id, "failed", NOW - 0.2);
    const steps = page.locator('tr[data-row="tasks.wf_step"]');
    await expect.poll(() => steps.textContent(), PATIENCE).toMatch(/failed\D*5/);
    expect(await tasks()).toEqual(before);
    // Nobody is in it any more.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.mouse.move(1, 1);
    await expect.poll(async () => (await tasks())[0], PATIENCE).toBe("tasks.wf_step");
    expect(problems).toEqual([]);
  });

  it("keeps the row under the pointer in place when something appears above it", async () => {
    const { page, problems } = await open(monitor, { live: "2" });
    const id = await anId("success");
    await page.goto(`/invocations/${id}`);
    const row = page.locator("#history tbody tr").first();
    // A page that is at its top: browsers keep what is seen in its place only where it has been scrolled.
    const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
    await page.setViewportSize({ width: 1280, height: Math.ceil(y + height + 10) });
    await row.hover();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    const top = () => row.evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    // An impossible transition, which brings a notice.
    moveTo(monitor.path, id, "killed", NOW - 1);
    await page.locator(".notice-warn").waitFor({ state: "attached" });
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
    expect(problems).toEqual([]);
  });

  it("leaves text alone that is being typed into the filter", async () => {
    const { page } = await open(monitor, { live: "2" });
    await page.goto("/invocations/");
    await page.locator(".filter-more summary").click();
    await page.getByLabel("killed", { exact: true }).check();
    const field = page.locator("#filter-runner");
    await field.fill("half a runn");
    moveTo(monitor.path, await anId("paused"), "failed", NOW - 1);
    await expect.poll(() => page.locator(".status-links").textContent(), PATIENCE).toMatch(/failed\D*11/);
    await page.keyboard.type("er");
    expect(await field.inputValue()).toBe("half a runner");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.locator(".filter-more").evaluate((details: HTMLDetailsElement) => details.open)).toBe(true);
    expect(await page.locator('input[value="killed"]').isChecked()).toBe(true);
  });

  it("keeps opened details open, and closed ones closed", async () => {
    const { page } = await open(monitor, { live: "2" });
    const id = await withRawText();
    await page.goto(`/invocations/${id}`);
    const details = page.locator("[data-live] details.raw").first();
    const isOpen = () => details.evaluate((element: HTMLDetailsElement) => element.open);
    const title = page.locator(".page-title");
    await details.locator("summary").click();
    // An impossible transition brings a notice that stands above the details.
    moveTo(monitor.path, id, "killed", NOW - 1);
    await expect.poll(() => title.textContent(), PATIENCE).toContain("killed");
    await page.locator(".notice-warn").waitFor();
    expect(await isOpen()).toBe(true);
    expect(await details.locator("summary").evaluate((element) => element === document.activeElement)).toBe(true);
    await details.locator("summary").click();
    moveTo(monitor.path, id, "retry", NOW - 0.5);
    await expect.poll(() => title.textContent(), PATIENCE).toContain("retry");
    expect(await isOpen()).toBe(false);
  });

  it("keeps the evidence of a problem open when the one above it is gone", async () => {
    write(monitor.path, "UPDATE $orchestrator_runner_heartbeats SET last_heartbeat = last_heartbeat - 100000");
    const { page } = await open(monitor, { live: "2" });
    await page.goto("/");
    const problems = page.locator("#verdicts > ul > .verdict");
    const before = await problems.count();
    await problems.nth(1).locator("summary").click();
    const words = await problems.nth(1).locator("strong").textContent();
    write(monitor.path, "DELETE FROM $broker_message_queue");
    await expect.poll(() => problems.count(), PATIENCE).toBe(before - 1);
    const opened = page.locator(".verdict:has(> details[open])");
    expect(await opened.locator("strong").allTextContents()).toEqual([words]);
    expect(await opened.locator(".verdict-body").isVisible()).toBe(true);
  });

  /** An invocation whose page has text behind a click. */
  async function withRawText(): Promise<string> {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=success&limit=1000");
    for (const { invocation_id } of invocations) {
      if ((await monitor.text(`/invocations/${invocation_id}`)).includes('<details class="raw"')) return invocation_id;
    }
    throw new Error("no invocation has text behind a click");
  }

  it("waits while text is selected", async () => {
    const { page } = await open(monitor, { live: "2" });
    const statuses = refreshes(page);
    await stopClock(page);
    await page.goto("/tasks/");
    await page.locator("[data-live] h2").evaluate((heading) => getSelection()?.selectAllChildren(heading));
    await page.clock.runFor(300_000);
    expect(statuses).toEqual([]);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await page.clock.runFor(2000);
    await expect.poll(() => statuses, PATIENCE).toEqual([200]);
  });

  it("shows a banner while the store is gone, and removes it when the store is back", async () => {
    const { page, problems } = await open(monitor, { live: "2", expectStatuses: [503] });
    await page.goto("/orchestrator/");
    const banner = page.locator("#banner");
    // Ages go on.
    const shown = async () => (await page.locator("[data-live]").textContent())?.replace(/just now|\d+ s ago/g, "");
    const before = await shown();
    expect(await banner.isVisible()).toBe(false);
    takeAway(monitor);
    await banner.waitFor({ state: "visible" });
    expect(await banner.textContent()).toMatch(/^The server answered 503\. Retrying; last data \d\d:\d\d:\d\d UTC$/);
    await page.locator("#live-dot[data-state=failing]").waitFor({ state: "attached" });
    // What was shown stays in sight.
    expect(await shown()).toBe(before);
    bringBack(monitor);
    await banner.waitFor({ state: "hidden" });
    await page.locator("#live-dot[data-state=on]").waitFor({ state: "attached" });
    expect(problems).toEqual([]);
  });

  it("stops with a banner when the thing that the page shows was removed", async () => {
    const { page } = await open(monitor, { live: "2", expectStatuses: [404] });
    const statuses = refreshes(page);
    const id = await anId("paused");
    await stopClock(page);
    await page.goto(`/invocations/${id}`);
    for (const table of ["orchestrator_invocations", "state_backend_invocations", "state_backend_history"]) {
      write(monitor.path, `DELETE FROM $${table} WHERE invocation_id = ?`, id);
    }
    await page.clock.runFor(2000);
    await page.locator("#banner").waitFor({ state: "visible" });
    expect(await page.textContent("#banner")).toContain("no longer refreshes");
    await page.clock.runFor(300_000);
    expect(statuses).toEqual([404]);
  });
});
