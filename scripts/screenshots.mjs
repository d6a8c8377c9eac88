// The pictures of the documents, taken of the demo app at a fixed instant, in light and dark: npm run screenshots
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findBrowser } from "./browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "docs", "images");
/** The address of each page; some are those of an invocation that the demo has made. */
const PAGES = {
  dashboard: async () => "/",
  why: async (address) => `/why?id=${await failedOrder(address)}`,
  family: async (address) => `/trace/${await failedOrder(address)}`,
};
const VIEWPORT = { width: 1280, height: 1100 };
const NOW = "2026-07-04T10:15:00Z";

/** The newest order that failed. */
async function failedOrder(address) {
  const url = new URL("/invocations/?status=failed&task_id=shop.orders.place_order&limit=1", address);
  const answer = await fetch(url, { headers: { accept: "application/json" } });
  return (await answer.json()).invocations[0].invocation_id;
}

const executablePath = findBrowser();
if (executablePath === null) {
  console.error("No Chromium found. Install it, or set CHROMIUM to its path.");
  process.exit(1);
}

const demo = ["demo", "--seed", "1", "--now", NOW, "--port", "auto"];
const monitor = spawn(process.execPath, [join(root, "bin", "monitor.js"), ...demo], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const address = String(await new Promise((resolve) => monitor.stdout.once("data", resolve))).trim();
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
  });
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: 1.5, colorScheme });
    const page = await context.newPage();
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(new URL(await path(address), address).href, { waitUntil: "networkidle" });
      const file = join(folder, `${name}-${colorScheme}.png`);
      await page.screenshot({ path: file });
      console.log(file);
    }
    await context.close();
  }
  await browser.close();
} finally {
  monitor.kill("SIGTERM");
}
