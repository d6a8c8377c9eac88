/**
 * What each page weighs and asks of a store. The bounds are generous: they notice a page that asks for each row, or sends what nobody reads.
 * With PAGE_COSTS=1 the figures are printed as a table.
 */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DEMO_APP_ID } from "../../src/demo/story/story.ts";
import { counting } from "../support/counting.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOf } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";

const NOW = 1_795_220_000;
const MOST_BYTES = 1_000_000;
/** The family of a workflow run asks about seven times for each step of its causes and each level of its critical path, and verdicts some thirty times. */
const MOST_CALLS = 100;

/** Most kilobytes of main pages on the kitchen sink: a twentieth more than today (docs/page-costs.md). */
const MOST_KILOBYTES: Readonly<Record<string, number>> = {
  Overview: 41,
  Apps: 14,
  Invocations: 98,
  Failures: 40,
  Statistics: 86,
  Timeline: 369,
  "workflow runs": 44,
  "Trigger runs": 66,
  Events: 35,
  Runners: 27,
  Queues: 30,
  Orchestrator: 27,
  why: 13,
  "invocation failed": 51,
  "family over time": 24,
  task: 34,
  "runner, active": 47,
  "workflow run": 34,
  event: 41,
  search: 24,
  "search, nothing": 13,
};

const STORES: Readonly<Record<string, () => Promise<Monitor>>> = {
  "the kitchen sink": () => monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }),
  "the demo": async () => {
    const folder = temporaryFolder();
    const { path } = createDemo({ path: join(folder.path, "demo.db"), now: NOW, seed: 1 });
    return monitorAt(path, "in process", { app: DEMO_APP_ID, now: NOW }, folder.remove);
  },
};

describe("pages stay below the bounds on bytes and store calls", () => {
  it.each(Object.entries(STORES))("on %s", { timeout: 300_000 }, async (name, start) => {
    const monitor = await start();
    const { store } = monitor.workspace;
    const open = store.app.bind(store);
    const counters: (() => number)[] = [];
    // Before the first request, which keeps what it opens.
    store.app = (id) => {
      const counted = counting(open(id));
      counters.push(counted.calls);
      return counted.store;
    };
    const calls = () => counters.reduce((sum, count) => sum + count(), 0);
    const costs: { page: string; bytes: number; zipped: number; first: number; again: number }[] = [];
    try {
      for (const { name: page, path, status = 200, variant = false } of await pagesOf(monitor)) {
        if (status !== 200 || variant) continue;
        const before = calls();
        const html = await (await monitor.get(path, { headers: { accept: "text/html" } })).text();
        const first = calls() - before;
        // For the table alone.
        if (process.env.PAGE_COSTS) await monitor.get(path, { headers: { accept: "text/html" } });
        const again = calls() - before - first;
        costs.push({ page, bytes: Buffer.byteLength(html), zipped: gzipSync(html).length, first, again });
      }
    } finally {
      await monitor.close();
    }
    if (process.env.PAGE_COSTS) process.stdout.write(`${tableOf(name, costs)}\n`);
    expect(costs.length).toBeGreaterThan(30);
    expect(Math.max(...costs.map(({ first }) => first))).toBeGreaterThan(5);
    expect(costs.filter(({ bytes, first }) => bytes > MOST_BYTES || first > MOST_CALLS)).toEqual([]);
    if (name !== "the kitchen sink") return;
    const weights = Object.keys(MOST_KILOBYTES).map((page) => costs.find((one) => one.page === page));
    expect(weights).not.toContain(undefined);
    expect(weights.filter((one) => (one?.bytes ?? 0) / 1000 > (MOST_KILOBYTES[one?.page ?? ""] ?? 0))).toEqual([]);
  });
});

function tableOf(
  name: string,
  costs: readonly { page: string; bytes: number; zipped: number; first: number; again: number }[],
): string {
  const kb = (bytes: number) => Math.round(bytes / 1000);
  const rows = costs.map(
    (one) => `| ${one.page} | ${kb(one.bytes)} | ${kb(one.zipped)} | ${one.first} | ${one.again} |`,
  );
  return [`| Page of ${name} | KB | KB, gzip | calls of ports | again |`, "|---|---|---|---|---|", ...rows].join("\n");
}
