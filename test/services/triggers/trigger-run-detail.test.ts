/** One trigger run, with notes where participants are missing. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { triggerRunDetail } from "../../../src/services/triggers/trigger-run-detail.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { EVENT_CONDITION, validEvent } from "../../support/valid-event.ts";

describe("a trigger run", () => {
  it("has its participants if everything is stored", async () => {
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

  it("has notes on what is missing, and shows what is left", async () => {
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

  it("does not show a later failure that took over the id of its valid condition", async () => {
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

  it("shows its own stored summary if the valid condition is unreadable", async () => {
    const app = memoryApp()
      .change((rows) => rows.valid_conditions.push({ valid_condition_id: "v", valid_condition_json: "{" }))
      .triggerRun("run", {
        participants: [{ event_id: "e", valid_condition_id: "v", context_summary: "code:paid" }],
      });
    expect((await triggerRunDetail(app.opened, "run")).participant_views).toMatchObject([
      { context: { source: "snapshot", event_code: "paid" }, valid_condition_retained: true },
    ]);
  });

  it("has notes on what it started, on a missing execution, and on missing participants", async () => {
    const notes = async (given: Parameters<ReturnType<typeof memoryApp>["triggerRun"]>[1]) =>
      (await triggerRunDetail(memoryApp().triggerRun("run", given).opened, "run")).notes.join("\n");
    const event = [{ event_id: "e" }];
    expect(await notes({ participants: event, triggered_invocation_id: "i" })).toBe("");
    expect(await notes({ participants: event })).toBe("No started invocation is recorded.");
    expect(await notes({ participants: event, executed_at: null })).toBe("Claimed, but not recorded as run.");
    expect(await notes({ triggered_invocation_id: "i" })).toMatch(
      /^Which condition was met, and by what, is not recorded/,
    );
  });

  it("has the conditions of a record without participants", async () => {
    const app = memoryApp()
      .condition("c", JSON.parse(EVENT_CONDITION))
      .triggerRun("run", { condition_ids: ["c", "gone"] });
    const { conditions } = await triggerRunDetail(app.opened, "run");
    expect(conditions.map((view) => [view.condition_id, view.type])).toEqual([
      ["c", "EventCondition"],
      ["gone", null],
    ]);
  });

  it("has the first 200 participants, with a note if there are more", async () => {
    const participants = Array.from({ length: 201 }, (_, n) => ({ event_id: `e${n}` }));
    const app = memoryApp()
      .triggerRun("many", { participants, triggered_invocation_id: "i" })
      .triggerRun("enough", { participants: participants.slice(1), triggered_invocation_id: "i" });
    const many = await triggerRunDetail(app.opened, "many");
    expect([many.participants.length, many.event_ids.length, many.truncated]).toEqual([200, 200, true]);
    expect(many.notes).toEqual(["Only the first 200 participants are shown."]);
    expect(await triggerRunDetail(app.opened, "enough")).toMatchObject({ truncated: false, notes: [] });
  });

  it("that is unknown fails with not found, with a hint that depends on the layout", async () => {
    const hint = async (events: boolean) =>
      triggerRunDetail(memoryApp({ capabilities: { events } }).opened, "nobody").catch((error: unknown) => error);
    expect(await hint(true)).toBeInstanceOf(NotFoundError);
    expect(await hint(true)).toMatchObject({ hint: expect.stringMatching(/removed with the events/) });
    expect(await hint(false)).toMatchObject({
      hint: expect.stringMatching(/records trigger runs since 0\.2\.4; this store is older/),
    });
  });
});
