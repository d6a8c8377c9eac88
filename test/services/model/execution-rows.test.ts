/** Runs of the atomic service as lists show them, and which of them will not end by themselves. */
import { describe, expect, it } from "vitest";
import { executionRows, stuckServiceRuns } from "../../../src/services/model/execution-rows.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** Runners without a heartbeat since then are dead. */
const DEAD = at(30);

const rowsOf = (app: MemoryApp, now = app.now) =>
  app.opened.store.read(async (reads) =>
    executionRows(reads, await reads.orchestrator.executions({ limit: 100, offset: 0 }), DEAD, now),
  );

describe("a row of a service run", () => {
  it("has the start, end, status, reason and runner", async () => {
    const app = memoryApp()
      .runner("r1")
      .execution("a", { start_time: at(10), end_time: at(12.5), status: "abandoned", reason: "took too long" });
    expect(await rowsOf(app)).toEqual([
      {
        atomic_service_run_id: "a",
        runner_id: "r1",
        runner: expect.objectContaining({ runner_id: "r1", runner_cls: "ThreadRunner", context_missing: false }),
        runner_active: true,
        start_time: "2026-01-05T12:00:10.000000+00:00",
        end_time: "2026-01-05T12:00:12.500000+00:00",
        duration_seconds: 2.5,
        status: "abandoned",
        reason: "took too long",
        prior_run: null,
        stuck: null,
      },
    ]);
  });

  it("has neither an end nor a duration while the run goes on", async () => {
    const app = memoryApp().runner("r1").execution("a", { end_time: null, status: "running" });
    expect(await rowsOf(app)).toMatchObject([{ end_time: null, duration_seconds: null }]);
  });

  it("exists even if neither context nor heartbeat of its runner is left", async () => {
    expect(await rowsOf(memoryApp().execution("a", { runner_id: "gone" }))).toMatchObject([
      { runner: { runner_id: "gone", context_missing: true }, runner_active: false },
    ]);
  });

  it("calls a runner active if its last heartbeat is not older than the limit", async () => {
    const app = memoryApp()
      .runner("young", { last: DEAD })
      .runner("old", { last: DEAD - 0.001 })
      .execution("1", { runner_id: "young", start_time: at(2) })
      .execution("2", { runner_id: "old", start_time: at(1) });
    expect((await rowsOf(app)).map((row) => row.runner_active)).toEqual([true, false]);
  });

  it.each([
    ["prior_running:run-1 runner:host@1", { atomic_service_run_id: "run-1", runner_id: "host@1" }],
    ["prior_running:run-1", null],
    [" prior_running:run-1 runner:r", null],
    ["prior_running:run-1 runner:r and more", null],
    ["prior_running: runner:r", null],
    ["", null],
  ])("reads from the reason %j which run it gave way to", async (reason, prior_run) => {
    const app = memoryApp().execution("a", { status: "blocked", reason });
    expect(await rowsOf(app)).toMatchObject([{ prior_run, reason }]);
  });
});

describe("a service run that will not end by itself", () => {
  const running = (start: number, runner_id: string) =>
    ({ start_time: start, end_time: null, status: "running", runner_id }) as const;
  /** What is said of a run of this age, both in rows and among what is stuck. */
  async function told(app: MemoryApp, now: number): Promise<[reasons: unknown[], stuck: string[]]> {
    const stuck = await app.opened.store.read((reads) => stuckServiceRuns(reads, DEAD, now));
    return [(await rowsOf(app, now)).map((row) => row.stuck), stuck.map((run) => run.atomic_service_run_id)];
  }

  it("is a run whose runner is dead, however young the run is", async () => {
    expect(await told(memoryApp().execution("a", running(at(59), "gone")), at(60))).toEqual([["runner_dead"], ["a"]]);
  });

  it("is a run that has taken more than five minutes", async () => {
    const app = memoryApp()
      .runner("r1")
      .execution("a", running(at(0), "r1"));
    expect(await told(app, at(300))).toEqual([[null], []]);
    expect(await told(app, at(300.001))).toEqual([["too_long"], ["a"]]);
  });

  it("is never a run that has ended", async () => {
    const app = memoryApp();
    for (const status of ["completed", "abandoned", "blocked"])
      app.execution(status, { status, runner_id: "gone", end_time: null });
    expect(await told(app, at(9_999))).toEqual([[null, null, null], []]);
  });

  it("is looked for among the newest five unfinished runs", async () => {
    const app = memoryApp();
    for (let n = 0; n < 7; n++) app.execution(`run-${n}`, running(at(n), "gone"));
    const [, stuck] = await told(app, at(60));
    expect(stuck).toEqual(["run-6", "run-5", "run-4", "run-3", "run-2"]);
  });

  it("does not exist if nothing runs", async () => {
    expect(await told(memoryApp().runner("r1"), at(60))).toEqual([[], []]);
  });
});
