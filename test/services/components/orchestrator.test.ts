/** The orchestrator's page: waits between invocations, the next recovery, and the runs of the atomic service. */
import { describe, expect, it } from "vitest";
import { orchestratorOverview } from "../../../src/services/components/orchestrator.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const overview = (app: MemoryApp) => orchestratorOverview(app.opened);
const idsOf = (rows: readonly { invocation_id: string }[]) => rows.map((row) => row.invocation_id);

describe("invocations that wait for another", () => {
  it("are listed with the one they wait for, newest first", async () => {
    const app = memoryApp().invocation("a").invocation("b").invocation("c").edge("a", "b").edge("b", "c");
    const { blocking, blocking_count } = await overview(app);
    expect(blocking.map(({ waiter, waited }) => [waiter.invocation_id, waited.invocation_id])).toEqual([
      ["b", "c"],
      ["a", "b"],
    ]);
    expect(blocking_count).toBe(2);
  });

  it("are all counted, and the newest 50 listed", async () => {
    const app = memoryApp().invocations(60);
    for (let n = 1; n < 60; n++) app.edge(`i${n}`, "i0");
    const { blocking, blocking_count } = await overview(app);
    expect([blocking_count, blocking.length, blocking[0]?.waiter.invocation_id]).toEqual([59, 50, "i59"]);
  });

  it("are listed as leftovers if one of the two is gone", async () => {
    const { blocking, stale_blocking } = await overview(memoryApp().invocation("a").edge("a", "gone"));
    expect(blocking).toEqual([]);
    expect(stale_blocking).toMatchObject([
      { waited: { invocation_id: "gone", task_id_key: null, status_source: "none" } },
    ]);
  });
});

describe("the preview of the next recovery", () => {
  it("lists invocations pending for at least the configured time, the longest first", async () => {
    const app = memoryApp({ now: at(100), settings: { max_pending_seconds: 30 } })
      .invocation("young", { history: [[at(71), "pending"]] })
      .invocation("due", { history: [[at(70), "pending"]] })
      .invocation("old", { history: [[at(1), "pending"]] })
      .invocation("fine", { history: [[at(1), "success"]] });
    expect(idsOf((await overview(app)).recovery.pending)).toEqual(["old", "due"]);
  });

  it("lists invocations that run on a dead runner", async () => {
    const app = memoryApp({ now: at(10_000) })
      .runner("alive", { last: at(9_999) })
      .runner("dead", { last: at(0) })
      .invocation("fine", { history: [[at(1), "running", "alive"]] })
      .invocation("lost", { history: [[at(1), "running", "dead"]] })
      .invocation("done", { history: [[at(1), "success", "dead"]] });
    expect(idsOf((await overview(app)).recovery.running)).toEqual(["lost"]);
  });
});

describe("the overview of the orchestrator", () => {
  it("counts runners that may run the atomic service among those that are active", async () => {
    const app = memoryApp({ now: at(10_000) })
      .runner("r1", { last: at(9_999) })
      .runner("r2", { last: at(9_999), atomic: false })
      .runner("dead", { last: at(0) });
    expect((await overview(app)).runners).toMatchObject({ active: 2, known: 3, eligible_for_atomic_service: 1 });
  });

  it("counts service runs by status, if the layout records them", async () => {
    const app = memoryApp().execution("a").execution("b", { status: "blocked" }).execution("c");
    expect((await overview(app)).atomic_service_executions).toEqual({ completed: 2, blocked: 1 });
    expect((await overview(memoryApp())).atomic_service_executions).toEqual({});
    expect((await overview(memoryApp({ capabilities: { executions: false } }))).atomic_service_executions).toBeNull();
  });

  it("counts invocations by status, including those that the orchestrator has purged", async () => {
    const app = memoryApp()
      .invocation("a")
      .invocation("b", { status: null, history: [[at(1), "success"]] });
    const { statuses, totals } = await overview(app);
    const counts = Object.fromEntries(statuses.flatMap((row) => (row.count > 0 ? [[row.status, row.count]] : [])));
    expect([counts, totals]).toMatchObject([
      { registered: 1, success: 1 },
      { invocations: 2, forgotten: 1 },
    ]);
  });

  it("says in words when recovery runs, and lists its settings", async () => {
    const settings = {
      recover_pending_invocations_cron: "*/5 * * * *",
      recover_running_invocations_cron: "0 3 * * *",
    };
    const { crons, settings: rows } = await overview(memoryApp({ settings }));
    expect(crons).toEqual({ pending: "Every 5 minutes", running: "At 03:00 UTC" });
    expect(rows.map((row) => row.field)).toEqual([
      "orchestrator_cls",
      "blocking_control",
      "auto_final_invocation_purge_hours",
      "recover_pending_invocations_cron",
      "max_pending_seconds",
      "recover_running_invocations_cron",
      "runner_considered_dead_after_minutes",
      "atomic_service_interval_minutes",
      "atomic_service_spread_margin_minutes",
      "atomic_service_check_interval_minutes",
    ]);
  });

  it("says whether the orchestrator is in this store", async () => {
    const components = { broker: true, state_backend: true, client_data_store: true, trigger: true };
    expect((await overview(memoryApp())).present).toBe(true);
    const app = memoryApp({ capabilities: { components: { ...components, orchestrator: false } } });
    expect((await overview(app)).present).toBe(false);
  });
});

describe("the limit after which an invocation counts as stuck", () => {
  it("is shown with the setting that it comes from", async () => {
    const words = async (settings: Readonly<Record<string, unknown>>) =>
      (await overview(memoryApp({ settings }))).stuck_after;
    expect(await words({})).toEqual({
      pending: "5 s (pynenc's default limit)",
      running: "10 min (pynenc's default limit)",
    });
    expect(await words({ max_pending_seconds: 9, runner_considered_dead_after_minutes: 1 })).toEqual({
      pending: "9 s (max_pending_seconds)",
      running: "1 min (runner_considered_dead_after_minutes)",
    });
  });
});
