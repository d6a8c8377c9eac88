/** Actions as a person does them: read, confirm, see what happened. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

describeInBrowser("action pages", (open) => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
  });
  afterEach(() => monitor.close());

  it.each([true, false])("purge the queue after the app's id was typed (scripts: %s)", async (javaScriptEnabled) => {
    const { page, problems } = await open(monitor, { javaScriptEnabled, expectStatuses: [409] });
    await page.goto("/broker/");
    await page.getByRole("link", { name: "Purge the queue …" }).click();
    await page.getByRole("heading", { name: "Purge the broker queue" }).waitFor();
    expect(await page.locator("#card-rows").textContent()).toContain("7 messages would be deleted");
    const button = page.getByRole("button", { name: "Purge the broker queue" });
    const field = page.getByLabel(/Type the app's id to confirm/);
    await field.fill("kitchen sink");
    await button.click();
    // The browser itself holds the form back.
    expect(await field.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)).toBe(true);
    await field.fill(APP);
    await button.click();
    await page.waitForURL(/\/broker\/\?done=/);
    expect(await page.locator(".notice-info").first().textContent()).toContain("7 rows deleted");
    await page.getByText("The queue is empty").waitFor();
    expect(problems).toEqual([]);
  });

  it("accept an app id with special characters as confirmation", async () => {
    const { page } = await open(monitor);
    const app = "kitchen-sink.two/β";
    await page.goto(`/broker/purge?app=${encodeURIComponent(app)}`);
    await page.getByLabel(/Type the app's id to confirm/).fill(app);
    await page.getByRole("button", { name: "Purge the broker queue" }).click();
    await page.waitForURL(/\/broker\/\?app=.*&done=/);
    expect(await page.locator(".notice-info").first().textContent()).toContain(`Purged the broker queue of ${app}`);
  });

  it("preview an auto-purge again after its values were changed, and do what was previewed last", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/events/");
    await page.getByRole("link", { name: "Auto-purge …" }).click();
    await page.getByText("Nothing to remove.").waitFor();
    await page.getByText("Other values").click();
    await page.getByLabel("event max records").fill("5");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(/event_max_records=5/);
    await page.getByText("set in this request").waitFor();
    await page.getByRole("button", { name: "Remove them" }).click();
    await page.waitForURL(/\/events\/\?done=/);
    expect(await page.locator(".notice-info").first().textContent()).toContain("10 events and 8 trigger runs removed");
    expect((await monitor.json<{ page: { total: number } }>("/events/")).page.total).toBe(5);
    expect(problems).toEqual([]);
  });

  it.each([true, false])("rerun an invocation and show the new one (scripts: %s)", async (javaScriptEnabled) => {
    const { page, problems } = await open(monitor, { javaScriptEnabled });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed&limit=1");
    await page.goto(`/invocations/${invocations[0]?.invocation_id}`);
    await page.getByRole("link", { name: "Rerun …" }).click();
    await page.getByRole("button", { name: "Rerun" }).click();
    await page.waitForURL(/\/invocations\/[0-9a-f-]{36}\?done=/);
    expect(page.url()).not.toContain(invocations[0]?.invocation_id);
    expect(await page.locator(".notice-info").first().textContent()).toContain("Registered");
    await page.getByText("in the queue").first().waitFor();
    expect(problems).toEqual([]);
  });

  it.each([true, false])("rerun the selected ones of a filtered list (scripts: %s)", async (javaScriptEnabled) => {
    const { page, problems } = await open(monitor, { javaScriptEnabled });
    await page.goto("/invocations/?status=failed");
    await page.getByRole("link", { name: "Rerun these …" }).click();
    const button = page.getByRole("button", { name: /^Rerun (\d|the selected)/ });
    // The page's own words say what no script has counted; a script counts once the page is loaded.
    await page
      .getByRole("button", { name: javaScriptEnabled ? "Rerun 10 calls" : "Rerun the selected calls" })
      .waitFor();
    const boxes = page.locator("input[name=selected][type=checkbox]");
    expect(await boxes.count()).toBe(10);
    if (javaScriptEnabled) {
      // A group goes as a whole, and tells when it is not whole.
      const group = page.getByLabel("All calls of tasks.fail_value");
      await group.uncheck();
      await expect.poll(() => button.textContent(), PATIENCE).toBe("Rerun 7 calls");
      await page.locator(".call-group", { hasText: "fail_value" }).locator("input[name=selected]").first().check();
      await expect.poll(() => button.textContent(), PATIENCE).toBe("Rerun 8 calls");
      expect(await group.evaluate((box: HTMLInputElement) => [box.checked, box.indeterminate])).toEqual([false, true]);
    } else {
      await boxes.nth(0).uncheck();
      await boxes.nth(5).uncheck();
    }
    await button.click();
    await page.waitForURL(/\/invocations\/\?done=/);
    expect(await page.locator(".notice-info").first().textContent()).toContain("Registered 8 calls again");
    expect((await monitor.json<InvocationList>("/invocations/")).page.total).toBe(215);
    expect(problems).toEqual([]);
  });

  it.each([true, false])("register nothing when nothing is selected (scripts: %s)", async (javaScriptEnabled) => {
    const { page, problems } = await open(monitor, { javaScriptEnabled, expectStatuses: [400] });
    await page.goto("/invocations/rerun?task_id=tasks.fail_custom");
    await page.locator("input[name=selected][type=checkbox]").uncheck();
    const button = page.getByRole("button", { name: /^Rerun (\d|the selected)/ });
    if (javaScriptEnabled) {
      await expect.poll(() => button.textContent(), PATIENCE).toBe("Rerun 0 calls");
      expect(await button.isDisabled()).toBe(true);
    } else {
      await button.click();
      await page.getByText("Nothing is selected, so nothing was registered.").waitFor();
    }
    expect((await monitor.json<InvocationList>("/invocations/")).page.total).toBe(207);
    expect(problems).toEqual([]);
  });

  it("offer no rerun for a list without matches", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/invocations/?status=killed");
    expect(await page.getByRole("link", { name: "Rerun these …" }).count()).toBe(0);
    await page.goto("/invocations/rerun?status=killed");
    expect(await page.getByText("Nothing matches, so there is nothing to rerun.").isVisible()).toBe(true);
    expect(await page.locator("main button[type=submit]").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("do not scroll sideways on a phone, in light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, problems } = await open(monitor, { colorScheme, viewport: { width: 390, height: 800 } });
      for (const query of ["status=failed", "status=success"]) {
        await page.goto(`/invocations/rerun?${query}`);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
        expect(await page.getByRole("button", { name: /^Rerun (\d|the selected)/ }).isVisible()).toBe(true);
      }
      expect(problems).toEqual([]);
    }
  });
});
