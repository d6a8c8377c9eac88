/**
 * What the timeline asks of a browser by how much its window holds. Prints a Markdown table.
 *
 *   npm run bench:timeline-browser -- [--size 1000000] [--rounds 5]
 *
 * The server is a process of its own, as it is for a viewer. "Interactive" is the time from the navigation until the scripts of the page have
 * run and a frame was painted; "hover" is the time of the main thread for one mark to light up, paint included, on average of marks all over the plot; "refresh" and "zoom" are the longest task while the content is renewed or exchanged.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { packageRoot } from "../src/package-root.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { naiveIso } from "../src/services/model/timeline-window.ts";
import { BULK_APP, BULK_NOW, bulkFile } from "./bulk-file.ts";

const SPAN_SECONDS = 7 * 86_400;
const WINDOWS = [
  { wanted: 100, limit: 500 },
  { wanted: 2_000, limit: 500 },
  { wanted: 2_000, limit: 2_000 },
  { wanted: 100_000, limit: 500 },
  { wanted: 1_000_000, limit: 500 },
];

const { values } = parseArgs({
  options: { size: { type: "string", default: "1000000" }, rounds: { type: "string", default: "5" } },
});
const size = Number(values.size);
const rounds = Number(values.rounds);

const bin = join(packageRoot(), "bin", "monitor.js");
const flags = ["--db", bulkFile(size), "--app", BULK_APP, "--now", isoFromEpoch(BULK_NOW), "--port", "auto"];
const server = spawn(process.execPath, [bin, "serve", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
const [line] = (await once(server.stdout, "data")) as [Buffer];
const origin = String(line).trim().replace(/\/$/, "");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  console.log(
    "| invocations in the window | limit | strands | page kB | answer ms | interactive ms | hover ms | refresh ms | zoom ms |",
  );
  console.log("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const { wanted, limit } of WINDOWS.filter((window) => window.wanted <= size)) {
    const start = naiveIso(BULK_NOW - (SPAN_SECONDS * wanted) / size);
    await row(wanted, limit, `start_date=${start}&end_date=${naiveIso(BULK_NOW)}&limit=${limit}`);
  }
} finally {
  await browser.close();
  server.kill();
}

async function row(wanted: number, limit: number, query: string): Promise<void> {
  const loads: { answer: number; interactive: number; bytes: number }[] = [];
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => localStorage.setItem("pynenc-monitor.live", "0"));
  for (let round = 0; round <= rounds; round++) {
    await page.goto(`${origin}/invocations/timeline?${query}`);
    // The first answer fills caches of the server and of the browser.
    if (round > 0) loads.push(await page.evaluate(loaded));
  }
  const strands = await page.locator(".strand").count();
  const hover = strands === 0 ? Number.NaN : await hovered(page, rounds * 10);
  const refresh = await longestTask(page, () => page.keyboard.press("r"), "/invocations/timeline");
  const zoom = await longestTask(page, () => page.keyboard.press("+"), "/invocations/timeline");
  const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
  const figures = [
    wanted.toLocaleString("en"),
    limit,
    strands,
    Math.round((loads[0]?.bytes ?? 0) / 1000),
    ...[median(loads.map((one) => one.answer)), median(loads.map((one) => one.interactive)), hover, refresh, zoom].map(
      (ms) => (Number.isNaN(ms) ? "-" : ms.toFixed(ms < 10 ? 1 : 0)),
    ),
  ];
  console.log(`| ${figures.join(" | ")} |`);
  await page.close();
}

/** Runs in the page. Its module scripts have run when `goto` returns: that waits for `load`. */
async function loaded(): Promise<{ answer: number; interactive: number; bytes: number }> {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  return {
    answer: entry?.responseStart ?? Number.NaN,
    // What `load` waits for besides (the icon) does not hinder anybody.
    interactive: entry?.domContentLoadedEventEnd ?? Number.NaN,
    bytes: entry?.decodedBodySize ?? 0,
  };
}

/** All that the main thread did while marks were lit one after another, each in a frame of its own: scripts, styles, layout and paint. */
async function hovered(page: Page, times: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  };
  const before = await busy();
  await page.evaluate(async (count) => {
    const marks = [...document.querySelectorAll(".strand > :is(rect, circle)")];
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    for (let n = 0; n < count; n++) {
      const mark = marks[Math.floor((n * marks.length) / count)];
      mark?.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
      await frame();
    }
  }, times);
  return ((await busy()) - before) / times;
}

async function longestTask(page: Page, act: () => Promise<void>, path: string): Promise<number> {
  await page.evaluate(() => {
    const seen = globalThis as unknown as { longest: number };
    seen.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ entryTypes: ["longtask"] });
  });
  const answered = page.waitForResponse((response) => response.url().includes(path));
  await act();
  await (await answered).finished();
  await page.waitForTimeout(1_500);
  return page.evaluate(() => (globalThis as unknown as { longest: number }).longest);
}
