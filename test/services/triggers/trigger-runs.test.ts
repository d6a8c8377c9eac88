/** Trigger runs: lists, and what is said where what took part is gone. */
import { describe, expect, it } from "vitest";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import {
  listTriggerRuns,
  type RunAddresses,
  triggerRunApi,
  triggerRunDetail,
} from "../../../src/services/triggers/trigger-runs.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the total of a list of trigger runs", () => {
  it("is exact without a filter; with one it is a lower bound where counting stopped, and exact below that", async () => {
    const app = memoryApp();
    for (let n = 0; n < 9_999; n++) app.triggerRun(`run ${n}`, { executed_at: at(n) });
    const page = async (raw: Record<string, string[]>) => (await listTriggerRuns(app.opened, raw)).page;
    expect(await page({ trigger: ["t1"] })).toMatchObject({ total: 9_999, total_capped: false });
    expect(await page({ trigger: ["t2"] })).toMatchObject({ total: 0, total_capped: false });
    app.triggerRun("one").triggerRun("two");
    expect(await page({ trigger: ["t1"] })).toMatchObject({ total: 10_000, total_capped: true });
    expect(await page({})).toMatchObject({ total: 10_001, total_capped: false });
  });

  it("is not known where older runs were not looked at, and the list says how far it looked", async () => {
    const app = memoryApp().triggerRun("oldest", { executed_at: at(0), trigger_id: "rare" });
    for (let n = 1; n < 10_000; n++) app.triggerRun(`run ${n}`, { executed_at: at(n) });
    const list = (raw: Record<string, string[]>) => listTriggerRuns(app.opened, raw);
    const seen = async (raw: Record<string, string[]>) => {
      const { trigger_runs, page, notes } = await list(raw);
      return [trigger_runs.map((run) => run.trigger_run_id), page.total, page.total_capped, notes];
    };
    expect(await seen({ trigger: ["rare"] })).toEqual([["oldest"], 1, false, []]);
    app.triggerRun("newest", { executed_at: at(10_000), trigger_id: "common" });
    const REACH =
      "The newest 10,000 trigger runs were looked at; older ones may match too. To look further back, end the time range earlier.";
    expect(await seen({ trigger: ["rare"] })).toEqual([[], null, false, [REACH]]);
    expect(await seen({ kind: ["cron"] })).toEqual([[], null, false, [REACH]]);
    expect(await seen({ trigger: ["common"] })).toEqual([["newest"], null, false, [REACH]]);
    expect((await seen({ trigger: ["t1"], page_size: ["1"] }))[3]).toEqual([]);
    expect(await seen({ trigger: ["rare"], end: [isoFromEpoch(at(9_999))] })).toEqual([["oldest"], 1, false, []]);
    expect((await list({})).notes).toEqual([]);
    expect(await list({ task: ["shop.pay"] })).toMatchObject({
      notes: [],
      page: { total: 10_000, total_capped: true },
    });
  });

  it("is not known where the layout records no runs", async () => {
    const app = memoryApp({ capabilities: { events: false } });
    const list = await listTriggerRuns(app.opened, {});
    expect([list.events_recorded, list.page.total, list.trigger_runs]).toEqual([false, null, []]);
  });
});

