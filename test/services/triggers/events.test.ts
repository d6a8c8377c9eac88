/** Events: the list with its filters, the export, one event with what it met and caused, and markers of a window. */
import { describe, expect, it } from "vitest";
import type { EventList } from "../../../src/api/events.ts";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { eventApi, eventTriggerRuns } from "../../../src/services/triggers/event-api.ts";
import { eventDetail } from "../../../src/services/triggers/event-detail.ts";
import { eventMarkers } from "../../../src/services/triggers/event-markers.ts";
import { exportEvents, listEvents, parseEventInput, unknownEventCode } from "../../../src/services/triggers/events.ts";
import { counting, storeWith } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { validEvent } from "../../support/valid-event.ts";

const list = (app: MemoryApp, raw: RawInput = {}) => listEvents(app.opened, parseEventInput(raw, at(100)));
const idsOf = ({ events }: EventList) => events.map((row) => row.event_id);
const iso = (seconds: number) => isoFromEpoch(at(seconds));
const withoutTriggers = {
  broker: true,
  orchestrator: true,
  state_backend: true,
  client_data_store: true,
  trigger: false,
};

/** Four events a second apart: one met nothing, one met a condition, one started an invocation, one is of another code. */
function events(): MemoryApp {
  return memoryApp()
    .invocation("started")
    .event("plain", { timestamp: at(0) })
    .event("met", { timestamp: at(1), matched_condition_ids: ["c"], valid_condition_ids: ["v"] })
    .event("acted", { timestamp: at(2), matched_condition_ids: ["c", "d"], emitted_by_invocation_id: "emitter" })
    .event("other", { timestamp: at(3), event_code: "paid" })
    .triggerRun("run", { participants: [{ event_id: "acted" }], triggered_invocation_id: "started" });
}

