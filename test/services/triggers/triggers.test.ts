/** Triggers as runners registered them: the list by task, and one with all that belongs to it. */
import { describe, expect, it } from "vitest";
import type { TriggerList, TriggerRow } from "../../../src/api/triggers.ts";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { triggerOwnRunsPart } from "../../../src/presentation/facts/trigger.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { listTriggers, triggerDetail } from "../../../src/services/triggers/triggers.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const cron = (expression: string) => ({ condition_type: "CronCondition", data: { cron_expression: expression } });
const paid = { condition_type: "EventCondition", data: { event_code: "paid", payload_filter: "" } };
const fixed = (values: Record<string, string>) =>
  JSON.stringify({ condition_type: "StaticArgumentProvider", data: { arguments: JSON.stringify(values) } });

const list = (app: MemoryApp, raw = {}) => listTriggers(app.opened, raw);
const rowsOf = ({ tasks }: TriggerList): TriggerRow[] => tasks.flatMap((task) => task.triggers);
const components = { broker: true, orchestrator: true, state_backend: true, client_data_store: true, trigger: false };

describe("the list of triggers", () => {
  it("is ordered by task, then by id, and marks pynenc's own tasks", async () => {
    const app = memoryApp()
      .trigger("t2", { task_id_key: "shop.pay" })
      .trigger("t1", { task_id_key: "shop.pay" })
      .trigger("t3", { task_id_key: "pynenc.core_tasks.recover_pending_invocations" });
    const { tasks, page, stored } = await list(app);
    expect(tasks.map((task) => [task.task_id_key, task.core, task.triggers.map((row) => row.trigger_id)])).toEqual([
      ["pynenc.core_tasks.recover_pending_invocations", true, ["t3"]],
      ["shop.pay", false, ["t1", "t2"]],
    ]);
    expect([page.total, page.has_next, stored]).toEqual([3, false, true]);
  });

  it("has pages, across which a task may continue", async () => {
    const app = memoryApp();
    for (let n = 0; n < 5; n++) app.trigger(`t${n}`);
    const second = await list(app, { page: ["2"], limit: ["2"] });
    expect(second.tasks).toMatchObject([
      { task_id_key: "shop.pay", triggers: [{ trigger_id: "t2" }, { trigger_id: "t3" }] },
    ]);
    expect(second.page).toMatchObject({ number: 2, total: 5, has_next: true, first_row: 3 });
    expect(rowsOf(await list(app, { page: ["3"], limit: ["2"] }))).toHaveLength(1);
    expect(() => list(app, { limit: ["201"] })).toThrow(InvalidInputError);
  });

  it("has no total if triggers are stored elsewhere", async () => {
    const { stored, page } = await list(memoryApp({ capabilities: { components } }));
    expect([stored, page.total]).toEqual([false, null]);
    expect((await list(memoryApp())).page.total).toBe(0);
  });

  it("has the first five conditions in words and the number of all, with null for an unregistered one", async () => {
    const ids = ["c1", "gone", "c3", "c4", "c5", "c6"];
    const app = memoryApp().condition("c1", paid).trigger("t", { condition_ids: ids, logic_value: "and" });
    const [row] = rowsOf(await list(app));
    expect(row).toMatchObject({
      logic_value: "and",
      conditions_count: 6,
      argument_provider: expect.stringContaining("none"),
    });
    expect(row?.conditions).toEqual([
      { condition_id: "c1", sentence: "event paid" },
      ...["c3", "c4", "c5", "c6"].map((condition_id) => ({ condition_id, sentence: null })),
    ]);
  });

  it("has the next time of the earliest schedule, and null without a schedule", async () => {
    const app = memoryApp({ now: at(30) })
      .condition("hourly", cron("0 * * * *"))
      .condition("often", cron("*/5 * * * *"))
      .condition("paid", paid)
      .trigger("t1", { condition_ids: ["hourly", "paid", "often"] })
      .trigger("t2", { condition_ids: ["paid", "gone"] });
    expect(rowsOf(await list(app)).map((row) => row.next_time)).toEqual([isoFromEpoch(at(300)), null]);
  });

  it("has the pending conditions of all triggers on every page", async () => {
    const valid = "valid_condition_paid_context_event_paid_e1";
    const context = {
      context_type: "EventContext",
      data: { event_id: "e1", event_code: "paid" },
      timestamp: isoFromEpoch(at(5)),
    };
    const app = memoryApp()
      .runner("r1")
      .condition("paid", paid)
      .trigger("a", { condition_ids: ["other"] })
      .trigger("b", { condition_ids: ["paid"] })
      .validCondition(valid, { condition: JSON.stringify(paid), context: JSON.stringify(context) });
    const first = await list(app, { limit: ["1"] });
    expect(rowsOf(first)).toMatchObject([{ trigger_id: "a", waiting: null }]);
    expect(first.pending).toMatchObject({ total: 1, rows: [{ valid_condition_id: valid }] });
    expect(rowsOf(await list(app))[1]).toMatchObject({ waiting: { state: "ready", met: 1, of: 1 } });
  });
});

