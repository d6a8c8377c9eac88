/** What monitoring systems collect. */
import { describe, expect, test } from "vitest";
import { MetricList } from "../../../src/api/metrics.ts";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { BUSIEST_TASKS, METRICS } from "../../../src/presentation/metrics.ts";
import { metricsList, metricsText } from "../../../src/presentation/metrics-text.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { appMetrics, metricsOfNow } from "../../../src/services/health/metrics.ts";
import { statusReport } from "../../../src/services/health/status.ts";
import { differences } from "../../support/answers.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const SERVER = { version: "1.2.3", started_at: 1_700_000_000.5, resident_bytes: 123 };

/** Sample lines of the text, as a map from name and labels to the value. */
async function samples(opened: OpenedApp): Promise<Record<string, string>> {
  const text = metricsText(await appMetrics(opened), SERVER);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const found = lines.map((line) => /^(\S+\{.*\}) (\S+)$/.exec(line)?.slice(1) as [string, string]);
  // A series may occur once.
  expect(new Set(found.map(([series]) => series)).size).toBe(found.length);
  return Object.fromEntries(found);
}

function ended(app: MemoryApp, id: string, begins: number, end = "success", task = "shop.pay"): MemoryApp {
  return app.invocation(id, {
    task,
    history: [
      [at(begins), "registered"],
      [at(begins + 3), "running", "r1"],
      [at(begins + 10), end, "r1"],
    ],
  });
}

describe("gauges", () => {
  test("give the present numbers of invocations, messages and runners", async () => {
    const app = memoryApp({ now: at(100) })
      .runner("r1", { last: at(95) })
      .runner("r2", { last: at(-10_000) })
      .invocation("a")
      .message("a", at(40));
    ended(app, "b", 10, "failed", "shop.ship");
    expect(await samples(app.opened)).toMatchObject({
      'pynenc_store_up{app="shop"}': "1",
      'pynenc_invocations{app="shop",status="registered"}': "1",
      'pynenc_invocations{app="shop",status="failed"}': "1",
      'pynenc_invocations{app="shop",status="success"}': "0",
      'pynenc_task_invocations{app="shop",task="shop.ship",status="failed"}': "1",
      'pynenc_invocations_complete{app="shop"}': "1",
      'pynenc_queue_messages{app="shop",queue=""}': "1",
      'pynenc_queue_waiting_messages{app="shop",queue=""}': "1",
      'pynenc_queue_oldest_age_seconds{app="shop",queue=""}': "60",
      'pynenc_queue_active_runners{app="shop",queue=""}': "1",
      'pynenc_runners{app="shop",state="active"}': "1",
      'pynenc_runners{app="shop",state="inactive"}': "1",
      'pynenc_as_of_timestamp_seconds{app="shop"}': String(at(100)),
      'pynenc_monitor_info{app="shop",version="1.2.3"}': "1",
      'process_start_time_seconds{app="shop"}': "1700000000.5",
      'process_resident_memory_bytes{app="shop"}': "123",
    });
  });

  test("have an age of 0 for an empty queue", async () => {
    expect((await samples(memoryApp().opened))['pynenc_queue_oldest_age_seconds{app="shop",queue=""}']).toBe("0");
  });

  test("have the verdicts of the status, each code and severity once", async () => {
    const app = memoryApp({ now: at(10_000) }).runner("r1", { last: at(0) });
    for (const id of ["a", "b"]) {
      app.invocation(id, {
        history: [
          [at(0), "registered"],
          [at(1), "running", "r1"],
        ],
      });
    }
    const { verdicts } = await statusReport(app.opened);
    expect(verdicts.map(({ code }) => code)).toContain("running_on_dead_runner");
    const found = await samples(app.opened);
    const told = Object.keys(found).filter((series) => series.startsWith("pynenc_verdicts"));
    expect(told.sort()).toEqual(
      [
        ...new Set(
          verdicts.map(
            ({ code, severity }) => `pynenc_verdicts{app="shop",code="${code}",severity="${severity}",muted="no"}`,
          ),
        ),
      ].sort(),
    );
  });

  test("label muted verdicts", async () => {
    const app = memoryApp({
      now: at(10_000),
      mutes: {
        path: null,
        all: () => [
          {
            app_id: "shop",
            location: "memory",
            code: "running_on_dead_runner",
            id: null,
            until: "2030-01-01T00:00:00.000000+00:00",
            muted_at: "2026-01-01T00:00:00.000000+00:00",
          },
        ],
        change: () => undefined,
      },
    }).runner("r1", { last: at(0) });
    app.invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), "running", "r1"],
      ],
    });
    const told = Object.keys(await samples(app.opened)).filter((series) => series.includes("running_on_dead_runner"));
    expect(told).toEqual([expect.stringContaining('muted="yes"')]);
  });

  test("name the busiest tasks and add up the others, whatever words a store contains", async () => {
    const app = memoryApp({ now: at(1_000) });
    for (let n = 0; n < BUSIEST_TASKS + 3; n++) {
      const task = `shop.t${String(n).padStart(2, "0")}`;
      app.invocation(`x${n}`, { task });
      if (n >= 3) app.invocation(`y${n}`, { task, history: [[at(1), `odd${n}`]] });
    }
    const found = await samples(app.opened);
    const tasks = Object.keys(found).filter((series) => series.startsWith("pynenc_task_invocations"));
    expect(new Set(tasks.map((series) => /task="([^"]*)"/.exec(series)?.[1])).size).toBe(BUSIEST_TASKS + 1);
    expect(found['pynenc_task_invocations{app="shop",task="(others)",status="registered"}']).toBe("3");
    expect(found['pynenc_task_invocations{app="shop",task="shop.t05",status="(others)"}']).toBe("1");
    expect(found['pynenc_invocations{app="shop",status="(others)"}']).toBe(String(BUSIEST_TASKS));
  });

  test("stay valid and short whatever a name contains", async () => {
    const names = ['a"} 1\npynenc_store_up{app="shop', "back\\slash", "\u202e\u001b[31m", "x".repeat(5_000), "\ud800"];
    const app = memoryApp({ app_id: 'my"app' });
    for (const [n, task] of names.entries()) app.invocation(`i${n}`, { task });
    const found = await samples(app.opened);
    const series = Object.keys(found);
    expect(found['pynenc_store_up{app="my\\"app"}']).toBe("1");
    expect(series.filter((one) => one.startsWith("pynenc_store_up"))).toHaveLength(1);
    expect(series.every((one) => one.length < 600 && !/\p{Cc}|\p{Cf}|\p{Cs}/u.test(one))).toBe(true);
    expect(series.some((one) => one.includes('task="back\\\\slash"'))).toBe(true);
  });

  test("say that a store is unreachable, and nothing else about it", async () => {
    const { opened } = memoryApp();
    const read = () => Promise.reject(new StoreUnreachableError("timeout", "It is away."));
    const away = { ...opened, store: Object.create(opened.store, { read: { value: read } }) as OpenedApp["store"] };
    const found = await samples({ ...away, memo: read, memoOrNull: read, inventory: read });
    expect(Object.keys(found).map((series) => series.split("{")[0])).toEqual([
      "pynenc_store_up",
      "pynenc_monitor_info",
      "process_start_time_seconds",
      "process_resident_memory_bytes",
    ]);
    expect(found['pynenc_store_up{app="shop"}']).toBe("0");
    await expect(metricsOfNow({ ...away, memo: read, memoOrNull: read, inventory: read })).rejects.toThrow(
      StoreUnreachableError,
    );
  });
});

