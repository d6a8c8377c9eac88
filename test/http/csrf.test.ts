/** The table of security.md 2 against the real routes: what a request says about where it comes from decides, in every combination. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { changes, contentsOf } from "../support/contents.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const OWN = "http://127.0.0.1:8000";
const HOSTS = { own: "127.0.0.1:8000", rebound: "evil.example", none: "" };
const ORIGINS = { none: null, own: OWN, foreign: "http://evil.example", null: "null", port: "http://127.0.0.1:9999" };
const REFERERS = { none: null, own: `${OWN}/broker/`, foreign: "http://evil.example/", garbage: "no url" };
const SITES = [null, "same-origin", "none", "same-site", "cross-site"] as const;
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"] as const;

let monitor: Monitor;
beforeAll(async () => {
  monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
});
afterAll(() => monitor.close());

/** In the words of security.md 2, independent of the order in which the implementation looks. */
function expected(method: string, host: string, origin: string, referer: string, site: string | null): number {
  if (host === "none") return 400;
  if (host === "rebound") return 403;
  if (method === "GET" || method === "HEAD") return 200;
  const elsewhere = site === "same-site" || site === "cross-site";
  const named = [origin, referer].filter((source) => source !== "none");
  // Something must say where the request comes from, and all that says it must name us.
  if (elsewhere || named.length === 0 || named.some((source) => source !== "own")) return 403;
  return method === "POST" ? 200 : 405;
}

it("only requests from the monitor's own pages and from scripts may change data", async () => {
  const before = contentsOf(monitor.path);
  const wrong: unknown[] = [];
  let cells = 0;
  for (const method of METHODS) {
    for (const [hostName, host] of Object.entries(HOSTS)) {
      for (const [originName, origin] of Object.entries(ORIGINS)) {
        for (const [refererName, referer] of Object.entries(REFERERS)) {
          for (const site of SITES) {
            const headers = new Headers({ host, accept: "application/json" });
            if (origin !== null) headers.set("origin", origin);
            if (referer !== null) headers.set("referer", referer);
            if (site !== null) headers.set("sec-fetch-site", site);
            // Nothing of the fixture is old enough, so the action does nothing wherever it is let through.
            const { status } = await monitor.get("/events/auto-purge", { method, headers });
            const wanted = expected(method, hostName, originName, refererName, site);
            if (status !== wanted) wrong.push({ method, hostName, originName, refererName, site, status, wanted });
            cells++;
          }
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(cells).toBe(6 * 3 * 5 * 4 * 5);
  expect(changes(before, contentsOf(monitor.path))).toEqual({});
});
