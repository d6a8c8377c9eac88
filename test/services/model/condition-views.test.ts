/** Conditions and what met them, from registrations, valid conditions and stored summaries. */
import { describe, expect, it } from "vitest";
import type { ParticipantRecord } from "../../../src/pynenc/records.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import {
  conditionView,
  contextItems,
  contextView,
  readValidCondition,
  snapshotContext,
  storedStrings,
} from "../../../src/services/model/condition-views.ts";
import { SHOWN_CHARACTERS, valueReader } from "../../../src/services/model/stored-values.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const EVENT = { condition_type: "EventCondition", data: { event_code: "paid", payload_filter: '{"a": 1}' } };
const record = (json: string) => ({ condition_id: "c", condition_json: json, last_cron_execution: null });

describe("a condition", () => {
  it("is shown by its registration: type, words, members", () => {
    const view = conditionView("c", record(JSON.stringify(EVENT)));
    expect(view).toMatchObject({ condition_id: "c", registered: true, type: "EventCondition" });
    expect(view.sentence).toContain("paid");
    expect(view.items).toEqual([
      { key: "event_code", label: "Event Code", render: "value", value: "paid", multiline: false },
      { key: "payload_filter", label: "Payload Filter", render: "value", value: '{\n  "a": 1\n}', multiline: true },
    ]);
  });

  it("is shown from a valid condition if it is not registered, and from its registration otherwise", () => {
    const retained = JSON.stringify(EVENT);
    expect(conditionView("c", undefined, retained)).toMatchObject({ registered: false, type: "EventCondition" });
    const cron = JSON.stringify({ condition_type: "CronCondition", data: { cron_expression: "* * * * *" } });
    expect(conditionView("c", record(cron), retained).type).toBe("CronCondition");
  });

  it("is shown with its id alone when neither a registration nor a valid condition is left", () => {
    expect(conditionView("c", undefined)).toEqual({
      condition_id: "c",
      registered: false,
      type: null,
      sentence: null,
      items: [],
    });
  });

  it("shows its statuses as badges and every other member as text", () => {
    const data = { task_id: "shop.pay", statuses: ["success", 7], weird__name: null, nested: { a: [1] } };
    const { items } = conditionView("c", record(JSON.stringify({ condition_type: "StatusCondition", data })));
    expect(items).toEqual([
      { key: "task_id", label: "Task Id", render: "value", value: "shop.pay", multiline: false },
      { key: "statuses", label: "Statuses", render: "status_badges", statuses: ["success", "7"] },
      { key: "weird__name", label: "Weird Name", render: "value", value: "null", multiline: false },
      { key: "nested", label: "Nested", render: "value", value: expect.stringContaining('"a"'), multiline: true },
    ]);
  });

  it("shows at most 50 members and 50 statuses, and cuts long texts, JSON or not", () => {
    const shown = (data: unknown) => {
      const json = JSON.stringify({ condition_type: "StatusCondition", data });
      return conditionView("c", record(json)).items;
    };
    const texts = { plain: "x".repeat(SHOWN_CHARACTERS + 1), json: `{${"x".repeat(SHOWN_CHARACTERS)}` };
    expect(shown(texts).map((item) => (item.render === "value" ? item.value.length : null))).toEqual([
      SHOWN_CHARACTERS,
      SHOWN_CHARACTERS,
    ]);
    const names = Array.from({ length: 51 }, (_, n) => `n${n}`);
    expect(shown(Object.fromEntries(names.map((name) => [name, 1]))).map(({ key }) => key)).toEqual(names.slice(0, 50));
    expect(shown({ statuses: names })).toMatchObject([{ statuses: names.slice(0, 50) }]);
  });

  it.each(["", "{", "[]", '"text"', "null", '{"data": 7}'])("with unreadable JSON has no members: %j", (json) => {
    expect(conditionView("c", record(json)).items).toEqual([]);
  });
});

const show = async (context: NonNullable<ReturnType<typeof readValidCondition>["context"]>) => {
  const app = memoryApp();
  return app.store.read(async (reads) => contextView(context, await valueReader(reads, storedStrings(context))));
};