describe("the list of events", () => {
  it("has a note with a similar code for an unknown code, and none for a code that other filters exclude", async () => {
    const notes = async (raw: RawInput) => (await list(events(), raw)).notes;
    expect(await notes({ event_code: ["order.craeted"] })).toEqual([
      'No event code "order.craeted" is known; did you mean order.created?',
    ]);
    expect(await notes({ event_code: ["nothing like it"] })).toEqual([
      'No event code "nothing like it" is known. Known: order.created, paid.',
    ]);
    expect(await notes({ event_code: ["paid"], matched: ["yes"] })).toEqual([]);
    expect(await notes({ event_code: ["paid"] })).toEqual([]);
  });

  it("has no note on an unknown code for one that only a condition names", async () => {
    const app = events().condition("event#refunded#static_no_args", {});
    expect((await list(app, { event_code: ["refunded"] })).notes).toEqual([]);
    expect(await unknownEventCode(app.opened, { event_code: "refunded" })).toEqual([]);
    expect(await unknownEventCode(app.opened, { event_code: "refund" })).toMatchObject([{ name: "refund" }]);
  });

  it("has all events, newest first, with what each met and started", async () => {
    const all = await list(events());
    expect(idsOf(all)).toEqual(["other", "acted", "met", "plain"]);
    expect(all).toMatchObject({
      unrecorded: null,
      page: { number: 1, size: 25, total: 4, total_capped: false, has_next: false },
      filter: { event_code: null, from: null, to: null, matched: "all", triggered: "all" },
      codes: ["order.created", "paid"],
    });
    expect(all.events[1]).toEqual({
      event_id: "acted",
      event_code: "order.created",
      timestamp: iso(2),
      matched: true,
      matched_conditions: 2,
      triggered: true,
      triggered_invocation_ids: ["started"],
      triggered_task_id_keys: ["shop.pay"],
      triggered_invocations_count: 1,
      emitted_by_invocation_id: "emitter",
      emitted_by_task_id: null,
      emitted_by_runner_context_id: null,
    });
    expect(all.events[3]).toMatchObject({
      matched: false,
      matched_conditions: 0,
      triggered: false,
      triggered_invocations_count: 0,
    });
  });

  it.each<[RawInput, string[]]>([
    [{ event_code: ["paid"] }, ["other"]],
    [{ matched: ["yes"] }, ["acted", "met"]],
    [{ matched: ["no"] }, ["other", "plain"]],
    [{ triggered: ["yes"] }, ["acted"]],
    [{ triggered: ["no"] }, ["other", "met", "plain"]],
    [{ from: [iso(1)] }, ["other", "acted", "met"]],
    [{ to: [iso(1)] }, ["met", "plain"]],
    [{ from: [iso(1)], to: [iso(1)] }, ["met"]],
    [{ matched: ["yes"], triggered: ["no"] }, ["met"]],
    [{ event_code: ["none"] }, []],
  ])("filtered by %j has exactly the matching events", async (raw, ids) => {
    const filtered = await list(events(), raw);
    expect([idsOf(filtered), filtered.page.total]).toEqual([ids, ids.length]);
  });

  it("repeats the filter as it was read", () => {
    const raw = {
      event_code: ["paid"],
      from: ["2026-01-05T12:00"],
      to: [iso(1)],
      matched: ["yes"],
      triggered: ["no"],
    };
    expect(parseEventInput({ ...raw, page: ["2"], limit: ["10"] }, at(100))).toEqual({
      filter: { event_code: "paid", from: iso(0), to: iso(1), matched: "yes", triggered: "no" },
      conditions: { event_code: "paid", from: at(0), to: at(1), matched: true, triggered: false },
      page: { number: 2, size: 10 },
    });
    expect(parseEventInput({}, at(100)).conditions).toEqual({});
  });

  it("refuses unreadable parameters, and a range that ends before it begins", () => {
    expect(() => parseEventInput({ matched: ["maybe"] }, at(100))).toThrow(InvalidInputError);
    expect(() => parseEventInput({ limit: ["201"] }, at(100))).toThrow(InvalidInputError);
    const backwards = { from: [iso(1)], to: [iso(0)] };
    expect(() => parseEventInput(backwards, at(100))).toThrow(
      `from: "${iso(1)}" is not accepted; it is later than the end, "${iso(0)}"; were the two swapped?`,
    );
    expect(parseEventInput({ from: [iso(1)], to: [iso(1)] }, at(100)).conditions).toEqual({ from: at(1), to: at(1) });
  });

  it("names three of the invocations that an event started, and counts all", async () => {
    const app = memoryApp().event("e");
    for (let n = 0; n < 5; n++) app.link("e", `i${n}`, `r${n}`, at(n));
    expect((await list(app)).events).toMatchObject([
      { triggered_invocation_ids: ["i0", "i1", "i2"], triggered_invocations_count: 5 },
    ]);
  });

  it("names the tasks of the invocations that events started, in one read for all of them", async () => {
    const app = memoryApp().event("e").event("f");
    for (const [at, id] of ["pack", "ship", "gone"].entries()) app.link(id === "ship" ? "f" : "e", id, `r${at}`, at);
    app.invocation("pack", { task: "shop.pack" }).invocation("ship", { task: "shop.ship" });
    const { store, calls } = counting(app.store);
    const { events: found } = await listEvents({ ...app.opened, store }, parseEventInput({}, at(100)));
    const started = Object.fromEntries(found.map((one) => [one.event_id, one.triggered_task_id_keys]));
    expect(started).toEqual({ e: ["shop.pack", null], f: ["shop.ship"] });
    const few = counting(memoryApp().event("e").store);
    await listEvents({ ...app.opened, store: few.store }, parseEventInput({}, at(100)));
    expect(calls() - few.calls()).toBeLessThanOrEqual(2);
  });

  it("has pages", async () => {
    const page = async (number: number) => {
      const { events: rows, page: place } = await list(events(), { page: [`${number}`], limit: ["3"] });
      return [rows.map((row) => row.event_id), place.first_row, place.last_row, place.has_next, place.total];
    };
    expect(await page(1)).toEqual([["other", "acted", "met"], 1, 3, true, 4]);
    expect(await page(2)).toEqual([["plain"], 4, 4, false, 4]);
  });

  it("has no list of codes if there are more than 300", async () => {
    const coded = (count: number) => {
      const app = memoryApp();
      for (let n = 0; n < count; n++) app.event(`e${n}`, { event_code: `c${n}` });
      return list(app);
    };
    expect((await coded(300)).codes).toHaveLength(300);
    expect((await coded(301)).codes).toBeNull();
  });

  it("has an exact total up to 10,000, and a lower bound above", async () => {
    const app = memoryApp().event("e");
    const grow = (to: number) =>
      app.change((rows) => {
        const [event] = rows.events;
        while (rows.events.length < to && event !== undefined)
          rows.events.push({ ...event, event_id: `e${rows.events.length}` });
      });
    grow(10_000);
    expect((await list(app)).page).toMatchObject({ total: 10_000, total_capped: false });
    grow(10_001);
    expect((await list(app)).page).toMatchObject({ total: 10_000, total_capped: true });
  });

  it("says why events are not recorded, instead of being just empty", async () => {
    const old = await list(memoryApp({ capabilities: { events: false } }));
    expect(old).toMatchObject({ events: [], codes: [], page: { total: null } });
    expect(old.unrecorded).toContain("since 0.2.4; this store is from 0.3.0 to 0.3.1");
    const elsewhere = await list(memoryApp({ capabilities: { events: false, components: withoutTriggers } }));
    expect(elsewhere.unrecorded).toContain("in memory or in another store");
  });
});

