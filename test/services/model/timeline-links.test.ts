/** Links from other pages to the timeline. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { triggerRunObject } from "../../../src/services/model/event-objects.ts";
import {
  eventTimeline,
  invocationTimeline,
  listTimeline,
  runTimeline,
  serviceRunTimeline,
} from "../../../src/services/model/timeline-links.ts";
import { naiveIso } from "../../../src/services/model/timeline-window.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const iso = (seconds: number) => isoFromEpoch(at(seconds));
const window = (start: number, end: number) => ({ start_date: naiveIso(at(start)), end_date: naiveIso(at(end)) });
const lived = (from: number | null, to: number | null) => ({
  registered_at: from === null ? null : iso(from),
  status_at: to === null ? null : iso(to),
});

describe("the timeline link of an invocation", () => {
  it("covers its life with a margin, and its family, each member once", () => {
    expect(invocationTimeline("a", [at(10), at(12)], ["p", "c", "p"])).toEqual({
      ...window(9.7, 12.3),
      selected: "a",
      inv_ids: "a,p,c",
    });
  });

  it("covers what started it if that was at most a minute before", () => {
    expect(invocationTimeline("a", [at(100)], [], [iso(40)])).toMatchObject(window(39.25, 100.75));
    expect(invocationTimeline("a", [at(100)], [], [iso(39.9), null])).toMatchObject(window(99.9, 100.1));
  });

  it("does not exist without a history", () => {
    expect(invocationTimeline("a", [])).toBeNull();
    expect(invocationTimeline("a", [null], [], [iso(0)])).toBeNull();
  });

  it("names no ids if one contains a comma or there are too many", () => {
    expect(invocationTimeline("a", [at(0)], ["odd,id"])).not.toHaveProperty("inv_ids");
    expect(invocationTimeline("a", [at(0)], [""])).not.toHaveProperty("inv_ids");
    const family = Array.from({ length: 199 }, (_, n) => `f${n}`);
    expect(invocationTimeline("a", [at(0)], family)?.inv_ids?.split(",")).toHaveLength(200);
    expect(invocationTimeline("a", [at(0)], [...family, "one more"])).not.toHaveProperty("inv_ids");
  });
});

describe("the timeline link of a trigger run", () => {
  const runOf = async (given: Parameters<ReturnType<typeof memoryApp>["triggerRun"]>[1]) => {
    const [run] = await memoryApp()
      .triggerRun("run", given)
      .store.read((reads) => reads.trigger.triggerRunsByIds(["run"]));
    if (run === undefined) throw new Error("no run");
    return triggerRunObject(run);
  };

  it("covers its causes, the run, and the invocation that it started", async () => {
    const run = await runOf({
      claimed_at: at(10),
      executed_at: at(11),
      triggered_invocation_id: "t",
      participants: [{ event_id: "e", context_timestamp: at(9) }, { source_invocation_id: "s" }],
    });
    expect(runTimeline(run, new Map([["t", lived(11, 14)]]), [iso(8), iso(-100)])).toEqual({
      ...window(7.25, 14.75),
      selected: "t",
      inv_ids: "t,s",
      focus_event: "e",
    });
  });

  it("does not exist if the run and its invocation have no time", async () => {
    const run = await runOf({ claimed_at: null, executed_at: null, triggered_invocation_id: "t" });
    expect(runTimeline(run, new Map(), [iso(0)])).toBeNull();
    expect(runTimeline(run, new Map([["t", lived(0, null)]]), [])).toMatchObject({ selected: "t" });
  });

  it("selects no invocation if the run started none", async () => {
    const link = runTimeline(await runOf({ triggered_invocation_id: null }), new Map(), []);
    expect(link).toEqual(window(-0.1, 0.1));
  });
});

describe("the timeline link of an event", () => {
  it("covers the life of its emitter and what it started soon after", () => {
    const event = { event_id: "e", timestamp: iso(10), emitted_by_invocation_id: "a" };
    const started = [
      { invocation_id: "soon", ...lived(11, 40) },
      { invocation_id: "late", ...lived(71, 80) },
    ];
    expect(eventTimeline(event, lived(9, 12), started)).toEqual({
      ...window(8.55, 12.45),
      selected: "a",
      inv_ids: "a,soon,late",
      focus_event: "e",
    });
  });

  it("without an emitter covers the time around the event", () => {
    const event = { event_id: "e", timestamp: iso(10), emitted_by_invocation_id: null };
    expect(eventTimeline(event, null, [])).toEqual({ ...window(9.9, 10.1), focus_event: "e" });
  });
});

it("the timeline link of a list covers the time from its first registration to its last change", () => {
  const rows = [
    { invocation_id: "a", ...lived(10, 20) },
    { invocation_id: "b", ...lived(12, null) },
    { invocation_id: "gone", ...lived(null, null) },
  ];
  expect(listTimeline(rows)).toEqual({ ...window(9.25, 20.75), inv_ids: "a,b,gone" });
  expect(listTimeline([])).toBeNull();
  expect(listTimeline(rows.slice(2))).toBeNull();
});

it("the timeline link of a service run covers the run, or the time around its start if it has no end", () => {
  expect(serviceRunTimeline(iso(10), iso(12))).toEqual(window(9.7, 12.3));
  expect(serviceRunTimeline(iso(10), null)).toEqual(window(9.9, 10.1));
  expect(serviceRunTimeline("never", null)).toBeNull();
});