describe("a list of trigger runs", () => {
  const app = memoryApp()
    .invocation("started")
    .trigger("t1")
    .trigger("other", { task_id_key: "shop.ship" })
    .triggerRun("by event", {
      executed_at: at(10),
      participants: [{ event_id: "e" }],
      triggered_invocation_id: "started",
    })
    .triggerRun("by status", { executed_at: at(20), participants: [{ source_invocation_id: "s" }], trigger_id: "gone" })
    .triggerRun("claimed", { claimed_at: at(30), executed_at: null, task_id_key: "shop.ship" });
  const ids = async (raw: Record<string, string>) => {
    const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
    return (await listTriggerRuns(app.opened, given)).trigger_runs.map((run) => run.trigger_run_id);
  };

  it("is newest first, and restricted by task, trigger, time and kind of cause", async () => {
    expect(await ids({})).toEqual(["claimed", "by status", "by event"]);
    expect(await ids({ task: "shop.ship" })).toEqual(["claimed"]);
    expect(await ids({ trigger: "gone" })).toEqual(["by status"]);
    expect(await ids({ start: isoFromEpoch(at(20)) })).toEqual(["claimed", "by status"]);
    expect(await ids({ end: isoFromEpoch(at(20)) })).toEqual(["by status", "by event"]);
    expect(await ids({ kind: "event" })).toEqual(["by event"]);
    expect(await ids({ kind: "cron" })).toEqual([]);
    expect(await ids({ page: "2", page_size: "2" })).toEqual(["by event"]);
  });

  it("refuses an end before the start, and takes them when they are the same", async () => {
    const [start, end] = [isoFromEpoch(at(20)), isoFromEpoch(at(10))];
    await expect(ids({ start, end })).rejects.toBeInstanceOf(InvalidInputError);
    expect(await ids({ start, end: start })).toEqual(["by status"]);
  });

  it("says whether the trigger is still registered, and what was started", async () => {
    const { trigger_runs, task_id_keys } = await listTriggerRuns(app.opened, {});
    expect(
      trigger_runs.map((run) => [run.trigger_run_id, run.trigger_registered, run.triggered_invocation?.status ?? null]),
    ).toEqual([
      ["claimed", true, null],
      ["by status", false, null],
      ["by event", true, "registered"],
    ]);
    expect(task_id_keys).toEqual(["shop.pay", "shop.ship"]);
  });

  it("tells the first three causes of each, and how many there are", async () => {
    const many = memoryApp().triggerRun("run", { participants: [1, 2, 3, 4].map((n) => ({ event_id: `e${n}` })) });
    const [run] = (await listTriggerRuns(many.opened, {})).trigger_runs;
    expect([run?.causes.map((cause) => cause.event_id), run?.causes_count]).toEqual([["e1", "e2", "e3"], 4]);
  });
});

const EVENT_CONDITION = JSON.stringify({ condition_type: "EventCondition", data: { event_code: "paid" } });

/** What a valid condition keeps of an event that met a condition. */
const validEvent = (event_id: string) => ({
  condition: EVENT_CONDITION,
  context: JSON.stringify({
    context_type: "EventContext",
    timestamp: "2026-01-05T12:00:00+00:00",
    data: { event_id, event_code: "paid", payload: { amount: "5" } },
  }),
});