describe("an export of events", () => {
  const linesOf = async (app: MemoryApp, format: "csv" | "jsonl", raw: RawInput = {}) => {
    const chunks: string[] = [];
    for await (const chunk of exportEvents(app.opened, parseEventInput(raw, at(100)).conditions, format))
      chunks.push(chunk);
    return chunks.join("").trimEnd().split(/\r?\n/);
  };

  it("has each matching event once, newest first, across its batches", async () => {
    const app = memoryApp();
    // Many at one instant: a batch may end among them.
    for (let n = 0; n < 1_001; n++) app.event(`e${String(n).padStart(4, "0")}`, { timestamp: at(n < 600 ? 1 : 2) });
    const [, ...rows] = await linesOf(app, "csv");
    expect(rows.map((row) => row.split(",")[0])).toEqual(
      Array.from({ length: 1_001 }, (_, n) => `e${String(1_000 - n).padStart(4, "0")}`),
    );
    expect(await linesOf(app, "csv", { to: [iso(1)] })).toHaveLength(601);
  });

  it("has a column for each fact, and the same as JSON lines", async () => {
    const [head, ...rows] = await linesOf(events(), "csv", { triggered: ["yes"] });
    expect(head).toBe(
      "event_id,event_code,timestamp,matched_conditions,triggered_invocations_count,emitted_by_invocation_id,emitted_by_task_id,emitted_by_runner_context_id",
    );
    expect(rows).toEqual([`acted,order.created,${iso(2)},2,1,emitter,,`]);
    const [line = "{}"] = await linesOf(events(), "jsonl", { triggered: ["yes"] });
    expect(JSON.parse(line)).toMatchObject({
      event_id: "acted",
      matched_conditions: 2,
      triggered_invocations_count: 1,
    });
  });
});