describe("what met a condition", () => {
  const valid = (context: unknown) =>
    readValidCondition(JSON.stringify({ condition: JSON.stringify(EVENT), context: JSON.stringify(context) })).context;

  it("is shown in full from the valid condition while that is retained", async () => {
    const context = valid({
      context_type: "EventContext",
      timestamp: "2026-01-05T12:00:00+00:00",
      data: { event_id: "e", event_code: "paid", payload: { amount: "5" } },
    });
    if (context === null) throw new Error("not read");
    const view = await show(context);
    expect(view).toMatchObject({
      type: "EventContext",
      source: "live",
      timestamp: isoFromEpoch(at(0)),
      timestamp_is_local: false,
      event_id: "e",
      invocation_id: null,
      arguments: null,
      result: null,
    });
    expect(view.payload?.map(({ name, value }) => [name, value.stored.text])).toEqual([["amount", "5"]]);
    expect(contextItems(view).map(({ key }) => key)).toEqual(["event_id", "event_code", "payload"]);
  });

  it("has an empty payload for an event without one, and no payload at all for another kind of context", () => {
    const data = { event_id: "e", event_code: "paid" };
    const payload = (context_type: string) => valid({ context_type, timestamp: "2026-01-05T12:00:00", data })?.payload;
    expect(payload("EventContext")).toEqual({});
    expect(payload("StatusContext")).toBeNull();
  });

  it("has the arguments and the result of an invocation", async () => {
    const data = { invocation_id: "i", status_value: "success", arguments_json: { x: "1" }, result: '"ok"' };
    const context = valid({ context_type: "ResultContext", timestamp: "2026-01-05T12:00:00", data });
    if (context === null) throw new Error("not read");
    expect(storedStrings(context)).toEqual(["1", '"ok"']);
    const view = await show(context);
    expect(view).toMatchObject({ timestamp_is_local: true, status: "success", payload: null });
    const items = Object.fromEntries(
      contextItems(view).map((item) => [item.key, item.render === "value" ? item.value : null]),
    );
    expect(items).toEqual({
      invocation_id: "i",
      status_value: "success",
      arguments_json: '{\n  "x": "1"\n}',
      result: '"ok"',
    });
  });

  it("has the exception of an invocation, its message cut, or the previous execution of a schedule", async () => {
    const message = "m".repeat(SHOWN_CHARACTERS + 1);
    const failed = valid({
      context_type: "ExceptionContext",
      timestamp: "2026-01-05T12:00:00+00:00",
      data: { invocation_id: "i", call_id_key: "shop.pay:x", exception_type: "ValueError", exception_message: message },
    });
    if (failed === null) throw new Error("not read");
    expect(failed.arguments).toEqual({});
    expect(contextItems(await show(failed)).map((item) => [item.key, "value" in item ? item.value : null])).toEqual([
      ["invocation_id", "i"],
      ["call_id_key", "shop.pay:x"],
      ["arguments_json", "{}"],
      ["exception_type", "ValueError"],
      ["exception_message", message.slice(0, SHOWN_CHARACTERS)],
    ]);
    const due = valid({
      context_type: "CronContext",
      timestamp: "2026-01-05T12:00:05+00:00",
      data: { last_execution: "2026-01-05T12:00:00+00:00" },
    });
    if (due === null) throw new Error("not read");
    expect(due.arguments).toBeNull();
    expect(contextItems(await show(due))).toMatchObject([{ key: "last_execution", value: isoFromEpoch(at(0)) }]);
  });

  it.each(["", "[]", "{}", '{"context": 7, "condition": 7}', '{"context": "{}"}'])(
    "is unknown when the valid condition reads %j",
    (json) => {
      expect(readValidCondition(json)).toEqual({ condition_json: null, context: null });
    },
  );

  it("is rebuilt from the event and the summary in the trigger run when the valid condition is gone", async () => {
    const participant: ParticipantRecord = {
      context_type: "EventContext",
      condition_id: "c",
      valid_condition_id: "v",
      event_id: "e",
      source_invocation_id: null,
      context_timestamp: at(3),
      context_summary: "code:paid",
    };
    const bare = snapshotContext(participant, undefined);
    expect(bare).toMatchObject({
      view: { type: "EventContext", source: "snapshot", timestamp: isoFromEpoch(at(3)), event_code: "paid" },
      payload: null,
      arguments: null,
      result: null,
    });
    const app = memoryApp().event("e", { event_code: "paid.late", emitted_by_invocation_id: "i", payload: { a: "1" } });
    const [event] = await app.store.read((reads) => reads.trigger.eventsByIds(["e"]));
    expect(snapshotContext(participant, event)).toMatchObject({
      view: { event_code: "paid.late", emitted_by_invocation_id: "i" },
      payload: { a: "1" },
    });
  });

  it("shows at most 100 names of a payload", () => {
    const payload = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`n${n}`, "1"]));
    const context = valid({ context_type: "EventContext", timestamp: null, data: { event_id: "e", payload } });
    expect(context === null ? 0 : storedStrings(context).length).toBe(100);
  });
});
