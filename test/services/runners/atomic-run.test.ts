/** One run of the atomic service with the trigger runs that name it. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { atomicRun } from "../../../src/services/runners/atomic-run.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

/** The present is long after, yet the runner is alive. */
const shop = () => memoryApp({ now: at(100) }).runner("r1", { last: at(95) });

describe("a recorded service run", () => {
  it("has its own facts, its runner, its timeline link and its settings", async () => {
    const app = shop().execution("run-1", { start_time: at(10), end_time: at(11) });
    const run = await atomicRun(app.opened, "run-1");
    expect(run).toMatchObject({
      atomic_service_run_id: "run-1",
      execution: { atomic_service_run_id: "run-1", duration_seconds: 1, status: "completed" },
      runner: { runner_id: "r1", runner_cls: "ThreadRunner" },
      runner_active: true,
      runner_last_heartbeat: "2026-01-05T12:01:35.000000+00:00",
      trigger_runs: [],
      trigger_runs_truncated: false,
    });
    expect(run.timeline).toEqual({
      start_date: "2026-01-05T12:00:09.850000",
      end_date: "2026-01-05T12:00:11.150000",
    });
    expect(run.settings.map((row) => row.field)).toEqual([
      "atomic_service_execution_retention_minutes",
      "atomic_service_execution_max_records",
    ]);
  });

  it("has the last heartbeat of a silent runner, and null for a runner without one", async () => {
    const app = memoryApp({ now: at(10_000) })
      .runner("r1", { last: at(5) })
      .execution("run-1")
      .execution("run-2", { runner_id: "r2" });
    expect(await atomicRun(app.opened, "run-1")).toMatchObject({
      runner_active: false,
      runner_last_heartbeat: "2026-01-05T12:00:05.000000+00:00",
    });
    expect(await atomicRun(app.opened, "run-2")).toMatchObject({
      runner: { runner_id: "r2", context_missing: true },
      runner_active: false,
      runner_last_heartbeat: null,
    });
  });
});

describe("the trigger runs of a service run", () => {
  it("are those that name it, newest first, with the invocation that each started", async () => {
    const app = shop()
      .execution("run-1")
      .invocation("i1", { task: "shop.mail" })
      .triggerRun("first", {
        trigger_id: "t1",
        task_id_key: "shop.mail",
        claimed_at: at(1),
        executed_at: at(2),
        triggered_invocation_id: "i1",
        atomic_service_run_id: "run-1",
      })
      .triggerRun("second", { claimed_at: at(3), executed_at: null, atomic_service_run_id: "run-1" })
      .triggerRun("of another", { atomic_service_run_id: "run-2" });
    const { trigger_runs } = await atomicRun(app.opened, "run-1");
    expect(trigger_runs).toEqual([
      expect.objectContaining({ trigger_run_id: "second", executed_at: null, triggered_invocation: null }),
      {
        trigger_run_id: "first",
        trigger_id: "t1",
        task_id_key: "shop.mail",
        claimed_at: "2026-01-05T12:00:01.000000+00:00",
        executed_at: "2026-01-05T12:00:02.000000+00:00",
        triggered_invocation: expect.objectContaining({ invocation_id: "i1", task_id_key: "shop.mail" }),
      },
    ]);
  });

  it("are cut to 200, and marked as truncated", async () => {
    const app = shop().execution("run-1");
    for (let n = 0; n < 200; n++) app.triggerRun(`t${n}`, { executed_at: at(n), atomic_service_run_id: "run-1" });
    expect(await atomicRun(app.opened, "run-1")).toMatchObject({ trigger_runs_truncated: false });
    app.triggerRun("newest", { executed_at: at(999), atomic_service_run_id: "run-1" });
    const { trigger_runs, trigger_runs_truncated } = await atomicRun(app.opened, "run-1");
    expect([trigger_runs.length, trigger_runs_truncated, trigger_runs[0]?.trigger_run_id]).toEqual([
      200,
      true,
      "newest",
    ]);
  });
});

describe("a service run of which only trigger runs are left", () => {
  it("is found through them, with the runner that they name", async () => {
    const app = shop()
      .triggerRun("a", { atomic_service_run_id: "run-1", atomic_service_runner_id: "r1" })
      .triggerRun("b", { atomic_service_run_id: "run-1", executed_at: at(50) });
    const run = await atomicRun(app.opened, "run-1");
    expect(run).toMatchObject({ execution: null, timeline: null, runner: { runner_id: "r1" }, runner_active: true });
    expect(run.trigger_runs).toHaveLength(2);
  });

  it("has no runner if they name none", async () => {
    const app = shop().triggerRun("a", { atomic_service_run_id: "run-1" });
    expect(await atomicRun(app.opened, "run-1")).toMatchObject({
      execution: null,
      runner: null,
      runner_active: false,
      runner_last_heartbeat: null,
    });
  });
});

describe("an unknown service run", () => {
  it.each([
    [true, "Runs are removed after atomic_service_execution_retention_minutes unless a trigger run refers to them."],
    [false, "pynenc records each run since 0.2.4; this store is older."],
  ])(
    "fails with not found, and with recorded runs (%s) the hint says that it may have been removed",
    async (executions, hint) => {
      const app = memoryApp({ capabilities: { executions } });
      const refused = atomicRun(app.opened, "run-1");
      await expect(refused).rejects.toThrow(NotFoundError);
      await expect(refused).rejects.toMatchObject({ hint });
    },
  );

  it("with an empty id fails with not found, although trigger runs without a service run are stored", async () => {
    const app = memoryApp().triggerRun("a").triggerRun("b", { atomic_service_run_id: "" });
    await expect(atomicRun(app.opened, "")).rejects.toThrow(NotFoundError);
  });
});