describe("the detail of an event", () => {
  const paid = { condition_type: "EventCondition", data: { event_code: "paid", payload_filter: "" } };

  it("has its emitter, its payload, and the invocations that it started", async () => {
    const key = clientDataKey('"large"');
    const app = memoryApp()
      .value('"large"')
      .context("r1")
      .invocation("emitter", { task: "shop.order" })
      .invocation("i1")
      .event("e", {
        event_code: "paid",
        timestamp: at(5),
        payload: { amount: "5", text: key },
        emitted_by_invocation_id: "emitter",
        emitted_by_task_id: "shop.order",
        emitted_by_runner_context_id: "r1",
      })
      .triggerRun("late", { participants: [{ event_id: "e" }], executed_at: at(9), triggered_invocation_id: "i1" })
      .triggerRun("early", { participants: [{ event_id: "e" }], executed_at: at(7) });
    const event = await eventDetail(app.opened, "e");
    expect(event).toMatchObject({
      event_id: "e",
      event_code: "paid",
      timestamp: iso(5),
      matched: false,
      triggered: true,
      emitted_by_task_id: "shop.order",
      emitter: { invocation_id: "emitter", task_id_key: "shop.order" },
      emitter_runner: { runner_id: "r1", context_missing: false },
      trigger_runs_truncated: false,
      triggered_invocations: [{ invocation_id: "i1" }],
      triggered_invocations_count: 1,
      triggered_invocations_capped: false,
      timeline: { selected: "emitter", inv_ids: "emitter,i1", focus_event: "e" },
      pending: [],
      notes: [],
    });
    expect(event.payload.map(({ name, value }) => [name, (value.resolved ?? value.stored).text])).toEqual([
      ["amount", "5"],
      ["text", '"large"'],
    ]);
    expect(event.trigger_runs.map((run) => run.trigger_run_id)).toEqual(["early", "late"]);
    expect(event.caused.roots).toMatchObject([{ kind: "event", id: "e", focus: true }]);
    expect(event.led_to_it?.roots).toMatchObject([{ kind: "invocation", id: "emitter" }]);
  });

  it("without an emitter has no causes", async () => {
    expect(await eventDetail(memoryApp().event("e", { payload: null }).opened, "e")).toMatchObject({
      emitter: null,
      emitter_runner: null,
      led_to_it: null,
      payload: [],
      triggered: false,
      triggered_invocations: [],
      triggered_invocations_count: 0,
      notes: [],
    });
  });

  it("has the conditions that it met, in order, then others of the same code that triggers use", async () => {
    const app = memoryApp()
      .condition("met", paid)
      .condition("watched", paid)
      .condition("of another code", { ...paid, data: { event_code: "refused" } })
      .condition("without a trigger", paid)
      .trigger("t", { condition_ids: ["met", "watched", "of another code"] })
      .validCondition("v1")
      .event("e", { event_code: "paid", matched_condition_ids: ["met", "gone"], valid_condition_ids: ["v1", "v2"] });
    expect((await eventDetail(app.opened, "e")).conditions).toEqual([
      {
        condition_id: "met",
        matched: true,
        valid_condition_id: "v1",
        valid_condition_retained: true,
        known: true,
        sentence: "event paid",
      },
      {
        condition_id: "gone",
        matched: true,
        valid_condition_id: "v2",
        valid_condition_retained: false,
        known: false,
        sentence: "gone",
      },
      {
        condition_id: "watched",
        matched: false,
        valid_condition_id: null,
        valid_condition_retained: false,
        known: true,
        sentence: "event paid",
      },
    ]);
  });

  it("looks for pending ones among the first hundred conditions that it met", async () => {
    const ids = Array.from({ length: 101 }, (_, n) => `v${n}`);
    const app = memoryApp().event("e", { matched_condition_ids: ids, valid_condition_ids: ids });
    for (const id of ids) app.validCondition(id);
    const { pending, conditions } = await eventDetail(app.opened, "e");
    expect(pending.map((row) => row.valid_condition_id)).toEqual(ids.slice(0, 100));
    expect(conditions).toHaveLength(101);
  });

  it("has no valid condition if its record names none", async () => {
    const { conditions, matched } = await eventDetail(
      memoryApp().event("e", { matched_condition_ids: ["c"] }).opened,
      "e",
    );
    expect([matched, conditions]).toMatchObject([
      true,
      [{ valid_condition_id: null, valid_condition_retained: false }],
    ]);
  });

  it("says how many of the met conditions its record does not name", async () => {
    const notes = async (matched_conditions: number, named: number) => {
      const matched_condition_ids = Array.from({ length: named }, (_, n) => `c${n}`);
      const app = memoryApp().event("e", { matched_condition_ids });
      // The list counts conditions in rows of their own, the record names them.
      const read: typeof app.opened.store.read = (fn) =>
        app.opened.store.read((reads) =>
          fn({
            ...reads,
            trigger: Object.create(reads.trigger, {
              listEvents: {
                value: async (...args: Parameters<typeof reads.trigger.listEvents>) =>
                  (await reads.trigger.listEvents(...args)).map((row) => ({ ...row, matched_conditions })),
              },
            }),
          }),
        );
      const detail = await eventDetail({ ...app.opened, store: storeWith(app.opened.store, read) }, "e");
      return [detail.matched, detail.notes.join()];
    };
    expect(await notes(1, 1)).toEqual([true, ""]);
    expect(await notes(0, 0)).toEqual([false, ""]);
    expect(await notes(1, 0)).toEqual([true, expect.stringMatching(/ 1 condition, .* none of them/)]);
    expect(await notes(3, 1)).toEqual([true, expect.stringMatching(/ 3 conditions, .* only 1 of them/)]);
  });

  it("has a trace of 300 nodes", async () => {
    const app = memoryApp().event("e");
    for (let n = 0; n < 400; n++) app.invocation(`i${n}`, { event: "e" });
    const { caused } = await eventDetail(app.opened, "e");
    expect([caused.nodes, caused.truncated]).toEqual([300, true]);
  });

  it("has a note that its emitter is missing, and none if a part of the emitter is left", async () => {
    const app = () => memoryApp().event("e", { emitted_by_invocation_id: "i" });
    expect((await eventDetail(app().opened, "e")).notes).toEqual([
      "The invocation that emitted the event is not in this store.",
    ]);
    for (const part of [{ status: null, history: [] }, { definition: null }])
      expect((await eventDetail(app().invocation("i", part).opened, "e")).notes).toEqual([]);
  });

  it("has 100 trigger runs and 50 invocations, is marked if there are more, and counts up to 1,000", async () => {
    const app = memoryApp().event("e");
    const start = (count: number) => {
      for (let n = app.rows((rows) => rows.links.length); n < count; n++) app.link("e", `i${n}`, `r${n}`, at(n));
      return eventDetail(app.opened, "e");
    };
    for (let n = 0; n < 100; n++) app.triggerRun(`r${n}`, { participants: [{ event_id: "e" }] });
    expect(await start(1_000)).toMatchObject({
      trigger_runs_truncated: false,
      triggered_invocations_count: 1_000,
      triggered_invocations_capped: false,
    });
    app.triggerRun("one more", { participants: [{ event_id: "e" }] });
    const more = await start(1_001);
    expect(more).toMatchObject({
      trigger_runs_truncated: true,
      triggered_invocations_count: 1_000,
      triggered_invocations_capped: true,
    });
    expect([more.trigger_runs.length, more.triggered_invocations.length]).toEqual([100, 50]);
  });

  it("fails with not found, with the reason if events are not recorded at all", async () => {
    await expect(eventDetail(memoryApp().opened, "e")).rejects.toThrow(NotFoundError);
    await expect(eventDetail(memoryApp().opened, "e")).rejects.toMatchObject({ hint: null });
    const old = memoryApp({ capabilities: { events: false } }).opened;
    for (const asked of [eventDetail(old, "e"), eventApi(old, "e"), eventTriggerRuns(old, "e")])
      await expect(asked).rejects.toMatchObject({ hint: expect.stringContaining("since 0.2.4") });
  });
});