describe("the detail of a trigger", () => {
  it("has its task, its logic and its conditions, with the times of each schedule", async () => {
    const app = memoryApp({ now: at(30) })
      .condition("often", cron("*/5 * * * *"), at(-7))
      .condition("paid", paid)
      .trigger("t", {
        task_id_key: "pynenc.core_tasks.x",
        logic_value: "and",
        condition_ids: ["often", "paid", "gone"],
      });
    const detail = await triggerDetail(app.opened, "t");
    expect(detail).toMatchObject({
      trigger_id: "t",
      task_id_key: "pynenc.core_tasks.x",
      core: true,
      logic_value: "and",
      conditions_count: 3,
      waiting: null,
      pending: { total: 0 },
    });
    expect(detail.conditions).toMatchObject([
      { condition_id: "gone", registered: false, type: null, last_cron_execution: null, next_times: [], met: false },
      {
        condition_id: "often",
        registered: true,
        type: "CronCondition",
        last_cron_execution: isoFromEpoch(at(-7)),
        next_times: [300, 600, 900, 1_200, 1_500].map((seconds) => isoFromEpoch(at(seconds))),
        met: false,
      },
      { condition_id: "paid", registered: true, last_cron_execution: null, next_times: [], met: false },
    ]);
  });

  it("has the first hundred conditions and the number of all", async () => {
    const condition_ids = Array.from({ length: 101 }, (_, n) => `c${n}`);
    const detail = await triggerDetail(memoryApp().trigger("t", { condition_ids }).opened, "t");
    expect([detail.conditions.length, detail.conditions_count]).toEqual([100, 101]);
  });

  it("has the source of the arguments, and the values of fixed ones", async () => {
    const json = fixed({ amount: "5", name: '"Ann"' });
    const app = memoryApp().trigger("t", { argument_provider_json: json }).trigger("bare");
    const { argument_provider } = await triggerDetail(app.opened, "t");
    expect(argument_provider).toMatchObject({ type: "StaticArgumentProvider", json });
    expect(argument_provider.sentence).toBe("fixed arguments");
    expect(argument_provider.arguments.map(({ name, value }) => [name, (value.resolved ?? value.stored).text])).toEqual(
      [
        ["amount", "5"],
        ["name", '"Ann"'],
      ],
    );
    expect((await triggerDetail(app.opened, "bare")).argument_provider).toMatchObject({
      type: null,
      arguments: [],
      json: null,
    });
  });

  it("has at most a hundred arguments and 10,000 characters of the stored text", async () => {
    const values = Object.fromEntries(
      Array.from({ length: 101 }, (_, n) => [`a${n}`, JSON.stringify("x".repeat(200))]),
    );
    const app = memoryApp().trigger("t", { argument_provider_json: fixed(values) });
    const { argument_provider } = await triggerDetail(app.opened, "t");
    expect([argument_provider.arguments.length, argument_provider.json?.length]).toEqual([100, 10_000]);
  });

  it("fails with not found if no runner registered it", async () => {
    await expect(triggerDetail(memoryApp().opened, "t")).rejects.toThrow(NotFoundError);
    await expect(triggerDetail(memoryApp().opened, "t")).rejects.toMatchObject({
      hint: expect.stringContaining("Runners register the triggers of their tasks"),
    });
  });
});

