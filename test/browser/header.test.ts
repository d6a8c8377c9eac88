/** The controls of the header stay beside each other and inside the window, also with a long time range. */
import { expect, it } from "vitest";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

describeInBrowser("the header", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  it.each([970, 1_100, 1_200, 1_300, 1_400])("has room for all controls in a window of %i pixels", async (width) => {
    const { page } = await open(monitor, { viewport: { width, height: 700 } });
    await page.goto("/invocations/timeline?from=2026-11-21T00:30:00Z&to=2026-11-22T00:40:00Z");
    const controls = page.locator(".header > *:not(.header-tools), .header-tools > *");
    const boxes = await controls.evaluateAll((elements) =>
      elements.map((element) => element.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
    );
    const places = boxes.filter(({ left, right }) => right > left).sort((a, b) => a.left - b.left);
    expect(places.length).toBeGreaterThan(3);
    for (const [i, { right }] of places.entries()) expect(right).toBeLessThanOrEqual(places[i + 1]?.left ?? width);
  });

  it.each([
    { width: 1440, most: 48 },
    { width: 390, most: 104 },
  ])("is at most $most pixels high in a window of $width pixels", async ({ width, most }) => {
    const { page } = await open(monitor, { viewport: { width, height: 700 } });
    await page.goto("/invocations/timeline?from=2026-11-21T00:30:00Z&to=2026-11-22T00:40:00Z");
    expect((await page.locator(".header").boundingBox())?.height).toBeLessThanOrEqual(most);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  it("has controls of 44 pixels on a touch screen, and still two rows", async () => {
    const { page } = await open(monitor, { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true });
    await page.goto("/invocations/");
    expect((await page.locator(".header").boundingBox())?.height).toBeLessThanOrEqual(104);
    for (const control of [".menu-button", "#go-to", "#time-range summary", "#live-switch", "#bell summary"]) {
      expect((await page.locator(control).boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  });

  it("copies a link that names the app and the instants that are shown", async () => {
    const { page, problems } = await open(monitor, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/invocations/?status=failed&range=1h");
    const button = page.locator(".header-tools > .copy-link");
    await button.click();
    await expect.poll(() => button.getAttribute("data-said"), PATIENCE).toBe("Copied. Works on this computer only");
    const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect([copied.pathname, copied.searchParams.get("app"), copied.searchParams.get("status")]).toEqual([
      "/invocations/",
      APP,
      "failed",
    ]);
    expect(copied.searchParams.has("range")).toBe(false);
    const [from, to] = ["from", "to"].map((name) => Date.parse(copied.searchParams.get(name) ?? ""));
    expect(Number(to) - Number(from)).toBe(3_600_000);
    expect(problems).toEqual([]);
  });

  it.each([
    { width: 1440, place: "in the header", inMenu: false },
    { width: 390, place: "in the menu of settings", inMenu: true },
  ])("has the link to the page $place in a window of $width pixels", async ({ width, inMenu }) => {
    const { page } = await open(monitor, { viewport: { width, height: 700 } });
    await page.goto("/tasks/");
    await page.click("#settings summary");
    expect(await page.locator("#settings .copy-link").isVisible()).toBe(inMenu);
    expect(await page.locator(".header-tools > .copy-link").isVisible()).toBe(!inMenu);
  });
});