describe("an event as JSON", () => {
  it("has its trigger runs and a summary of each invocation that either names", async () => {
    const app = memoryApp()
      .invocation("emitter")
      .invocation("started")
      .event("e", { emitted_by_invocation_id: "emitter" })
      .triggerRun("run", {
        participants: [{ event_id: "e" }, { source_invocation_id: "source" }],
        triggered_invocation_id: "started",
      });
    const { event, trigger_runs, trigger_runs_truncated, invocation_summaries } = await eventApi(app.opened, "e");
    expect(event).toMatchObject({ event_id: "e", triggered: true, triggered_invocation_ids: ["started"] });
    expect(trigger_runs).toMatchObject([{ trigger_run_id: "run", source_invocation_ids: ["source"] }]);
    expect(trigger_runs_truncated).toBe(false);
    expect(Object.keys(invocation_summaries).sort()).toEqual(["emitter", "source", "started"]);
    expect(invocation_summaries.emitter).toMatchObject({ task_id_key: "shop.pay", func_name: "pay" });
    expect(await eventTriggerRuns(app.opened, "e")).toEqual({ trigger_runs, trigger_runs_truncated });
  });

  it("has no summaries if nothing names it", async () => {
    expect(await eventApi(memoryApp().event("e").opened, "e")).toMatchObject({
      trigger_runs: [],
      invocation_summaries: {},
    });
  });

  it("has at most 1,000 trigger runs, and is marked if there are more", async () => {
    const app = memoryApp().event("e");
    for (let n = 0; n < 1_000; n++) app.triggerRun(`r${n}`, { participants: [{ event_id: "e" }] });
    expect((await eventTriggerRuns(app.opened, "e")).trigger_runs_truncated).toBe(false);
    app.triggerRun("one more", { participants: [{ event_id: "e" }] });
    const { trigger_runs, trigger_runs_truncated } = await eventTriggerRuns(app.opened, "e");
    expect([trigger_runs.length, trigger_runs_truncated]).toEqual([1_000, true]);
  });
});

