import { afterAll, beforeAll, expect, it } from "vitest";
import type { EventPosition } from "../../../../src/stores/ports/trigger.ts";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { type SmallApp, smallApps } from "../small-app.ts";

const ALL = { limit: 100, offset: 0 };
const LARGE = "x".repeat(300_000);

function eventOf(event_id: string, ms: number, payload: Record<string, string> = {}, more: object = {}) {
  const record = {
    event_id,
    event_code: "order",
    payload,
    matched_condition_ids: ["c1", "c2"],
    valid_condition_ids: [],
  };
  return {
    event_id,
    event_code: "order",
    timestamp: new Date(ms),
    matched: true,
    triggered: false,
    triggered_invocation_ids: [],
    emitted_by_invocation_id: "emitter",
    payload_json: JSON.stringify(record).replaceAll('":', '": ').replaceAll(',"', ', "'),
    ...more,
  };
}

describeWithMongo("events in MongoDB", () => {
  const open = smallApps();
  let small: SmallApp;

  beforeAll(async () => {
    small = open();
    const events = small.collection("trg_events");
    await events.createIndex({ timestamp: -1 });
    await events.insertMany([
      eventOf("before", 1_000),
      ...["a", "b", "c", "d"].map((id) => eventOf(id, 2_000)),
      eventOf("started", 3_000, {}, { triggered: true, triggered_invocation_ids: ["i1", "i2"] }),
      eventOf("large", 4_000, { note: LARGE }),
    ]);
  });
  afterAll(() => small.close());

  it("that were emitted in the same millisecond are each listed once by cursor, and also if the last one is gone", async () => {
    const whole = await small.read(({ trigger }) => trigger.listEvents({}, ALL));
    expect(whole.map((event) => event.event_id)).toEqual(["large", "started", "a", "b", "c", "d", "before"]);
    for (const [at, { event_id, timestamp }] of whole.entries()) {
      const after: EventPosition = { event_id, timestamp };
      const rest = await small.read(({ trigger }) => trigger.listEvents({}, ALL, "newest", after));
      expect(rest).toEqual(whole.slice(at + 1));
    }
    const gone = { event_id: "gone", timestamp: 2 };
    const rest = await small.read(({ trigger }) => trigger.listEvents({}, ALL, "newest", gone));
    expect(rest.map((event) => event.event_id)).toEqual(["before"]);
  });

  it("are read without a payload that is too large, with all that follows it", async () => {
    const read = async (bytes?: number) =>
      (await small.read(({ trigger }) => trigger.eventsByIds(["large"], bytes)))[0];
    expect(await read()).toMatchObject({ payload: { note: LARGE }, matched_condition_ids: ["c1", "c2"] });
    const cut = await read(1_000);
    expect(cut).toMatchObject({ payload: null, matched_condition_ids: ["c1", "c2"] });
    expect(cut?.whole_size).toBe(LARGE.length + '{"note": ""}'.length);
    const [listed] = await small.read(({ trigger }) => trigger.listEvents({}, { limit: 1, offset: 0 }));
    expect(listed).toMatchObject({ event_id: "large", matched_conditions: 2, triggered: false });
  });

  it("are triggered if their list of invocations has one, whatever else they say", async () => {
    const ids = async (triggered: boolean) =>
      (await small.read(({ trigger }) => trigger.listEvents({ triggered }, ALL))).map((event) => event.event_id);
    expect(await ids(true)).toEqual(["started"]);
    expect(await ids(false)).toEqual(["large", "a", "b", "c", "d", "before"]);
    const links = await small.read(({ trigger }) => trigger.triggeredBy(["started", "a"], { each: 1 }));
    expect(links).toEqual([{ event_id: "started", invocation_id: "i1", trigger_run_id: null, linked_at: null }]);
  });

  it("of a busy emitter do not take the rows of others", async () => {
    const events = small.collection("trg_events");
    await events.insertOne(eventOf("other", 9_000, {}, { emitted_by_invocation_id: "quiet" }));
    const emitted = await small.read(({ trigger }) => trigger.eventsEmittedBy(["emitter", "quiet"], { each: 1 }));
    expect(emitted.map((event) => event.event_id)).toEqual(["before", "other"]);
    await events.deleteOne({ event_id: "other" });
  });
});
