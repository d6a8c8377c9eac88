/** The dashboard of an app. */
import { describe, expect, it } from "vitest";
import { dashboard, overviewPage } from "../../../src/services/health/dashboard.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the dashboard", () => {
  it("has counts of runners, invocations, messages, events and statuses", async () => {
    const app = memoryApp()
      .runner("r1")
      .runner("dead", { last: at(-9_999) })
      .invocation("a")
      .invocation("b", { task: "shop.ship", status: null, history: [[at(1), "success"]] })
      .message("a")
      .event("e");
    const { overview, statuses, events, verdicts } = await dashboard(app.opened);
    expect(overview).toEqual({
      queued_messages: 1,
      active_runners: 1,
      known_runners: 2,
      known_runners_capped: false,
      registered_tasks: 2,
      named_queues: false,
      queue_note: null,
      more_queues: 0,
      queues: [expect.objectContaining({ queue_name: null, waiting: 1, active_consumers: 1, health: "consuming" })],
      invocations: 2,
      forgotten: 1,
      complete: true,
    });
    expect(statuses.filter((row) => row.count > 0).map((row) => [row.status, row.count])).toEqual([
      ["registered", 1],
      ["success", 1],
    ]);
    expect(events).toMatchObject({ recorded: 1 });
    expect(verdicts.map(({ code }) => code)).toEqual(["no_triggers"]);
  });

  it("lists the invocations registered last, from whichever component has them, newest first", async () => {
    const app = memoryApp();
    for (let i = 1; i <= 10; i++) {
      app.invocation(`i${i}`, {
        ...(i % 2 === 0 ? { status: null } : {}),
        history: [
          [at(i), "registered"],
          [at(i + 20), "success"],
        ],
      });
    }
    const { newest, newest_note } = await dashboard(app.opened);
    expect(newest.map((row) => row.invocation_id)).toEqual(["i10", "i9", "i8", "i7", "i6", "i5", "i4", "i3"]);
    expect(newest_note).toBeNull();
  });

  it("works for an app of which nothing is stored", async () => {
    const { overview, statuses, verdicts, app_id, location } = await dashboard(memoryApp().opened);
    expect([app_id, location, verdicts]).toEqual(["shop", "memory", []]);
    expect(overview).toMatchObject({ queued_messages: 0, registered_tasks: 0, invocations: 0 });
    expect(statuses.map((row) => row.count)).toEqual(Array.from({ length: 13 }, () => 0));
  });

  it("gives the class of each component, where that comes from, and whether the component is in the store", async () => {
    const components = {
      broker: false,
      orchestrator: true,
      state_backend: true,
      client_data_store: true,
      trigger: true,
    };
    const settings = { broker_cls: "RabbitMqBroker", trigger_cls: "RedisTrigger" };
    const SEEN = "seen in this store";
    const { components: rows } = await dashboard(memoryApp({ capabilities: { components }, settings }).opened);
    expect(rows).toMatchObject([
      { component: "broker", configured_class: "RabbitMqBroker", present: false },
      { component: "orchestrator", configured_class: "SQLiteOrchestrator", origin: SEEN, present: true },
      { component: "state_backend", configured_class: "SQLiteStateBackend", origin: SEEN, present: true },
      { component: "client_data_store", configured_class: "SQLiteClientDataStore", origin: SEEN, present: true },
      { component: "trigger", configured_class: "RedisTrigger", present: true },
    ]);
    expect(rows[0]?.origin).not.toBe("default");
    expect(rows[4]?.origin).toBe(rows[0]?.origin);
  });

  it("says whether actions are refused, and gives the layout of the store", async () => {
    const refused = await dashboard(memoryApp({ capabilities: { writes_refused: "an unknown layout" } }).opened);
    expect(refused).toMatchObject({ writes_refused: "an unknown layout", layout: { label: "0.3.0 to 0.3.1" } });
    expect((await dashboard(memoryApp().opened)).writes_refused).toBeNull();
  });

  it("has no events if the layout has none", async () => {
    expect((await dashboard(memoryApp({ capabilities: { events: false } }).opened)).events).toBeNull();
  });

  it("shows the settings that explain the figures", async () => {
    const { settings } = await dashboard(memoryApp({ settings: { max_pending_seconds: 7 } }).opened);
    expect(settings.map((row) => row.field)).toEqual([
      "serializer_cls",
      "runner_cls",
      "dev_mode_force_sync_tasks",
      "logging_level",
      "blocking_control",
      "auto_final_invocation_purge_hours",
      "atomic_service_interval_minutes",
      "runner_considered_dead_after_minutes",
      "max_pending_seconds",
      "event_retention_days",
    ]);
    expect(settings.find((row) => row.field === "max_pending_seconds")).toMatchObject({ value: "7" });
  });
});

describe("the overview page", () => {
  it("counts active runners that run something, and not those that fell silent while they ran", async () => {
    const running = (runner: string) => ({
      history: [
        [at(0), "registered"],
        [at(1), "running", runner],
      ] as const,
    });
    const app = memoryApp()
      .runner("busy")
      .runner("idle")
      .runner("dead", { last: at(-9_999) })
      .invocation("a", running("busy"))
      .invocation("b", running("busy"))
      .invocation("c", running("dead"));
    const { overview, busy } = await overviewPage(app.opened, {});
    expect([overview.active_runners, busy]).toEqual([2, { runners: 1, capped: false, workers: 2, silent: 1 }]);
  });

  it("does not count a parent among the workers whose children run invocations", async () => {
    const [created, last] = [at(0), at(60)];
    const alive = { creation_timestamp: created, last_heartbeat: last, allow_to_run_atomic_service: true };
    const app = memoryApp().runner("parent");
    for (const child of ["one", "two"]) {
      app.context(child, { parent_ctx_id: "parent" }).heartbeat(child, { ...alive, consumed_queues: null });
    }
    const { overview, busy } = await overviewPage(app.opened, {});
    expect([overview.active_runners, busy?.workers]).toEqual([3, 2]);
  });

  it("has the figures of the range before only if all of that is stored", async () => {
    const app = (first: number) =>
      memoryApp({ now: at(7_200) })
        .invocation("first", ended(first, "success"))
        .invocation("before", ended(1_800, "failed"))
        .invocation("now", ended(5_400, "success"))
        .inOrder();
    const { before, recent } = await overviewPage(app(-60).opened, {});
    expect([before?.finished, before?.failed_share, recent?.total.failed_share]).toEqual([1, 1, 0]);
    expect((await overviewPage(app(600).opened, {})).before).toBeNull();
  });

  it("agrees with the JSON of its address", async () => {
    const app = memoryApp().runner("r1").invocation("a").message("a").event("e");
    const { busy: _busy, before: _before, overview, ...page } = await overviewPage(app.opened, {});
    expect(await dashboard(app.opened)).toMatchObject({ ...page, overview });
  });
});

function ended(second: number, status: string) {
  const history = [
    [at(second), "registered"],
    [at(second + 1), "running"],
    [at(second + 2), status],
  ] as const;
  return { history };
}
