/** Every page of the kitchen sink, which pynenc wrote, and its partial refresh: the same component, so the same text as long as nothing changes. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PageAddress, pagesOf } from "../browser/pages.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

let monitor: Monitor;
let pages: PageAddress[];
beforeAll(async () => {
  monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
  pages = (await pagesOf(monitor)).filter(({ status = 200, asks = false }) => status === 200 && !asks);
});
afterAll(() => monitor.close());

it("is in each page as its refresh brings it", async () => {
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
