/** A monitor with a token in a browser: the page to sign in, also with scripts off, and pages that renew themselves with the cookie. */
import { expect, it } from "vitest";
import { monitorOf, testMonitor } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP, write } from "./store.ts";

const TOKEN = "correct-horse-battery";

describeInBrowser("a monitor with a token", (open) => {
  it("signs a browser in by the form, and pages keep refreshing", async () => {
    const monitor = await testMonitor(
      monitorOf("kitchen_sink.db", "over a socket", { alone: APP, token: TOKEN, refreshing: true }),
    );
    const { page } = await open(monitor, { live: "2" });
    await page.goto("/invocations/?status=failed");
    expect(await page.title()).toBe("Sign in · pynenc monitor");
    await page.fill("#token", "wrong");
    await page.click("text=Sign in");
    expect(await page.textContent("main")).toContain("The token is wrong.");
    await page.fill("#token", TOKEN);
    await page.click("text=Sign in");
    await page.waitForURL("**/invocations/?status=failed");
    await page.goto("/");
    expect(await page.title()).toMatch(/^Overview /);
    write(monitor.path, "UPDATE $orchestrator_runner_heartbeats SET last_heartbeat = last_heartbeat - 100000");
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^\([1-9]\) Overview /);
  });

  it("signs a browser in by a one-time address without scripts, also from a link of another site", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP, token: TOKEN }));
    const { page } = await open(monitor, { javaScriptEnabled: false });
    await page.goto(`/login?code=${monitor.context.access?.newCode()}`);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/");
    const elsewhere = "http://elsewhere.example/";
    await page.route(`${elsewhere}*`, (route) =>
      route.fulfill({ contentType: "text/html", body: `<a href="${monitor.origin}/tasks/">there</a>` }),
    );
    await page.goto(elsewhere);
    await page.click("text=there");
    await expect.poll(() => page.title(), PATIENCE).toMatch(/^Tasks /);
  });
});
