/** A real Chromium for tests, and a monitor that it can reach. */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterEach, beforeAll, describe } from "vitest";
import { findBrowser } from "../../scripts/browser.mjs";
import type { Monitor } from "../support/monitor.ts";

const CHROMIUM = findBrowser();

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Two cores may be shared with other files: a wait that fails takes so long, one that succeeds only as long as it needs. */
export const PATIENCE = { timeout: 60_000 };

export interface OpenOptions extends BrowserContextOptions {
  /** The live switch as an earlier visit left it; by default off, so that a page changes only when a test wants it to. */
  live?: "0" | "2" | "5" | "15";
  /** Statuses from 400 on that the test provokes. */
  expectStatuses?: readonly number[];
}

export interface OpenedPage {
  page: Page;
  /** What must stay empty: errors on the console, uncaught errors, violations of the policy, failed requests, dialogs. */
  problems: string[];
}

/** Opens a page in a context of its own, which ends with the test. */
export type Open = (monitor: Monitor, options?: OpenOptions) => Promise<OpenedPage>;

/** Started with the first suite and shared by all files of a worker: starting one takes longer than most tests. It ends with the worker. */
let shared: Promise<Browser> | null = null;

async function browserOfWorker(): Promise<Browser> {
  const known = await shared;
  if (known?.isConnected() === true) return known;
  shared = chromium.launch({ executablePath: CHROMIUM ?? "", args: ARGUMENTS });
  return shared;
}

/**
 * A suite in a browser. Where there is no browser its name says so and its tests are skipped.
 *
 * A context is ended as a whole: Chromium may never answer that a single page was closed while it was on its way to another.
 */
export function describeInBrowser(name: string, cases: (open: Open) => void): void {
  const missing = CHROMIUM === null;
  const title = missing ? `${name} (skipped: no Chromium found; install it or set CHROMIUM to its path)` : name;
  describe.skipIf(missing)(title, () => {
    let browser: Browser;
    const contexts: BrowserContext[] = [];
    beforeAll(async () => {
      browser = await browserOfWorker();
    });
    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close();
    });
    cases(async (monitor, { live = "0", expectStatuses = [], ...options } = {}) => {
      const context = await browser.newContext({ baseURL: monitor.origin, ...options });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE.timeout);
      await context.addInitScript(prepare, live);
      const page = await context.newPage();
      return { page, problems: watch(page, expectStatuses) };
    });
  });
}

/** Runs in the browser before anything of the page does. */
function prepare(live: string): void {
  // The empty page that a tab begins with has no storage.
  if (location.protocol !== "http:") return;
  if (localStorage.getItem("pynenc-monitor.live") === null) localStorage.setItem("pynenc-monitor.live", live);
  document.addEventListener("securitypolicyviolation", (event) => {
    reportError(new Error(`violates ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
  });
}

function watch(page: Page, expectStatuses: readonly number[]): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    // The browser says it once more of each failed response; `response` below decides.
    if (message.text().startsWith("Failed to load resource")) return;
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "?";
    // Aborted is what a page still loads (its icon) when the test goes on to the next.
    if (reason !== "net::ERR_ABORTED") problems.push(`no answer: ${request.url()} (${reason})`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && !expectStatuses.includes(response.status())) {
      problems.push(`${response.status()}: ${response.url()}`);
    }
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return problems;
}

/** The invocations that a list shows, top to bottom; all of each id. */
export async function shownIds(page: Page): Promise<string[]> {
  const hrefs = await page
    .locator("#invocations-table tbody th a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  return hrefs.map((href) => decodeURIComponent(href.replace("/invocations/", "").replace(/\?.*$/, "")));
}
