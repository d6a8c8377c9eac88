/** A bundle, opened from disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { BIN, runProgram } from "../cli/monitor.ts";
import { copyFixture, presentOf } from "../support/fixtures.ts";
import type { Monitor } from "../support/monitor.ts";
import { Axe, COLOURS, EVERYTHING } from "./axe.ts";
import { describeInBrowser } from "./browser.ts";

/** No server is there. */
const NO_MONITOR = { origin: "http://127.0.0.1:1" } as Monitor;

describeInBrowser("a bundle", (open) => {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-bundle-"));
  const file = join(folder, "report.html");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    const db = copyFixture("kitchen_sink.db", folder);
    const log = new URL("../fixtures/kitchen_sink.log", import.meta.url).pathname;
    const app = ["--db", db, "--app", "kitchen_sink", "--now", isoFromEpoch(presentOf("kitchen_sink.db"))];
    const args = [...app, "bundle", "status:failed", "--logs", log, "-o", file];
    const { code, stderr } = await runProgram(process.execPath, [BIN, ...args]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Written")]);
  });

  it.each([
    ["light", 1280],
    ["dark", 400],
  ] as const)("loads no other file and fits its window, in %s, %i pixels wide", async (colorScheme, width) => {
    const viewport = { width, height: 900 };
    const { page, problems } = await open(NO_MONITOR, { colorScheme, viewport, bypassCSP: true });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    expect(asked).toEqual([pathToFileURL(file).href]);
    expect(await page.locator("section.bundle-part").count()).toBeGreaterThan(1);
    const background = await page.evaluate(() => getComputedStyle(document.body).maxWidth);
    expect(background).toBe("1440px");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await new Axe().examine(page, colorScheme === "light" ? EVERYTHING : COLOURS)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("is styled under its own security policy, and its list links to its parts", async () => {
    const { page, problems } = await open(NO_MONITOR, { javaScriptEnabled: false });
    await page.goto(pathToFileURL(file).href);
    const link = page.locator("tbody a[href]").first();
    await link.click();
    expect(page.url()).toContain("#");
    expect(problems).toEqual([]);
    const box = await page.locator("main").boundingBox();
    expect(box?.x).toBeGreaterThan(10);
  });
});
