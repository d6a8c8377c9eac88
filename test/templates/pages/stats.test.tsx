import { describe, expect, test } from "vitest";
import { stats } from "../../../src/services/stats/stats.ts";
import { StatsContent, StatsHeader } from "../../../templates/pages/stats.tsx";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { dom } from "../render.tsx";

const iso = (seconds: number) => new Date(at(seconds) * 1_000).toISOString();
const RANGE = { from: iso(0), to: iso(600) };

/** Two calls of one task, one of which failed. */
function app() {
  const run = (id: string, end: string) =>
    [
      id,
      {
        history: [
          [at(1), "registered"],
          [at(2), "pending"],
          [at(3), "running"],
          [at(5), end],
        ],
      },
    ] as const;
  return memoryApp({ now: at(600) })
    .invocation(...run("a", "failed"))
    .invocation(...run("b", "success"));
}

async function page(given: Record<string, string> = {}) {
  const query = Object.fromEntries(Object.entries({ ...RANGE, ...given }).map(([name, value]) => [name, [value]]));
  const model = await stats(app().opened, query);
  const view = { model, path: "/stats/", query, now: iso(600), readOnly: false };
  return { content: dom(<StatsContent {...view} />), header: dom(<StatsHeader {...view} />) };
}

describe("the page of statistics", () => {
  test("has each figure above its course over time, with a link to what explains it", async () => {
    const { content } = await page();
    const figures = content.querySelectorAll(".figures .time-chart a.figure");
    expect(figures.map((figure) => figure.querySelector(".figure-label")?.text)).toEqual([
      ...["Finished", "Failed", "Wait p95", "Run p95", "Waiting", "Running"],
    ]);
    expect(figures.slice(0, 2).map((figure) => figure.querySelector(".figure-value")?.text)).toEqual(["2", "1"]);
    expect(figures[1]?.querySelectorAll("span").at(-1)?.text).toBe("50 %, 0 retries");
    expect(figures[1]?.getAttribute("href")).toBe("/failures/");
    expect(figures[2]?.getAttribute("href")).toContain("sort=wait");
  });

  test("shows what was registered where the number in a status is not known, as for one task", async () => {
    const { content } = await page({ task_id: "shop.pay" });
    const labels = content.querySelectorAll(".figure-label").map((label) => label.text);
    expect(labels).toContain("Registered");
    expect(labels).not.toContain("Waiting");
  });

  test("relates its figures to those of another range, which the title has", async () => {
    const { content } = await page({ compare: "previous" });
    const trend = content.querySelector(".figures a.figure [title]");
    expect([trend?.text, trend?.getAttribute("title")]).toEqual(["was 0", "Before: 0"]);
    expect((await page()).content.querySelector(".figures a.figure [title]")).toBeNull();
  });

  test("switches the rows of its table by links that keep the range, and the filter form keeps the rows", async () => {
    const { content, header } = await page({ by: "host" });
    const choices = content.querySelectorAll(".status-links a");
    expect(choices.map((link) => link.text)).toEqual(["Task", "Runner", "Host", "Exception"]);
    expect(content.querySelector(".status-links a[aria-current]")?.text).toBe("Host");
    const { searchParams } = new URL(choices[1]?.getAttribute("href") ?? "", "http://monitor/");
    expect(Object.fromEntries(searchParams)).toMatchObject({ by: "runner", from: RANGE.from });
    expect(header.querySelector('input[name="by"]')?.getAttribute("value")).toBe("host");
  });
});