describe("event markers of a window", () => {
  const markers = (raw: RawInput, app = events()) => eventMarkers(app.opened, { from: [iso(0)], to: [iso(9)], ...raw });
  const ids = async (raw: RawInput) => (await markers(raw)).markers.map((marker) => marker.event_id);

  it("are its events, oldest first, both ends included", async () => {
    expect(await ids({})).toEqual(["plain", "met", "acted", "other"]);
    expect(await ids({ from: [iso(1)], to: [iso(2)] })).toEqual(["met", "acted"]);
    expect((await markers({ from: [iso(2)], to: [iso(2)] })).markers).toEqual([
      {
        event_id: "acted",
        event_code: "order.created",
        timestamp: iso(2),
        matched: true,
        triggered: true,
        emitted_by_invocation_id: "emitter",
        emitted_by_task_id: null,
        emitted_by_runner_context_id: null,
      },
    ]);
  });

  it.each([
    ["all", ["plain", "met", "acted", "other"]],
    ["matched", ["met", "acted"]],
    ["unmatched", ["plain", "other"]],
    ["triggered", ["acted"]],
    ["untriggered", ["plain", "met", "other"]],
  ])("are restricted by state %s", async (state, expected) => {
    expect(await ids({ state: [state] })).toEqual(expected);
  });

  it("are restricted by code", async () => {
    expect(await ids({ event_code: ["paid"] })).toEqual(["other"]);
  });

  it("have a limit and an offset, and say whether there are more and how many in all", async () => {
    expect(await markers({ limit: ["2"], offset: ["1"] })).toMatchObject({
      unrecorded: null,
      markers: [{ event_id: "met" }, { event_id: "acted" }],
      total: 4,
      truncated: true,
    });
    expect(await markers({ limit: ["2"], offset: ["2"] })).toMatchObject({
      markers: [{ event_id: "acted" }, { event_id: "other" }],
      truncated: false,
      total: 4,
    });
    expect(await markers({ limit: ["2"], offset: ["3"] })).toMatchObject({
      markers: [{ event_id: "other" }],
      truncated: false,
    });
  });

  it("can have a limit of up to 5,000", async () => {
    expect((await markers({ limit: ["5000"] })).markers).toHaveLength(4);
    await expect(markers({ limit: ["5001"] })).rejects.toThrow(InvalidInputError);
  });

  it("are refused without a window, or with one that ends before it begins", async () => {
    const asked = (raw: RawInput) => eventMarkers(events().opened, raw);
    await expect(asked({})).rejects.toMatchObject({
      problems: [expect.objectContaining({ parameter: "from" }), expect.objectContaining({ parameter: "to" })],
    });
    await expect(asked({ from: [iso(0)] })).rejects.toMatchObject({ problems: [{ parameter: "to" }] });
    await expect(asked({ from: [iso(1)], to: [iso(0)] })).rejects.toThrow(InvalidInputError);
  });

  it("are marked as unrecorded if the layout has no events", async () => {
    const old = memoryApp({ capabilities: { events: false } });
    expect(await markers({}, old)).toMatchObject({
      unrecorded: expect.stringContaining("since 0.2.4"),
      markers: [],
      total: null,
      truncated: false,
    });
  });
});

