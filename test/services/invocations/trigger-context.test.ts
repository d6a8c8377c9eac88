/** What started an invocation and what it set off. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { triggerContext } from "../../../src/services/invocations/trigger-context.ts";
import { naiveIso } from "../../../src/services/model/timeline-window.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const context = (app: MemoryApp, id = "a", parentEvent: string | null = null) =>
  app.store.read((reads) => triggerContext(reads, id, parentEvent));

describe("what started an invocation", () => {
  it("is the trigger run that names it, with the stored summaries of its participants", async () => {
    const app = memoryApp()
      .invocation("a", { event: "e" })
      .invocation("source", {
        history: [
          [at(0), "registered"],
          [at(3), "success"],
        ],
      })
      .event("e", { event_code: "paid", matched_condition_ids: ["c"] })
      .triggerRun("run", {
        triggered_invocation_id: "a",
        participants: [{ event_id: "e" }, { source_invocation_id: "source" }, { source_invocation_id: "gone" }],
      });
    const found = await context(app, "a", "e");
    expect(found.triggered_by).toMatchObject({ trigger_run_id: "run", event_ids: ["e"] });
    expect(found.triggered_by?.timeline).not.toBeNull();
    expect(found.parent_event).toEqual({
      event_id: "e",
      event_code: "paid",
      timestamp: isoFromEpoch(at(0)),
      state: "triggered",
      matched: true,
      triggered: true,
      triggered_count: 1,
      emitted_by_invocation_id: null,
    });
    expect(found.source_event_summaries).toEqual({ e: found.parent_event });
    expect(found.source_inv_summaries).toEqual({
      source: expect.objectContaining({ status: "success", duration_seconds: 3 }),
      gone: {},
      a: expect.objectContaining({ status: "registered" }),
    });
  });

  it("has a timeline link that reaches to the end of the started invocation", async () => {
    const app = memoryApp()
      .invocation("a", {
        history: [
          [at(1), "registered"],
          [at(5), "success"],
        ],
      })
      .triggerRun("run", { claimed_at: at(0), executed_at: at(1), triggered_invocation_id: "a" });
    const { triggered_by } = await context(app);
    expect(triggered_by?.timeline).toMatchObject({ start_date: naiveIso(at(-0.75)), end_date: naiveIso(at(5.75)) });
  });

  it("is null for a call from outside", async () => {
    expect(await context(memoryApp().invocation("a"))).toEqual({
      events_recorded: true,
      triggered_by: null,
      emitted_events: [],
      emitted_events_truncated: false,
      triggered_runs_caused: [],
      triggered_runs_truncated: false,
      parent_event: null,
      source_inv_summaries: {},
      source_event_summaries: {},
    });
  });

  it("includes the event id of its definition even if the event is missing", async () => {
    const found = await context(memoryApp().invocation("a", { event: "gone" }), "a", "gone");
    expect([found.parent_event, found.source_event_summaries]).toEqual([null, { gone: { event_id: "gone" } }]);
  });
});

describe("what an invocation set off", () => {
  it("includes its events, oldest first, with the conditions and invocations that followed", async () => {
    const app = memoryApp()
      .event("late", { emitted_by_invocation_id: "a", timestamp: at(9) })
      .event("early", { emitted_by_invocation_id: "a", timestamp: at(1), matched_condition_ids: ["c"] })
      .event("of another", { emitted_by_invocation_id: "b" })
      .link("late", "t1")
      .link("late", "t2");
    const { emitted_events, emitted_events_truncated } = await context(app);
    expect(emitted_events.map((e) => [e.event_id, e.matched, e.triggered, e.triggered_invocation_ids])).toEqual([
      ["early", true, false, []],
      ["late", false, true, ["t1", "t2"]],
    ]);
    expect(emitted_events_truncated).toBe(false);
  });

  it("includes the trigger runs in which it took part, in the order of their execution", async () => {
    const source = [{ source_invocation_id: "a" }];
    const app = memoryApp()
      .triggerRun("second", { executed_at: at(2), participants: source, triggered_invocation_id: "t" })
      .triggerRun("first", { executed_at: at(1), participants: source })
      .triggerRun("of another", { participants: [{ source_invocation_id: "b" }] });
    const { triggered_runs_caused, triggered_runs_truncated } = await context(app);
    expect(triggered_runs_caused.map((run) => run.trigger_run_id)).toEqual(["first", "second"]);
    expect(triggered_runs_truncated).toBe(false);
  });

  it("is cut to 200 events and 200 runs, and marked so", async () => {
    const app = memoryApp();
    const more = (n: number) =>
      app
        .event(`e${n}`, { emitted_by_invocation_id: "a", timestamp: at(n) })
        .triggerRun(`run ${n}`, { participants: [{ source_invocation_id: "a" }] });
    for (let n = 0; n < 200; n++) more(n);
    const whole = await context(app);
    expect([whole.emitted_events.length, whole.emitted_events_truncated]).toEqual([200, false]);
    expect([whole.triggered_runs_caused.length, whole.triggered_runs_truncated]).toEqual([200, false]);
    more(200);
    const cut = await context(app);
    expect([cut.emitted_events.length, cut.emitted_events_truncated]).toEqual([200, true]);
    expect([cut.triggered_runs_caused.length, cut.triggered_runs_truncated]).toEqual([200, true]);
    expect(cut.emitted_events.map((event) => event.event_id)).not.toContain("e200");
  });
});

it("a trigger context has summaries of at most 200 invocations and 200 events", async () => {
  const participants = Array.from({ length: 150 }, (_, n) => ({ event_id: `e${n}`, source_invocation_id: `s${n}` }));
  const app = memoryApp()
    .triggerRun("one", { participants, triggered_invocation_id: "a" })
    .triggerRun("two", {
      participants: [
        { source_invocation_id: "a" },
        ...participants.map((_, n) => ({ event_id: `f${n}`, source_invocation_id: `t${n}` })),
      ],
    });
  const found = await context(app);
  expect(Object.keys(found.source_inv_summaries)).toHaveLength(200);
  expect(Object.keys(found.source_event_summaries)).toHaveLength(200);
});

it("a trigger context without events in the layout is marked as such after a single read", async () => {
  const app = memoryApp({ capabilities: { events: false } });
  const { store, calls } = counting(app.store);
  const found = await store.read((reads) => triggerContext(reads, "a", "e"));
  expect([found.events_recorded, found.parent_event, calls()]).toEqual([false, null, 1]);
});

it("a trigger context takes at most eleven reads, whatever the invocation set off", async () => {
  const app = memoryApp().invocation("a", { event: "e0" });
  for (let n = 0; n < 30; n++)
    app.event(`e${n}`, { emitted_by_invocation_id: "a" }).triggerRun(`run ${n}`, {
      triggered_invocation_id: n === 0 ? "a" : `t${n}`,
      participants: [{ event_id: `e${n}` }, { source_invocation_id: "a" }],
    });
  const { store, calls } = counting(app.store);
  await store.read((reads) => triggerContext(reads, "a", "e0"));
  expect(calls()).toBeLessThanOrEqual(11);
});
