/** A page of real data and its partial refresh are made by the same component: while nothing changes they have the same text. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { figuresRead, type Monitor, monitorOf } from "../support/monitor.ts";
import { type PageAddress, pagesOf } from "../support/pages.ts";

let monitor: Monitor;
let pages: PageAddress[];
beforeAll(async () => {
  monitor = await figuresRead(await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }));
  pages = (await pagesOf(monitor)).filter(({ status = 200, asks = false }) => status === 200 && !asks);
});
afterAll(() => monitor.close());

it("every page has exactly the content that its refresh brings", async () => {
  const different: string[] = [];
  for (const { path } of pages) {
    const page = await monitor.text(path);
    const refresh = / data-live="([^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    const fragment = await (await monitor.get(refresh ?? "", { headers: { "hx-request": "true" } })).text();
    if (fragment.length < 100 || !page.includes(fragment)) different.push(`${path} ${refresh}`);
  }
  expect(pages.length).toBeGreaterThan(50);
  expect(different).toEqual([]);
});