describe("a trigger run", () => {
  it("shows who took part while everything is stored", async () => {
    const app = memoryApp()
      .trigger("t1", { condition_ids: ["c"] })
      .condition("c", JSON.parse(EVENT_CONDITION))
      .validCondition("v", validEvent("e"))
      .event("e", { event_code: "paid", payload: { amount: "5" } })
      .context("service")
      .invocation("started")
      .triggerRun("run", {
        triggered_invocation_id: "started",
        atomic_service_runner_id: "service",
        participants: [{ event_id: "e", condition_id: "c", valid_condition_id: "v" }],
      });
    const run = await triggerRunDetail(app.opened, "run");
    expect(run).toMatchObject({
      trigger_registered: true,
      core: false,
      atomic_service_runner: { runner_id: "service", context_missing: false },
      triggered_invocation: { invocation_id: "started", status: "registered" },
      sources: [],
      events_gone: [],
      conditions: [],
      truncated: false,
      notes: [],
    });
    expect(run.events.map((event) => [event.event_id, event.triggered_invocation_ids])).toEqual([["e", ["started"]]]);
    expect(run.events[0]).not.toHaveProperty("payload");
    const [participant] = run.participant_views;
    expect(participant).toMatchObject({
      condition: { condition_id: "c", registered: true, type: "EventCondition" },
      context: { source: "live", event_id: "e" },
      valid_condition_retained: true,
      source: null,
      event_stored: true,
    });
    expect(run.timeline).toMatchObject({ selected: "started", focus_event: "e" });
  });

  it("says what is gone, and tells what is left", async () => {
    const app = memoryApp().triggerRun("run", {
      executed_at: at(3),
      triggered_invocation_id: "gone",
      participants: [
        { event_id: "e", condition_id: "c", valid_condition_id: "v", context_summary: "code:paid" },
        { source_invocation_id: "s", context_type: "StatusContext", context_summary: "status:SUCCESS task:shop.pay" },
      ],
    });
    const run = await triggerRunDetail(app.opened, "run");
    expect(run).toMatchObject({
      trigger_registered: false,
      atomic_service_runner: null,
      events: [],
      events_gone: ["e"],
    });
    expect(run.triggered_invocation).toMatchObject({ invocation_id: "gone", status: "unknown" });
    expect(run.participant_views).toMatchObject([
      {
        condition: { condition_id: "c", registered: false, type: null },
        context: { source: "snapshot", event_code: "paid" },
        valid_condition_id: "v",
        valid_condition_retained: false,
        event_stored: false,
      },
      { context: { source: "snapshot", status: "success", task_id_key: "shop.pay" }, source: { invocation_id: "s" } },
    ]);
  });

  it("does not show what a later failure of the same exception left under a shared id", async () => {
    const context = {
      context_type: "ExceptionContext",
      timestamp: "2026-01-05T12:00:00+00:00",
      data: { invocation_id: "later", exception_type: "ValueError" },
    };
    const app = memoryApp()
      .validCondition("v", { condition: EVENT_CONDITION, context: JSON.stringify(context) })
      .triggerRun("run", {
        participants: [{ source_invocation_id: "s", valid_condition_id: "v", context_type: "ExceptionContext" }],
      })
      .triggerRun("later run", {
        participants: [{ source_invocation_id: "later", valid_condition_id: "v", context_type: "ExceptionContext" }],
      });
    const sourceOf = async (id: string) =>
      (await triggerRunDetail(app.opened, id)).participant_views[0]?.context.source;
    expect([await sourceOf("run"), await sourceOf("later run")]).toEqual(["snapshot", "live"]);
    expect((await triggerRunDetail(app.opened, "run")).notes).toEqual([
      expect.stringMatching(/only the latest is kept/),
      expect.any(String),
    ]);
  });

  it("tells what the run kept where the valid condition cannot be read", async () => {
    const app = memoryApp()
      .change((rows) => rows.valid_conditions.push({ valid_condition_id: "v", valid_condition_json: "{" }))
      .triggerRun("run", {
        participants: [{ event_id: "e", valid_condition_id: "v", context_summary: "code:paid" }],
      });
    expect((await triggerRunDetail(app.opened, "run")).participant_views).toMatchObject([
      { context: { source: "snapshot", event_code: "paid" }, valid_condition_retained: true },
    ]);
  });

  it("says what is special about it", async () => {
    const notes = async (given: Parameters<ReturnType<typeof memoryApp>["triggerRun"]>[1]) =>
      (await triggerRunDetail(memoryApp().triggerRun("run", given).opened, "run")).notes.join("\n");
    const event = [{ event_id: "e" }];
    expect(await notes({ participants: event, triggered_invocation_id: "i" })).toBe("");
    expect(await notes({ participants: event })).toBe("The run names no invocation that it started.");
    expect(await notes({ participants: event, executed_at: null })).toBe(
      "The run was claimed, and no execution is recorded.",
    );
    expect(await notes({ triggered_invocation_id: "i" })).toMatch(/^The record names no participants/);
  });

  it("shows the conditions of a record without participants", async () => {
    const app = memoryApp()
      .condition("c", JSON.parse(EVENT_CONDITION))
      .triggerRun("run", { condition_ids: ["c", "gone"] });
    const { conditions } = await triggerRunDetail(app.opened, "run");
    expect(conditions.map((view) => [view.condition_id, view.type])).toEqual([
      ["c", "EventCondition"],
      ["gone", null],
    ]);
  });

  it("shows the first 200 of many that took part, and says so", async () => {
    const participants = Array.from({ length: 201 }, (_, n) => ({ event_id: `e${n}` }));
    const app = memoryApp()
      .triggerRun("many", { participants, triggered_invocation_id: "i" })
      .triggerRun("enough", { participants: participants.slice(1), triggered_invocation_id: "i" });
    const many = await triggerRunDetail(app.opened, "many");
    expect([many.participants.length, many.event_ids.length, many.truncated]).toEqual([200, 200, true]);
    expect(many.notes).toEqual(["More than 200 took part; the first 200 are shown."]);
    expect(await triggerRunDetail(app.opened, "enough")).toMatchObject({ truncated: false, notes: [] });
  });

  it("is not found, and why, depends on the layout", async () => {
    const hint = async (events: boolean) =>
      triggerRunDetail(memoryApp({ capabilities: { events } }).opened, "nobody").catch((error: unknown) => error);
    expect(await hint(true)).toBeInstanceOf(NotFoundError);
    expect(await hint(true)).toMatchObject({ hint: expect.stringMatching(/removed with the events/) });
    expect(await hint(false)).toMatchObject({ hint: expect.stringMatching(/records no trigger runs/) });
  });
});

