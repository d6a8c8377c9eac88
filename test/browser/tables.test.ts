/** Long tables: their heads stay in sight. Wide ones fit. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { Axe, COLOURS, EVERYTHING } from "./axe.ts";
import { describeInBrowser, PATIENCE } from "./browser.ts";
import { APP } from "./store.ts";

/** Edges in the window, in pixels. */
function edges(page: Page) {
  return page.evaluate(() => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
    return {
      header: box(".header").bottom,
      table: box("#invocations-table .table-scroll").top,
      head: box("#invocations-table thead").top,
      underHead: box("#invocations-table thead").bottom,
    };
  });
}

describeInBrowser("a long table", (open) => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));

  it.each([1440, 1240])("keeps its head in sight in a window %i pixels wide, without scripts", async (width) => {
    const { page } = await open(monitor, { viewport: { width, height: 600 }, javaScriptEnabled: false });
    await page.goto("/invocations/?limit=40");
    const before = await edges(page);
    expect(Math.abs(before.head - before.table)).toBeLessThan(2);
    await page.mouse.wheel(0, before.table + 400);
    await expect
      .poll(async () => {
        const { head, header, table } = await edges(page);
        return table < -100 && Math.abs(head - Math.max(0, header)) < 2;
      }, PATIENCE)
      .toBe(true);
  });

  it("takes its head along when it is scrolled away, and has no fixed head above cards on a phone", async () => {
    const { page } = await open(monitor, { viewport: { width: 1280, height: 600 } });
    await page.goto("/invocations/?limit=40");
    // Room below the table, which else is the last of the page.
    await page.evaluate(() => {
      document.body.style.paddingBottom = "2000px";
    });
    await page.mouse.wheel(0, 50_000);
    await expect
      .poll(async () => {
        const { head, table } = await edges(page);
        return table < -500 && Math.abs(head - table) < 2;
      }, PATIENCE)
      .toBe(true);
    await page.setViewportSize({ width: 400, height: 600 });
    await page.goto("/invocations/?limit=40");
    await page.mouse.wheel(0, 1500);
    await expect.poll(() => page.evaluate(() => scrollY), PATIENCE).toBe(1500);
    const { head, table } = await edges(page);
    expect(Math.abs(head - table)).toBeLessThan(2);
  });

  it("does not cover the focused row with its head", async () => {
    const { page } = await open(monitor, { viewport: { width: 1280, height: 600 } });
    await page.goto("/invocations/?limit=40");
    await page.locator("#invocations-table tbody tr:last-child th a").focus();
    await expect.poll(() => page.evaluate(() => scrollY), PATIENCE).toBeGreaterThan(300);
    const first = page.locator("#invocations-table tbody tr:nth-child(4) th a");
    await first.focus();
    await expect
      .poll(async () => ((await first.boundingBox())?.y ?? -1) >= (await edges(page)).underHead, PATIENCE)
      .toBe(true);
  });

  it("has enough contrast in both themes while its head is over rows", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open(monitor, { colorScheme, viewport: { width: 1280, height: 600 } });
      await page.goto("/invocations/?limit=40");
      await page.mouse.wheel(0, 600);
      await expect.poll(async () => (await edges(page)).table, PATIENCE).toBeLessThan(0);
      expect(await new Axe().examine(page, COLOURS)).toEqual([]);
    }
  });

  it("behaves the same by scripts in a browser without scroll-driven styles", async () => {
    const { page, problems } = await open(monitor, { viewport: { width: 1280, height: 600 }, bypassCSP: true });
    await page.addInitScript(() => {
      CSS.supports = () => false;
    });
    // So that the browser does not know the property.
    await page.route("**/*.css*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll("animation-timeline", "no-timeline") });
    });
    await page.goto("/invocations/?limit=40");
    const head = page.locator("#invocations-table thead th").first();
    const stays = async () => {
      const [{ header, table }, box] = [await edges(page), await head.boundingBox()];
      return table < -100 && Math.abs((box?.y ?? 0) - Math.max(0, header)) < 2;
    };
    await page.mouse.wheel(0, 900);
    await expect.poll(stays, PATIENCE).toBe(true);
    await page.evaluate(() => {
      document.body.style.paddingBottom = "2000px";
      scrollTo(0, 0);
    });
    await page.mouse.wheel(0, 50_000);
    await expect.poll(async () => (await edges(page)).table, PATIENCE).toBeLessThan(-500);
    await expect
      .poll(async () => Math.abs(((await head.boundingBox())?.y ?? 0) - (await edges(page)).table), PATIENCE)
      .toBeLessThan(2);
    expect(problems).toEqual([]);
  });

  const heads = (page: Page) => page.locator("#invocations-table thead th").allTextContents();

  it("keeps the chosen columns on the next visit without scripts, until the usual ones are chosen again", async () => {
    const { page } = await open(monitor, { viewport: { width: 1280, height: 700 }, javaScriptEnabled: false });
    await page.goto("/invocations/?status=failed");
    const usual = await heads(page);
    expect(usual).toEqual([...["Status", "Task", "Details", "Registered", "Duration", "Retries", "Invocation"]]);
    const menu = page.locator(".columns-menu");
    await menu.locator("summary").click();
    for (const field of ["task_id_key", "arguments", "retry_count"]) {
      await menu.locator(`[value=${field}]`).uncheck();
    }
    for (const field of ["parent_invocation_id", "workflow_id"]) await menu.locator(`[value=${field}]`).check();
    await menu.getByRole("button", { name: "Apply" }).click();
    const chosen = ["Status", "Registered", "Duration", "Parent", "Workflow run", "Invocation"];
    expect([await heads(page), new URL(page.url()).searchParams.get("status")]).toEqual([chosen, "failed"]);
    await page.goto("/tasks/");
    await page.goto("/invocations/");
    expect(await heads(page)).toEqual(chosen);
    // What the address says goes before.
    await page.goto("/invocations/?fields=task_id_key,retry_count");
    expect(await heads(page)).toEqual(["Task", "Retries", "Invocation"]);
    await menu.locator("summary").click();
    await menu.getByRole("link", { name: "Usual columns" }).click();
    await page.waitForURL(/fields=usual/);
    await page.goto("/invocations/?status=failed");
    expect(await heads(page)).toEqual(usual);
  });

  it.each([
    ["/events/", ["Event code", "Event"]],
    ["/trigger-runs/", ["Executed", "Run"]],
    ["/tasks/", ["Task", "Invocations"]],
    ["/runners/?show=all", ["Runner", "State"]],
  ])("at %s keeps the chosen columns on the next visit and after a refresh", async (path, kept) => {
    for (const javaScriptEnabled of [false, true]) {
      const { page } = await open(monitor, { viewport: { width: 1280, height: 700 }, javaScriptEnabled });
      const shown = () => page.locator("table").first().locator("thead th").allTextContents();
      await page.goto(path);
      const usual = await shown();
      expect([kept.every((label) => usual.includes(label)), usual.length > 4]).toEqual([true, true]);
      const menu = page.locator(".columns-menu");
      await menu.locator("summary").click();
      for (const box of (await menu.locator("input:checked").all()).slice(1).reverse()) await box.uncheck();
      await menu.getByRole("button", { name: "Apply" }).click();
      await page.waitForURL(/fields=/);
      await page.goto(path);
      expect(await shown()).toEqual(kept);
      const refreshed = await page.request.get((await page.locator(".live-region").getAttribute("data-live")) ?? "", {
        headers: { "hx-request": "true" },
      });
      expect(
        (await refreshed.text()).split("</table>")[0]?.match(/<th [^>]*columnheader|<th scope="col"/g),
      ).toHaveLength(2);
    }
  });

  it.each([
    [1440, 900, 260, true],
    [1440, 900, 260, false],
    [1100, 700, null, true],
    [800, 700, null, true],
    [640, 700, null, true],
    [390, 844, 420, true],
    [320, 700, null, true],
  ] as const)(
    "on a window of %s by %s begins near its top, and nothing scrolls sideways",
    async (width, height, most, scripts) => {
      const { page } = await open(monitor, { viewport: { width, height }, javaScriptEnabled: scripts });
      for (const path of [
        "/invocations/",
        "/invocations/?status=failed",
        "/tasks/",
        "/events/",
        "/trigger-runs/",
        "/triggers/",
        "/runners/",
        "/workflows/",
        "/workflows/runs/",
        "/failures/",
        "/failures/?by=task",
        "/broker/queue",
        "/client-data-store/",
        "/state-backend/",
      ]) {
        await page.goto(path);
        const { top, wider } = await page.evaluate(() => {
          const boxes = [document.documentElement, ...document.querySelectorAll(".table-scroll")];
          return {
            top: document.querySelector("main tbody tr")?.getBoundingClientRect().top ?? 0,
            wider: boxes.some((box) => box.scrollWidth > box.clientWidth),
          };
        });
        expect([path, top > (most ?? top), wider]).toEqual([path, false, false]);
      }
    },
  );

  it("of few columns keeps the heads of its numbers in one line on narrow windows", async () => {
    for (const width of [320, 390, 720]) {
      const { page } = await open(monitor, { viewport: { width, height: 800 } });
      await page.goto("/?range=7d");
      const heights = await page.evaluate(() =>
        [...document.querySelectorAll("main table:not(.cards) th.end")].map((head) => head.clientHeight),
      );
      expect(heights.length).toBeGreaterThan(0);
      expect([width, heights.filter((height) => height > 48)]).toEqual([width, []]);
    }
  });

  it("has rows of one line at 1440, whatever is in them, or two where a row has the text of a failure", async () => {
    const { page } = await open(monitor, { viewport: { width: 1440, height: 900 } });
    for (const path of [
      "/failures/?range=7d",
      "/failures/?range=7d&by=task",
      "/runners/?show=all",
      "/triggers/",
      "/events/",
      "/trigger-runs/",
      "/workflows/",
    ]) {
      await page.goto(path);
      const heights = await page.evaluate(() =>
        [...document.querySelectorAll("tbody tr")].map((row) => Math.round(row.getBoundingClientRect().height)),
      );
      const most = path.startsWith("/failures/") ? 48 : 34;
      expect([path, heights.filter((height) => height > most)]).toEqual([path, []]);
    }
  });

  it("gives details the width that is left, and every row of invocations the same height", async () => {
    const { page } = await open(monitor, { viewport: { width: 1440, height: 900 } });
    await page.goto("/invocations/");
    const { widths, heights } = await page.evaluate(() => ({
      widths: [...document.querySelectorAll("tbody .reading")].map((cell) => cell.clientWidth),
      heights: [...document.querySelectorAll("tbody tr")].map((row) => Math.round(row.getBoundingClientRect().height)),
    }));
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(320);
    expect([...new Set(heights)]).toEqual([32]);
  });

  it("passes axe with its choice of columns open, in both themes and on a phone", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open(monitor, { colorScheme, viewport: { width: 320, height: 700 } });
      await page.goto("/invocations/?fields=status,workflow_id,retry_count,parent_invocation_id");
      await page.locator(".columns-menu summary").click();
      expect(await new Axe().examine(page, colorScheme === "light" ? EVERYTHING : COLOURS)).toEqual([]);
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scrollWidth, clientWidth };
      });
      expect(scrollWidth).toBe(clientWidth);
      expect(await page.locator('#invocations-table td[data-label="Workflow run"]:has(a)').first().isVisible()).toBe(
        true,
      );
    }
  });
});
