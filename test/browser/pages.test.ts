/** Every page of the demo, which has every page and every status: nothing in the console, nothing that scrolls sideways, nothing that axe finds serious. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_APP_ID } from "../../src/demo/story/story.ts";
import type { ServerContext } from "../../src/http/context.ts";
import { allRoutes } from "../../src/http/routes/all.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";
import { type PageAddress, pagesOf } from "../support/pages.ts";
import { Axe } from "./axe.ts";
import { describeInBrowser } from "./browser.ts";
import { sweep } from "./sweep.ts";

const NOW = 1_795_220_000;

let monitor: Monitor;
let pages: PageAddress[];
beforeAll(async () => {
  const folder = temporaryFolder();
  const { path } = createDemo({ path: join(folder.path, "demo.db"), now: NOW, seed: 1 });
  monitor = await monitorAt(path, "over a socket", { app: DEMO_APP_ID, now: NOW }, folder.remove);
  pages = await pagesOf(monitor);
});
afterAll(() => monitor.close());

describeInBrowser("every page of the demo story", (open) => {
  it("causes no error in the console, fits its window and is accessible, in both themes", {
    timeout: 900_000,
  }, async () => {
    expect(await sweep(monitor, pages, open, new Axe())).toEqual([]);
  });
});

it("the list of pages in these tests has an address for every page route", () => {
  const paths = pages.map(({ path }) => new URL(path, "http://monitor").pathname);
  const server = { dev: false } as ServerContext;
  const missed = allRoutes(server)
    .filter((route) => route.method === "GET" && route.json === undefined && !NO_PAGE.test(route.path))
    .filter((route) => !paths.some((path) => pattern(route.path).test(path)));
  expect(missed.map((route) => route.path)).toEqual([]);
  expect(pages.filter(({ name }) => STATUSES.some((status) => name === `invocation ${status.name}`))).toHaveLength(
    STATUSES.length,
  );
});

/** Assets, the page to sign in (a monitor with a token has it), downloads, redirects and the partial refreshes of pages. `/calls/**` is the page of `/calls/` under another address. */
const NO_PAGE =
  /^\/assets\/|^\/login$|^\/switch-app\/|\/export$|\/refresh$|\/table$|\/panel$|\/compact$|\/family-tree$|^\/calls\/\*\*/;

function pattern(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`);
}