describe("the counts of events over time", () => {
  const counts = async (app: MemoryApp, raw: RawInput = {}) =>
    (await listEvents({ ...app.opened, now: () => at(100) }, parseEventInput(raw, at(100)), true)).over_time;
  const sum = (all: readonly number[] = []) => all.reduce((total, n) => total + n, 0);

  it("cover the list in slices of a round length from its first event to the present", async () => {
    expect(await counts(events())).toMatchObject({ from: iso(0), slice_seconds: 2, to: iso(100) });
    expect((await counts(events()))?.counts.slice(0, 3)).toEqual([2, 2, 0]);
    expect((await counts(events()))?.counts).toHaveLength(50);
  });

  it.each([
    [{ event_code: ["paid"] }, 1],
    [{ matched: ["yes"] }, 2],
    [{ triggered: ["no"] }, 3],
    [{ from: [iso(1)], to: [iso(2)] }, 2],
    [{ from: [iso(0.5)], to: [iso(3)], matched: ["no"] }, 1],
  ])("for %j add up to the total of the list", async (raw, expected) => {
    expect(sum((await counts(events(), raw))?.counts)).toBe(expected);
    expect((await list(events(), raw)).page.total).toBe(expected);
  });

  it("exist only for pages, and only if there are events", async () => {
    expect((await list(events())).over_time).toBeNull();
    expect(await counts(memoryApp())).toBeNull();
    expect(await counts(events(), { event_code: ["nothing"] })).toBeNull();
  });

  it("of the same code surround an event on its page, up to now", async () => {
    const app = events().event("near", { event_code: "paid", timestamp: at(3 - 11 * 3_600) });
    app.event("far", { event_code: "paid", timestamp: at(3 - 13 * 3_600) });
    const { around } = await eventDetail(app.opened, "other", true);
    expect([sum(around?.counts), around?.slice_seconds]).toEqual([2, 900]);
    const end = Date.parse(around?.to ?? "") / 1_000;
    expect([end >= app.opened.now(), end <= app.opened.now() + 900]).toEqual([true, true]);
    expect((await eventDetail(app.opened, "other")).around).toBeNull();
    // From the first of them: nothing is known of the time before.
    const begin = Date.parse(around?.from ?? "") / 1_000;
    expect(at(3 - 11 * 3_600) - begin).toBeLessThan(900);
    const alone = (await eventDetail(memoryApp().event("e", { timestamp: at(3) }).opened, "e", true)).around;
    expect([alone?.counts[0], sum(alone?.counts)]).toEqual([1, 1]);
  });
});

describe("pages of events by cursor", () => {
  const pageOf = (app: MemoryApp, raw: RawInput) => listEvents(app.opened, parseEventInput(raw, at(100), "list"));

  it("do not shift while events are added", async () => {
    const app = memoryApp();
    const add = (n: number, second: number) =>
      app.event(`e:${n}`, { timestamp: at(second), event_code: n % 3 === 0 ? "paid" : "made" });
    // Several of one moment.
    for (let n = 0; n < 20; n++) add(n, Math.floor(n / 4));
    let next = 100;
    for (const filter of [{}, { event_code: ["paid"] }] as Record<string, string[]>[]) {
      const expected = idsOf(await pageOf(app, { ...filter, limit: ["100"] }));
      const met: string[] = [];
      for (let after: string | null = ""; after !== null; ) {
        const given = { ...filter, limit: ["3"], ...(after === "" ? {} : { after: [after] }) };
        const list: EventList = await pageOf(app, given);
        expect(list.page.total === null).toBe(after !== "");
        met.push(...idsOf(list));
        add(next++, 50);
        after = list.older;
      }
      expect(met).toEqual(expected);
    }
  });

  it("are empty for an invalid cursor, which cannot be combined with a page number", async () => {
    for (const place of ["x", ":", "1", "9".repeat(399), "[", "\u0000"]) {
      expect([place, idsOf(await pageOf(events(), { after: [place] }))]).toEqual([place, []]);
    }
    expect(() => parseEventInput({ after: ["1:x"], page: ["2"] }, at(100), "list")).toThrow(/cannot be combined/);
    expect(() => parseEventInput({ after: ["1:x"] }, at(100))).toThrow(/after/);
  });
});

it("an event without a record fails with not found, and the hint names the valid condition with its id", async () => {
  const app = memoryApp().validCondition("valid_condition_paid_gone", validEvent("gone-event"));
  const hint = async (id: string) => {
    const error: unknown = await eventDetail(app.opened, id).catch((thrown: unknown) => thrown);
    return error instanceof NotFoundError ? error.hint : error;
  };
  expect(await hint("gone-event")).toBe("The valid condition valid_condition_paid_gone names it.");
  expect(await hint("other-event")).toBeNull();
});
