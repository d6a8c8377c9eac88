/** The filter of the list of invocations: its state is the address, so that it can be shared, taken back and gone back to. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { describeInBrowser, shownIds } from "./browser.ts";
import { APP } from "./store.ts";

function query(page: Page): URLSearchParams {
  return new URL(page.url()).searchParams;
}

/** Parameters that say something: a form sends its empty fields too. */
function given(page: Page): [string, string][] {
  return [...query(page)].filter(([, value]) => value !== "");
}

async function chooseStatuses(page: Page, ...statuses: string[]): Promise<void> {
  await page.locator(".filter-more summary").click();
  for (const status of statuses) await page.locator(`.status-field input[value="${status}"]`).check();
}

function checkedStatuses(page: Page): Promise<string[]> {
  return page
    .locator(".status-field input")
    .evaluateAll((boxes: HTMLInputElement[]) => boxes.filter((box) => box.checked).map((box) => box.value));
}

describeInBrowser("the filters of a list", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  async function idsFor(address: string): Promise<string[]> {
    const { invocations } = await monitor.json<InvocationList>(address);
    return invocations.map((row) => row.invocation_id);
  }

  it("put their values into the address, and each chip removes one", async () => {
    const { page, problems } = await open(monitor);
    await page.goto("/invocations/");
    await chooseStatuses(page, "failed", "registered");
    await page.locator(".filter-form button[type=submit]").click();
    await page.waitForURL(/status=/);
    await page.locator("#time-range summary").click();
    await page.locator("#time-range a", { hasText: "Last hour" }).click();
    await page.waitForURL(/range=/);
    expect(given(page)).toEqual([
      ["status", "registered"],
      ["status", "failed"],
      ["range", "1h"],
    ]);
    expect((await shownIds(page)).sort()).toEqual(
      (await idsFor("/invocations/?status=failed&status=registered&range=1h")).sort(),
    );
    const chips = page.locator(".chips .chip");
    expect(await chips.count()).toBe(3);
    expect(await checkedStatuses(page)).toEqual(["registered", "failed"]);

    await page.getByRole("link", { name: "Remove filter Status registered" }).click();
    await page.waitForURL((url) => !url.href.includes("registered"));
    expect(given(page)).toEqual([
      ["status", "failed"],
      ["range", "1h"],
    ]);
    expect(await checkedStatuses(page)).toEqual(["failed"]);
    await page.getByRole("link", { name: "Remove filter Time Last hour" }).click();
    await page.waitForURL((url) => !url.href.includes("range=1h"));
    expect(given(page)).toEqual([["status", "failed"]]);
    expect(await shownIds(page)).toEqual(await idsFor("/invocations/?status=failed"));
    await page.getByTitle("Remove this filter").click();
    await page.waitForURL((url) => !url.href.includes("failed"));
    expect(given(page)).toEqual([]);
    expect(await chips.count()).toBe(0);
    expect(await shownIds(page)).toEqual(await idsFor("/invocations/"));
    expect(problems).toEqual([]);
  });

  it("are cleared all at once", async () => {
    const { page } = await open(monitor);
    await page.goto("/invocations/?status=failed&task_id=tasks.add&id_prefix=a&runner=x");
    await page.getByRole("link", { name: "Clear", exact: true }).click();
    await page.waitForURL("**/invocations/");
    expect(await page.inputValue("#filter-runner")).toBe("");
    expect(await page.locator("#invocations-table tbody tr").count()).toBeGreaterThan(10);
  });

  it("are kept by a refresh of the list", async () => {
    const { page } = await open(monitor);
    await page.goto("/invocations/?status=failed&limit=3&page=2");
    const before = await shownIds(page);
    expect(before).toHaveLength(3);
    const answered = page.waitForResponse((response) => response.url().includes("/invocations/table"));
    await page.keyboard.press("r");
    await (await answered).finished();
    expect(await shownIds(page)).toEqual(before);
    // Links within the refreshed part lead to the page, never to its refresh.
    const next = page.locator(".pager a[rel=next]");
    expect(await next.getAttribute("href")).toBe("/invocations/?status=failed&limit=3&page=3");
  });

  it("find an invocation by a pasted id, whole or its beginning", async () => {
    const [, , id = ""] = await idsFor("/invocations/");
    const { page } = await open(monitor);
    await page.goto("/tasks/");
    for (const pasted of [id, ` ${id.slice(0, 13)} `]) {
      await page.fill("#go-to", pasted);
      await page.locator("#go-to").press("Enter");
      await page.waitForURL(`**/invocations/${id}`);
      expect(await page.textContent("h1")).not.toContain("Search");
      await page.goto("/tasks/");
    }
  });

  it("return with the Back button, in the form and in the rows", async () => {
    const { page } = await open(monitor);
    await page.goto("/invocations/");
    const all = await shownIds(page);
    await chooseStatuses(page, "failed");
    await page.locator(".filter-form button[type=submit]").click();
    await page.waitForURL(/status=failed/);
    const failed = await shownIds(page);
    expect(failed).not.toEqual(all);
    await page.locator("#invocations-table tbody th a").first().click();
    await page.waitForURL(`**/invocations/${failed[0]}`);
    await page.goBack();
    expect(query(page).getAll("status")).toEqual(["failed"]);
    expect([await shownIds(page), await checkedStatuses(page)]).toEqual([failed, ["failed"]]);
    await page.goBack();
    expect(await shownIds(page)).toEqual(all);
    expect(await page.locator(".chips .chip").count()).toBe(0);
    await page.goForward();
    expect([await shownIds(page), await checkedStatuses(page)]).toEqual([failed, ["failed"]]);
  });

  it("that are wrong in the address are reported, with a link onwards", async () => {
    const { page } = await open(monitor, { expectStatuses: [400] });
    await page.goto("/invocations/?start_date=someday");
    expect(await page.textContent("main")).toContain("start_date");
    await page.locator("main a").last().click();
    await page.waitForURL((url) => url.pathname === "/");
  });

  it("keep the app that the address pins, also through the form", async () => {
    const other = "kitchen-sink.two/β";
    const { page } = await open(monitor);
    await page.goto(`/invocations/?app=${encodeURIComponent(other)}`);
    await chooseStatuses(page, "failed");
    await page.locator(".filter-form button[type=submit]").click();
    await page.waitForURL(/status=failed/);
    expect(query(page).get("app")).toBe(other);
    expect(await page.locator("#invocations-table tbody tr").count()).toBe(1);
    expect(await page.locator(".app-name").textContent()).toBe(other);
  });
});
