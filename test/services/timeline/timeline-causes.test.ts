/** Events, trigger runs and service runs of a timeline. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { causesIn, causesOfInvocations, serviceRuns } from "../../../src/services/timeline/timeline-causes.ts";
import { parseTimelineInput } from "../../../src/services/timeline/timeline-input.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const WINDOW = { start: at(10), end: at(20), now: at(20) };

const ANY = parseTimelineInput({}, [], at(20));

const drawn = (invocation_id: string, parent_event_id: string | null = null) => ({ invocation_id, parent_event_id });
type Drawn = ReturnType<typeof drawn>;

async function causes(app: MemoryApp, raw: Record<string, string> = {}, invocations: Drawn[] = []) {
  const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
  const input = parseTimelineInput(given, [], at(20));
  const found = await app.store.read((reads) =>
    input.filtered
      ? causesOfInvocations(reads, input, WINDOW, invocations, invocations)
      : causesIn(reads, input, WINDOW, true),
  );
  return {
    events: found.events.map((event) => event.event_id),
    events_total: found.events_total,
    ...(found.event_counts === null ? {} : { event_counts: found.event_counts }),
    runs: found.trigger_runs.map((run) => run.trigger_run_id),
    runs_total: found.trigger_runs_total,
  };
}

describe("a timeline of a window", () => {
  const app = memoryApp()
    .event("before", { timestamp: at(9.9) })
    .event("first", { timestamp: at(10) })
    .event("last", { timestamp: at(20) })
    .event("after", { timestamp: at(20.1) })
    .triggerRun("run before", { executed_at: at(9) })
    .triggerRun("claimed in it", { claimed_at: at(15), executed_at: null })
    .triggerRun("executed in it", { claimed_at: at(1), executed_at: at(20) });

  it("has its events and trigger runs, both ends included", async () => {
    expect(await causes(app)).toEqual({
      events: ["first", "last"],
      events_total: 2,
      runs: ["executed in it", "claimed in it"],
      runs_total: 2,
    });
  });

  it("has only their numbers if there is too much to draw", async () => {
    expect(await app.store.read((reads) => causesIn(reads, ANY, WINDOW, false))).toEqual({
      events: [],
      events_total: 2,
      event_counts: {
        from: isoFromEpoch(WINDOW.start),
        slice_seconds: 0.25,
        slices: 40,
        totals: expect.arrayContaining([1]),
        cap: 1_000,
      },
      trigger_runs: [],
      trigger_runs_total: 2,
    });
  });

  it("has up to 150 events, and above that counts in slices and the focused event", async () => {
    const many = memoryApp();
    for (let n = 0; n < 150; n++) many.event(`e${n}`, { timestamp: at(10 + n / 50) });
    const whole = await causes(many);
    expect([whole.events.length, whole.events.at(-1), whole.events_total, whole.event_counts]).toEqual([
      150,
      "e149",
      150,
      undefined,
    ]);
    // The last instant belongs to the window.
    many.event("at the end", { timestamp: at(20) });
    const counted = await causes(many);
    expect([counted.events, counted.events_total, counted.event_counts?.slices]).toEqual([[], 151, 40]);
    const { totals = [], cap } = counted.event_counts ?? {};
    expect([totals.length, totals.reduce((sum, n) => sum + n, 0), totals.at(-1), cap]).toEqual([40, 151, 1, 1_000]);
    // A quarter of a second each, and so many events in it.
    expect(totals.slice(0, 3).every((n) => n === 12 || n === 13)).toBe(true);
    // In a window that moves on, slices stay where they are; the first and the last count what is in the window.
    const later = await many.store.read((reads) =>
      causesIn(reads, ANY, { ...WINDOW, start: at(10.1), end: at(20.1) }, false),
    );
    expect(later.event_counts).toMatchObject({ from: isoFromEpoch(at(10)), slice_seconds: 0.25, slices: 41 });
    expect(later.event_counts?.totals.slice(1, 40)).toEqual(totals.slice(1, 39).concat(0));
    expect((await causes(many, { focus_event: "e75" })).events).toEqual(["e75"]);
    many.event("far away", { timestamp: at(99) });
    expect((await causes(many, { focus_event: "far away" })).events).toEqual([]);
  });
});

describe("a filtered timeline", () => {
  const app = memoryApp()
    .event("emitted", { timestamp: at(12), emitted_by_invocation_id: "a" })
    .event("emitted later", { timestamp: at(30), emitted_by_invocation_id: "a" })
    .event("of another", { timestamp: at(12), emitted_by_invocation_id: "b" })
    .event("started it", { timestamp: at(11) })
    .event("its parent", { timestamp: at(11), matched_condition_ids: ["c"] })
    .triggerRun("starter", { triggered_invocation_id: "a", participants: [{ event_id: "started it" }] })
    .triggerRun("caused", { triggered_invocation_id: "z", participants: [{ source_invocation_id: "a" }] })
    .triggerRun("foreign", { triggered_invocation_id: "b" });

  it("has the events and trigger runs that its invocations emitted, caused or came from", async () => {
    const found = await causes(app, { inv_ids: "a" }, [drawn("a", "its parent")]);
    expect(found.events.sort()).toEqual(["emitted", "its parent", "started it"]);
    expect(found.runs.sort()).toEqual(["caused", "starter"]);
    expect([found.events_total, found.runs_total]).toEqual([3, 2]);
  });

  it("has the focused event", async () => {
    expect((await causes(app, { inv_ids: "x", focus_event: "of another" }, [drawn("x")])).events).toEqual([
      "of another",
    ]);
  });

  it("has at most 150 events and 300 trigger runs, and counts further ones that were read", async () => {
    const many = memoryApp();
    for (let n = 0; n < 510; n++) many.event(`e${n}`, { timestamp: at(12), emitted_by_invocation_id: "a" });
    for (let n = 0; n < 510; n++) many.triggerRun(`r${n}`, { participants: [{ source_invocation_id: "a" }] });
    many.triggerRun("starter", { triggered_invocation_id: "a" });
    const found = await causes(many, { inv_ids: "a" }, [drawn("a")]);
    expect([found.events.length, found.events_total, found.runs.length, found.runs_total]).toEqual([
      150, 151, 300, 302,
    ]);
  });

  it("has at most 300 of the trigger runs that started its invocations", async () => {
    const many = memoryApp();
    for (let n = 0; n < 510; n++) many.triggerRun(`r${n}`, { triggered_invocation_id: "a" });
    const found = await causes(many, { inv_ids: "a" }, [drawn("a")]);
    expect([found.runs.length, found.runs_total]).toEqual([300, 301]);
  });

  it("has an event and a trigger run once, even if several of its invocations name them", async () => {
    const shared = memoryApp()
      .event("e", { timestamp: at(12), emitted_by_invocation_id: "a" })
      .triggerRun("run", {
        triggered_invocation_id: "b",
        participants: [{ event_id: "e" }, { source_invocation_id: "a" }],
      });
    expect(await causes(shared, { inv_ids: "a,b", focus_event: "e" }, [drawn("a"), drawn("b", "e")])).toEqual({
      events: ["e"],
      events_total: 1,
      runs: ["run"],
      runs_total: 1,
    });
  });

  it("says of its events whether they met conditions and started something", async () => {
    const input = parseTimelineInput({ inv_ids: ["a"] }, [], at(20));
    const found = await app.store.read((reads) =>
      causesOfInvocations(reads, input, WINDOW, [drawn("a")], [drawn("a", "its parent")]),
    );
    const told = Object.fromEntries(found.events.map((event) => [event.event_id, [event.matched, event.triggered]]));
    expect(told).toEqual({
      emitted: [false, false],
      "started it": [false, true],
      "its parent": [true, false],
    });
  });
});

it("a trigger run on the timeline has its participants as causes", async () => {
  const app = memoryApp().triggerRun("run", {
    claimed_at: at(10),
    executed_at: null,
    triggered_invocation_id: "t",
    atomic_service_run_id: "s",
    atomic_service_runner_id: "r1",
    participants: [
      { source_invocation_id: "a", context_type: "ResultContext", context_timestamp: at(9) },
      { context_type: "SomeNewContext" },
    ],
  });
  const found = await app.store.read((reads) => causesIn(reads, parseTimelineInput({}, [], at(20)), WINDOW, true));
  expect(found.trigger_runs).toEqual([
    {
      trigger_run_id: "run",
      task_id_key: "shop.pay",
      claimed_at: isoFromEpoch(at(10)),
      executed_at: null,
      triggered_invocation_id: "t",
      atomic_service_run_id: "s",
      atomic_service_runner_id: "r1",
      causes: [
        { kind: "result", event_id: null, source_invocation_id: "a", timestamp: isoFromEpoch(at(9)) },
        { kind: null, event_id: null, source_invocation_id: null, timestamp: null },
      ],
    },
  ]);
});

it("service runs that overlap the window are drawn, or only counted", async () => {
  const app = memoryApp()
    .execution("ended before", { start_time: at(1), end_time: at(9) })
    .execution("into it", { start_time: at(1), end_time: at(10) })
    .execution("goes on", { start_time: at(2), end_time: null, status: "running" })
    .execution("after", { start_time: at(21), end_time: at(22) });
  const drawnRuns = await app.store.read((reads) => serviceRuns(reads, WINDOW, true));
  expect(drawnRuns).toEqual({
    runs: [
      {
        atomic_service_run_id: "goes on",
        runner_id: "r1",
        start_time: isoFromEpoch(at(2)),
        end_time: null,
        status: "running",
      },
      {
        atomic_service_run_id: "into it",
        runner_id: "r1",
        start_time: isoFromEpoch(at(1)),
        end_time: isoFromEpoch(at(10)),
        status: "completed",
      },
    ],
    total: 2,
  });
  expect(await app.store.read((reads) => serviceRuns(reads, WINDOW, false))).toEqual({ runs: [], total: 2 });
});