const ADDRESSES: RunAddresses = {
  timeline: ({ start_date }) => `/timeline?${start_date}`,
  condition: (id) => `/condition/${id}`,
  validCondition: (id) => `/valid/${id}`,
};

describe("a trigger run as JSON", () => {
  it("links what has a page, and nothing that has none", async () => {
    const app = memoryApp()
      .trigger("t1")
      .condition("c", JSON.parse(EVENT_CONDITION))
      .validCondition("v", validEvent("e"))
      .triggerRun("run", {
        triggered_invocation_id: "i",
        participants: [
          { event_id: "e", condition_id: "c", valid_condition_id: "v" },
          { event_id: "e2", condition_id: "gone", valid_condition_id: "cleared", context_summary: "code:paid" },
        ],
      });
    const json = await triggerRunApi(app.opened, "run", ADDRESSES);
    expect(json).toMatchObject({
      show_participant_event_column: true,
      show_participant_source_column: false,
      timeline_url: expect.stringMatching(/^\/timeline\?2026-/),
      trigger_registered: true,
      truncated: false,
    });
    expect(json.condition_details.map((view) => [view.id, view.available, view.detail_url])).toEqual([
      ["c", true, "/condition/c"],
      ["gone", false, null],
    ]);
    expect(json.participants).toMatchObject([
      {
        condition_view: { detail_url: "/condition/c", type: "EventCondition" },
        context_view: { available: true, source: "live" },
        valid_condition_view: { available: true, detail_url: "/valid/v" },
      },
      {
        condition_view: { detail_url: null, available: false },
        context_view: { available: true, source: "snapshot", summary: "code:paid" },
        valid_condition_view: { available: false, detail_url: null },
      },
    ]);
  });

  it("shortens long ids in the middle", async () => {
    const long = `condition#${"x".repeat(40)}#end`;
    const app = memoryApp().triggerRun("run", { participants: [{ event_id: "e", condition_id: long }] });
    const [participant] = (await triggerRunApi(app.opened, "run", ADDRESSES)).participants;
    expect(participant).toMatchObject({ condition_view: { id_short: `${long.slice(0, 22)}...${long.slice(-12)}` } });
    expect(participant).toMatchObject({ valid_condition_view: { id: null, id_short: null } });
  });

  it("tells of an invocation that is gone what the run kept of it", async () => {
    const app = memoryApp()
      .invocation("here", { history: [[at(0), "registered"]] })
      .triggerRun("run", {
        participants: ["here", "gone"].map((source_invocation_id) => ({
          source_invocation_id,
          context_summary: "status:FAILED task:shop.ship",
        })),
      });
    const json = await triggerRunApi(app.opened, "run", ADDRESSES);
    expect(json.show_participant_source_column).toBe(true);
    expect(json.invocation_summaries).toMatchObject({
      here: { status: "registered", task_id_key: "shop.pay" },
      gone: { status: "failed", task_id_key: "shop.ship", func_name: "ship" },
    });
  });
});
