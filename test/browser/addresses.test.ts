/** Addresses in a browser: below the path of a proxy, and in a store with two apps. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { type PrefixProxy, startProxy } from "../support/proxy.ts";
import { describeInBrowser } from "./browser.ts";
import { APP } from "./store.ts";

const OTHER = "kitchen-sink.two/β";

describeInBrowser("a monitor with two apps behind a proxy that strips its path", (open) => {
  let monitor: Monitor;
  let proxy: PrefixProxy;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP, basePath: "/mon", refreshing: true });
    proxy = await startProxy(monitor.origin, "/mon", true);
  });
  afterAll(async () => {
    await proxy.close();
    await monitor.close();
  });

  it("refreshes a page, finds with the palette and does an action without leaving the path", async () => {
    const { page, problems } = await open(monitor, { baseURL: proxy.origin, live: "2" });
    const refreshed = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/mon/broker/refresh");
    await page.goto("/mon/broker/");
    expect([200, 304]).toContain((await refreshed).status());
    const completed = page.waitForResponse((answer) => answer.url().includes("/mon/search/complete"));
    await page.fill("#go-to", "status:fa");
    expect((await completed).status()).toBe(200);
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.fill("#go-to", "tasks.add");
    await page.locator(".go-to [role=option]", { hasText: "tasks.add" }).first().click();
    await page.waitForURL((url) => url.pathname === "/mon/tasks/tasks.add" && url.searchParams.get("app") === APP);
    await page.goto("/mon/broker/purge");
    await page.fill("#confirm-app", APP);
    await page.click(".confirm-form button[type=submit]");
    await page.waitForURL((url) => url.pathname === "/mon/broker/" && url.searchParams.has("done"));
    expect(await page.locator("main .notice-info").first().textContent()).toContain("Purged the broker queue");
    expect(problems).toEqual([]);
    expect(proxy.outside).toEqual([]);
  });

  it("shows a selected invocation of the timeline, also one that is not drawn", async () => {
    const { page, problems } = await open(monitor, { baseURL: proxy.origin });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1");
    const id = invocations[0]?.invocation_id ?? "";
    await page.goto(`/mon/invocations/timeline?from=2020-01-01&to=2020-01-02&selected=${id}`);
    await page.locator("#timeline-panel h2").waitFor();
    expect(await page.locator("#timeline-panel .panel-page").first().getAttribute("href")).toBe(
      `/mon/invocations/${id}?app=${APP}`,
    );
    expect(problems).toEqual([]);
    expect(proxy.outside).toEqual([]);
  });

  it("stays with its app when another one is switched to, though it was opened without one in its address", async () => {
    const { page } = await open(monitor, { baseURL: proxy.origin });
    await page.goto("/mon/tasks/");
    expect(new URL(page.url()).searchParams.get("app")).toBe(APP);
    await monitor.workspace.activate(OTHER);
    await page.reload();
    expect(await page.locator(".app-name").textContent()).toBe(APP);
    await page.locator(".app-switcher summary").click();
    await page.locator(".app-switcher a", { hasText: "two/β" }).click();
    await page.waitForURL((url) => url.pathname === "/mon/tasks/" && url.searchParams.get("app") === OTHER);
    expect(await page.locator(".app-name").textContent()).toBe(OTHER);
    await page.goBack();
    expect(await page.locator(".app-name").textContent()).toBe(APP);
  });
});