describe("counters and histograms", () => {
  test("count what happens after the first scrape, with failures from zero", async () => {
    const app = ended(memoryApp({ now: at(100) }), "before", 0, "failed");
    const first = await samples(app.opened);
    expect(Object.keys(first).filter((series) => /_total|_seconds_(bucket|sum|count)/.test(series))).toEqual([]);
    ended(app, "a", 20);
    const found = await samples(app.opened);
    const finished = (status: string) =>
      found[`pynenc_invocations_finished_total{app="shop",task="shop.pay",status="${status}"}`];
    expect([finished("success"), finished("failed")]).toEqual(["1", "0"]);
    expect(found).toMatchObject({
      'pynenc_invocations_registered_total{app="shop",task="shop.pay"}': "1",
      'pynenc_invocations_retried_total{app="shop",task="shop.pay"}': "0",
      'pynenc_wait_seconds_bucket{app="shop",task="shop.pay",le="2.5"}': "0",
      'pynenc_wait_seconds_bucket{app="shop",task="shop.pay",le="5"}': "1",
      'pynenc_wait_seconds_bucket{app="shop",task="shop.pay",le="+Inf"}': "1",
      'pynenc_run_seconds_bucket{app="shop",task="shop.pay",le="5"}': "0",
      'pynenc_run_seconds_bucket{app="shop",task="shop.pay",le="10"}': "1",
      'pynenc_run_seconds_sum{app="shop",task="shop.pay"}': "7",
      'pynenc_run_seconds_count{app="shop",task="shop.pay"}': "1",
      'pynenc_history_current{app="shop"}': "1",
    });
    ended(app, "b", 40, "failed");
    app.change((rows) => rows.history.splice(0));
    const purged = await samples(app.opened);
    expect(purged['pynenc_invocations_finished_total{app="shop",task="shop.pay",status="success"}']).toBe("1");
  });

  test("are left out if the history is not followed", async () => {
    const app = ended(memoryApp({ now: at(100) }), "a", 0);
    const of = async (found: Parameters<typeof metricsText>[0]) => metricsText(found, null);
    for (const text of [
      await of(await metricsOfNow(app.opened)),
      await of(await appMetrics({ ...app.opened, rollups: null })),
    ]) {
      expect(text).toContain("pynenc_invocations{");
      expect(text).not.toMatch(/_total|_bucket|pynenc_history|process_/);
    }
  });
});

test("metrics as JSON have the same samples", async () => {
  const app = ended(memoryApp({ now: at(100) }), "a", 0);
  const list = metricsList(await metricsOfNow(app.opened));
  expect(differences(MetricList, list)).toEqual([]);
  const families = list.metrics.map(({ name }) => name);
  expect(families).toEqual(METRICS.map(({ name }) => name).filter((name) => families.includes(name)));
  expect(list.metrics.find(({ name }) => name === "pynenc_runners")).toEqual({
    name: "pynenc_runners",
    type: "gauge",
    help: "Runners by whether their heartbeat is recent",
    samples: [
      { labels: { app: "shop", state: "active" }, value: 0 },
      { labels: { app: "shop", state: "inactive" }, value: 0 },
    ],
  });
});
