/** Registered conditions and valid conditions. */
import { describe, expect, it } from "vitest";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { conditionDetail } from "../../../src/services/triggers/conditions.ts";
import { validConditionDetail } from "../../../src/services/triggers/valid-conditions.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { EVENT_CONDITION, validEvent } from "../../support/valid-event.ts";

describe("a condition", () => {
  it("is shown with its triggers and its next scheduled times", async () => {
    const app = memoryApp({ now: at(30) })
      .condition("cron", { condition_type: "CronCondition", data: { cron_expression: "*/5 * * * *" } }, at(0))
      .trigger("t2", { condition_ids: ["cron", "c"], task_id_key: "shop.ship" })
      .trigger("t1", { condition_ids: ["cron"], logic_value: "and" })
      .trigger("other", { condition_ids: ["c"] });
    const found = await conditionDetail(app.opened, { condition_id: ["cron"] });
    expect(found).toMatchObject({
      condition: { type: "CronCondition", registered: true },
      last_cron_execution: isoFromEpoch(at(0)),
      triggers_truncated: false,
      triggers: [
        { trigger_id: "t1", task_id_key: "shop.pay", logic_value: "and", conditions: 1 },
        { trigger_id: "t2", task_id_key: "shop.ship", logic_value: "or", conditions: 2 },
      ],
    });
    expect(found.next_times).toEqual([300, 600, 900, 1_200, 1_500].map((seconds) => isoFromEpoch(at(seconds))));
  });

  it("has no next times if it is not a schedule", async () => {
    const app = memoryApp().condition("c", JSON.parse(EVENT_CONDITION));
    const found = await conditionDetail(app.opened, { condition_id: ["c"] });
    expect([found.next_times, found.triggers, found.last_cron_execution]).toEqual([[], [], null]);
    expect(found.never_due).toBe(false);
  });

  it("is marked if it has more than 200 triggers", async () => {
    const app = memoryApp().condition("c", {});
    for (let n = 0; n < 200; n++) app.trigger(`t${n}`, { condition_ids: ["c"] });
    const detail = () => conditionDetail(app.opened, { condition_id: ["c"] });
    expect((await detail()).triggers_truncated).toBe(false);
    app.trigger("one more", { condition_ids: ["c"] });
    expect([(await detail()).triggers.length, (await detail()).triggers_truncated]).toEqual([200, true]);
  });

  it("shows the first 10,000 characters of its text, and twenty of its valid conditions", async () => {
    const long = { condition_type: "EventCondition", data: { event_code: "x".repeat(10_000) } };
    const app = memoryApp().condition("c", long);
    for (let n = 0; n < 21; n++) app.validCondition(`valid_condition_c_context_${n}`);
    const { condition_json, pending } = await conditionDetail(app.opened, { condition_id: ["c"] });
    expect(condition_json).toBe(JSON.stringify(long).slice(0, 10_000));
    expect([pending.rows.length, pending.total, pending.capped]).toEqual([20, 21, false]);
  });

  it("is found by its id as given, including spaces", async () => {
    const app = memoryApp().condition(" c ", {});
    expect((await conditionDetail(app.opened, { condition_id: [" c "] })).condition.condition_id).toBe(" c ");
    await expect(conditionDetail(app.opened, { condition_id: ["c"] })).rejects.toBeInstanceOf(NotFoundError);
    expect(() => conditionDetail(app.opened, {})).toThrow(InvalidInputError);
  });
});

describe("a valid condition", () => {
  const id = "valid_condition_c_context_event_paid_e";
  const detail = (app: ReturnType<typeof memoryApp>) =>
    validConditionDetail(app.opened, { valid_condition_id: [id] }).catch((error: unknown) => error);

  it("is shown with its cause, its triggers, and the trigger runs that used it", async () => {
    const app = memoryApp()
      .condition("c", JSON.parse(EVENT_CONDITION))
      .trigger("t1", { condition_ids: ["c"] })
      .event("e")
      .validCondition(id, validEvent("e"))
      .triggerRun("run", { participants: [{ valid_condition_id: id, event_id: "e" }] });
    expect(await detail(app)).toMatchObject({
      valid_condition_id: id,
      condition: { condition_id: "c", registered: true },
      context: { type: "EventContext", event_id: "e" },
      source: null,
      event_stored: true,
      triggers: [{ trigger_id: "t1" }],
      trigger_run_ids: ["run"],
      too_large: null,
    });
  });

  it("has the condition as it was when met, if that is not registered any more", async () => {
    const app = memoryApp().validCondition(id, validEvent("e"));
    expect(await detail(app)).toMatchObject({
      condition: { condition_id: "", registered: false, type: "EventCondition" },
      event_stored: false,
      triggers: [],
    });
  });

  it("shows the first 10,000 characters of its text, and twenty of the trigger runs that used it", async () => {
    const stored = { ...validEvent("e"), more: "x".repeat(10_000) };
    const app = memoryApp().validCondition(id, stored);
    for (let n = 0; n < 21; n++) app.triggerRun(`run ${n}`, { participants: [{ valid_condition_id: id }] });
    const { valid_condition_json, trigger_run_ids } = await validConditionDetail(app.opened, {
      valid_condition_id: [id],
    });
    expect(valid_condition_json).toBe(JSON.stringify(stored).slice(0, 10_000));
    expect(trigger_run_ids).toHaveLength(20);
  });

  it("that is unreadable is shown as text", async () => {
    const app = memoryApp().change((rows) =>
      rows.valid_conditions.push({ valid_condition_id: id, valid_condition_json: "{" }),
    );
    expect(await detail(app)).toMatchObject({ condition: null, context: null, valid_condition_json: "{" });
  });

  it("that was cleared fails with not found, with the trigger run that used it in the hint", async () => {
    expect(await detail(memoryApp())).toMatchObject({
      hint: "A valid condition is cleared once all its triggers have run.",
    });
    const used = memoryApp().triggerRun("run", { participants: [{ valid_condition_id: id }] });
    expect(await detail(used)).toBeInstanceOf(NotFoundError);
    expect(await detail(used)).toMatchObject({ hint: expect.stringContaining("Trigger run run used it") });
  });
});