describe("the trigger runs of a trigger", () => {
  it("are the latest twenty of its own, with the number of all", async () => {
    const app = memoryApp().trigger("t");
    for (let n = 0; n < 21; n++) app.triggerRun(`r${n}`, { trigger_id: "t", executed_at: at(n) });
    app.triggerRun("of another", { trigger_id: "t2", executed_at: at(99) });
    const { trigger_runs, ...counts } = await triggerDetail(app.opened, "t");
    expect(trigger_runs.map((run) => run.trigger_run_id)).toEqual(Array.from({ length: 20 }, (_, n) => `r${20 - n}`));
    expect(counts).toMatchObject({ trigger_runs_count: 21, trigger_runs_capped: false, events_recorded: true });
  });

  it("are counted if a schedule started them outside its times, as it does after the start of a runner", async () => {
    const app = memoryApp().condition("hourly", cron("0 * * * *")).condition("paid", paid);
    app.trigger("t", { condition_ids: ["hourly", "paid"] });
    for (const [n, minute] of [0, 0.9, 2.5, 35, 60].entries()) {
      const met = { context_type: "CronContext", condition_id: "hourly", context_timestamp: at(minute * 60) };
      app.triggerRun(`r${n}`, { trigger_id: "t", executed_at: at(minute * 60 + 1), participants: [met] });
    }
    app.triggerRun("event", {
      trigger_id: "t",
      participants: [{ event_id: "e", condition_id: "paid", context_timestamp: at(1_500) }],
    });
    const detail = await triggerDetail(app.opened, "t");
    expect([detail.trigger_runs_count, detail.off_schedule]).toEqual([6, 2]);
    expect(triggerOwnRunsPart(detail).note).toBe(
      "2 of these 6 runs were off schedule: a schedule without a recorded last execution fires at once, as after the start of a runner.",
    );
    expect(triggerOwnRunsPart({ ...detail, off_schedule: 0 }).note).toBeNull();
  });

  it("are null in number if the layout records none", async () => {
    const app = memoryApp({ capabilities: { events: false } }).trigger("t");
    expect(await triggerDetail(app.opened, "t")).toMatchObject({
      events_recorded: false,
      trigger_runs: [],
      trigger_runs_count: null,
      no_runs: "pynenc records trigger runs since 0.2.4; this store is older.",
    });
  });

  it("are searched among the newest 5,000, with a lower bound as the number and a note on older ones", async () => {
    const app = memoryApp()
      .trigger("t")
      .trigger("rare")
      .triggerRun("rare run", { trigger_id: "rare", executed_at: at(0) });
    for (let n = 0; n < 5_000; n++) app.triggerRun(`r${n}`, { trigger_id: "t", executed_at: at(1 + n) });
    const often = await triggerDetail(app.opened, "t");
    expect(often).toMatchObject({ trigger_runs_count: 5_000, trigger_runs_capped: true, no_runs: null });
    const rare = await triggerDetail(app.opened, "rare");
    expect(rare).toMatchObject({ trigger_runs: [], trigger_runs_count: 0, trigger_runs_capped: true });
    expect(rare.no_runs).toBe("No run among the newest 5,000 trigger runs; older ones were not searched.");
    const never = await triggerDetail(memoryApp().trigger("never").opened, "never");
    expect(never).toMatchObject({ trigger_runs_capped: false, no_runs: "No runs recorded." });
  });
});
