import { existsSync } from "node:fs";

/** Where a Chromium may be; `CHROMIUM` names another. */
const PLACES = [
  // The same browser without its window: tests take a third less time in it.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/**
 * The browser for tests and pictures; null when there is none. A path in `CHROMIUM` that is wrong fails where it is used.
 *
 * @returns {string | null}
 */
export function findBrowser() {
  return process.env.CHROMIUM || (PLACES.find((path) => existsSync(path)) ?? null);
}
