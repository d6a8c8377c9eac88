/** Stored text that means harm, as a browser takes it: nothing of it runs, and its links and its copies are exact. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { presentOf } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { describeInBrowser, type OpenedPage, PATIENCE } from "./browser.ts";
import { APP, insert } from "./store.ts";

const RUN = "ran=1";
const ID = `evil/../%2F?#</td><script>${RUN}</script>"'\u202egnp.exe\u001b[31m`;
const TASK = `shop."><img src=x onerror=${RUN}>.mod\u001b[2J.fn'\u2066`;
const CALL = `${TASK}:no_args`;
const VALUE = JSON.stringify({ "</pre><script>": `</code></pre><svg onload=${RUN}>\u202e` });

/** One invocation whose every text is hostile. */
function plant(path: string): void {
  const at = presentOf("kitchen_sink.db");
  insert(path, "state_backend_invocations", {
    invocation_id: ID,
    call_id_key: CALL,
    task_id_key: TASK,
    arguments_id: "no_args",
    serialized_arguments: VALUE,
    parent_invocation_id: `javascript:${RUN}`,
    parent_event_id: `"><script>${RUN}</script>`,
    workflow_id: ID,
    workflow_type_key: TASK,
  });
  insert(path, "orchestrator_invocations", {
    invocation_id: ID,
    task_id_key: TASK,
    call_id_key: CALL,
    status: `"><img src=x onerror=${RUN}>`,
    status_runner_id: `<script>${RUN}</script>`,
    status_timestamp: at - 1,
    retry_count: 1,
  });
  insert(path, "state_backend_history", {
    invocation_id: ID,
    history_timestamp: at - 1,
    history_status: `<script>${RUN}</script>`,
    history_json: JSON.stringify({
      runner_context_id: `javascript:${RUN}//"onmouseover="${RUN}`,
      status_record: { runner_id: `' onfocus='${RUN}` },
    }),
  });
  insert(path, "state_backend_results", { invocation_id: ID, result_data: VALUE });
  insert(path, "broker_message_queue", { invocation_id: ID });
}

describeInBrowser("hostile data", (open) => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP });
    plant(monitor.path);
  });
  afterAll(() => monitor.close());

  /** The page and what a refresh makes of it, which goes another way into the document. */
  async function expectHarmless({ page, problems }: OpenedPage): Promise<void> {
    const answered = page.waitForResponse((response) => response.request().headers()["hx-request"] === "true");
    await page.keyboard.press("r");
    await (await answered).finished();
    await page.waitForFunction(() => document.querySelector<HTMLElement>("[data-live]")?.dataset.etag !== undefined);
    expect(await page.evaluate(() => (globalThis as { ran?: number }).ran)).toBeUndefined();
    const foreign = "main script, main img, main iframe, main [onload], main [onerror], [onmouseover], [onfocus]";
    expect(await page.locator(foreign).count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    const shown = (await page.textContent("body")) + (await page.title());
    expect(["\u202e", "\u2066", "\u001b"].filter((character) => shown.includes(character))).toEqual([]);
    expect(problems).toEqual([]);
  }

  async function heading(page: Page): Promise<string> {
    return (await page.locator("h1").textContent()) ?? "";
  }

  it.each([
    "/",
    "/broker/",
    "/broker/queue",
    "/orchestrator/",
    "/tasks/",
    "/invocations/",
    "/workflows/",
    "/workflows/runs",
    "/state-backend/",
  ])("runs no script on %s", async (path) => {
    const opened = await open(monitor);
    await opened.page.goto(path);
    await expectHarmless(opened);
  });

  it("can be followed from the list to the invocation, its call and its task, and back", async () => {
    const opened = await open(monitor);
    const { page } = opened;
    await page.goto(`/invocations/?task_id=${encodeURIComponent(TASK)}`);
    expect(await page.inputValue("#filter-task_id")).toBe(TASK);
    await page.locator("#invocations-table tbody th a").click();
    await page.waitForURL((url) => decodeURIComponent(url.pathname) === `/invocations/${ID}`);
    expect(await heading(page)).toContain("fn'⟨U+2066⟩");
    await expectHarmless(opened);
    const detail = page.url();
    for (const where of [`/calls/?call_id_key=${CALL}`, `/tasks/${TASK}`]) {
      await page.goto(detail);
      await page
        .locator(`main a[href^="${where.slice(0, 7)}"]`)
        .first()
        .click();
      await page.waitForURL((url) => decodeURIComponent(url.pathname + url.search) === where);
      expect(await page.textContent("main")).toContain("⟨U+2066⟩");
      await expectHarmless(opened);
      // And from there to the invocation again.
      await page.locator("main tbody th a").first().click();
      await page.waitForURL(detail);
    }
    // Where there is no such page the answer says so as plain text.
    const { page: runner, problems } = await open(monitor, { expectStatuses: [404] });
    await runner.goto(`/runners/${encodeURIComponent(`"><script>${RUN}</script>`)}`);
    expect(await runner.locator("main script").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("is copied exactly as stored", async () => {
    const { page } = await open(monitor, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`/invocations/${encodeURIComponent(ID)}`);
    await page.locator(".page-summary button.copy").click();
    await expect.poll(() => page.textContent("#announcer"), PATIENCE).toBe("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ID);
  });

  it("with a hostile status can be filtered by the form", async () => {
    const opened = await open(monitor);
    const { page } = opened;
    await page.goto("/invocations/");
    await page.locator(".filter-more summary").click();
    await page.locator(".status-field .check").filter({ hasText: "onerror" }).locator("input").check();
    await page.locator(".filter-form button[type=submit]").click();
    await page.waitForURL(/status=/);
    expect(await page.locator("#invocations-table tbody tr").count()).toBe(1);
    await expectHarmless(opened);
    // The chip of the chosen status takes the choice back.
    await page.locator("#main a[aria-current=true]").filter({ hasText: "onerror" }).click();
    await page.waitForURL((url) => !url.href.includes("onerror"));
  });

  it("in an address runs no script", async () => {
    const { page, problems } = await open(monitor, { expectStatuses: [400, 404] });
    for (const path of [
      `/<img src=x onerror=${RUN}>`,
      `/invocations/?page="><script>${RUN}</script>`,
      "/tasks/%3Csvg%20onload=ran=1%3E",
    ]) {
      await page.goto(path);
      expect(await page.evaluate(() => (globalThis as { ran?: number }).ran)).toBeUndefined();
    }
    expect(problems).toEqual([]);
  });
});
