/**
 * Rows whose times cannot be: of hosts with wrong clocks, of other programs, or broken. They are data: every page and every answer shows them, with
 * `invalid time` where there is no date, and none fails.
 */
import { afterAll, describe, expect, it } from "vitest";
import { allRoutes } from "../../src/http/routes/all.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { monitorAt } from "../support/monitor.ts";
import { ODD_TIMES, replaceTimes } from "../support/odd-times.ts";
import { pagesOf } from "../support/pages.ts";

const FIXTURE = "kitchen_sink.db";
const APP = "kitchen_sink";

/** All of the time that can be asked for. */
const ALL = "from=1970-01-01&to=2255-01-01";

const MORE = [
  "/invocations/timeline?time_range=1w",
  ...["", "&group=task", "&format=svg", "&format=trace", "&limit=5"].map(
    (more) => `/invocations/timeline?${ALL}${more}`,
  ),
  "/invocations/timeline?at=2026-11-21T00:36:00",
  ...["/events/", "/stats/", "/failures/", "/compare/", "/invocations/", "/trigger-runs/"].map(
    (path) => `${path}?${ALL}`,
  ),
];

const folder = temporaryFolder();
afterAll(folder.remove);
const options = { app: APP, now: presentOf(FIXTURE) };

describe.each([
  ["among others", (index: number) => (index % 3 === 0 ? (ODD_TIMES[(index / 3) % ODD_TIMES.length] ?? null) : null)],
  ["in every row", (index: number) => ODD_TIMES[index % ODD_TIMES.length] ?? null],
] as const)("impossible times, %s", (name, odd) => {
  it("do no harm on any page or in any JSON", async () => {
    const path = copyFixture(FIXTURE, folder.path, `${name}.db`);
    const before = await monitorAt(path, "in process", options);
    const pages = await pagesOf(before);
    await before.close();
    expect(replaceTimes(path, APP, odd)).toBeGreaterThan(1_000);
    const monitor = await monitorAt(path, "in process", options);
    const routes = allRoutes({ dev: false }).filter(({ method, path: of }) => method === "GET" && !of.includes(":"));
    const targets = new Set([...pages.map((page) => page.path), ...routes.map((route) => route.path), ...MORE]);
    const failed: string[] = [];
    for (const target of targets) {
      for (const accept of ["text/html", "application/json"]) {
        const response = await monitor.get(target, { headers: { accept } });
        // Attributes of drawings, and texts of ours: arguments of the run contain such words too.
        const broken = /(?:x|y|width|height|points|d|title)="[^"]*\b(?:NaN|Infinity|undefined)\b/.exec(
          await response.text(),
        );
        if (response.status >= 500 || broken !== null) failed.push(`${response.status} ${target} ${broken?.[0] ?? ""}`);
      }
    }
    await monitor.close();
    expect(failed).toEqual([]);
  });
});
