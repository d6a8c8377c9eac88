/** The listed runs of the atomic service as a timeline. */
import { expect, it } from "vitest";
import { atomicTimeline } from "../../../src/services/runners/atomic-timeline.ts";
import { atomicLanes } from "../../../src/services/timeline/atomic-lanes.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const lanesOf = async (app: MemoryApp) => atomicLanes(await atomicTimeline(app.opened, {}), app.now);

it("the timeline of service runs is null without any run", async () => {
  expect(await lanesOf(memoryApp().runner("r1"))).toBeNull();
});

it("the timeline of service runs reaches slightly beyond the first and the last run", async () => {
  const app = memoryApp({ now: at(90) })
    .execution("a", { start_time: at(10), end_time: at(11) })
    .execution("b", { start_time: at(29), end_time: at(30) });
  expect(await lanesOf(app)).toMatchObject({
    start: "2026-01-05T12:00:09.250000+00:00",
    end: "2026-01-05T12:00:30.750000+00:00",
    now: "2026-01-05T12:01:30.000000+00:00",
  });
});

it("the timeline of service runs has each listed run on its runner's lane, newest first, and nothing else", async () => {
  const app = memoryApp()
    .context("r1")
    .invocation("i1")
    .event("e1")
    .execution("old", { runner_id: "r1", start_time: at(1), end_time: at(2) })
    .execution("new", { runner_id: "r2", start_time: at(5), end_time: null, status: "running" });
  const drawn = await lanesOf(app);
  expect(drawn?.atomic_service_runs).toEqual([
    {
      atomic_service_run_id: "new",
      runner_id: "r2",
      start_time: "2026-01-05T12:00:05.000000+00:00",
      end_time: null,
      status: "running",
    },
    {
      atomic_service_run_id: "old",
      runner_id: "r1",
      start_time: "2026-01-05T12:00:01.000000+00:00",
      end_time: "2026-01-05T12:00:02.000000+00:00",
      status: "completed",
    },
  ]);
  expect(drawn).toMatchObject({ invocations: [], events: [], trigger_runs: [], density: null });
});

it("the timeline of service runs has each runner once, with its parent, even without a stored context", async () => {
  const app = memoryApp()
    .context("parent", { runner_cls: "MultiThreadRunner", hostname: "h", pid: 7, thread_id: 8 })
    .context("child", { runner_cls: "ThreadRunner", parent_ctx_id: "parent" })
    .context("idle")
    .execution("1", { runner_id: "child" })
    .execution("2", { runner_id: "child" })
    .execution("3", { runner_id: "gone" });
  const { runners = [] } = (await lanesOf(app)) ?? {};
  expect(runners.map((one) => [one.runner_id, one.parent_runner_id]).sort()).toEqual([
    ["child", "parent"],
    ["gone", null],
    ["parent", null],
  ]);
  expect(runners.find((one) => one.runner_id === "parent")).toEqual({
    runner_id: "parent",
    runner_cls: "MultiThreadRunner",
    hostname: "h",
    pid: 7,
    thread_id: 8,
    parent_runner_id: null,
    busy_seconds: null,
    silent_seconds: null,
  });
});

it("the timeline of service runs leaves out a run whose stored start is not a time, and takes such an end for none", async () => {
  const app = memoryApp()
    .execution("well", { start_time: at(1), end_time: at(2) })
    .execution("no start", { start_time: Number.NaN, end_time: at(3) })
    .execution("no end", { start_time: at(3), end_time: Number.NaN });
  const drawn = await lanesOf(app);
  expect(drawn?.atomic_service_runs?.map((run) => run.atomic_service_run_id)).toEqual(["no end", "well"]);
});
