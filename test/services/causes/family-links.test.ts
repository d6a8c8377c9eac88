/** Who led to whom: by a call, through an event, or because a trigger watched. */
import { describe, expect, it } from "vitest";
import { offspringOf, originOf } from "../../../src/services/causes/family-links.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const offspring = async (app: MemoryApp, id: string, each = 100) => {
  const found = (await app.store.read((reads) => offspringOf(reads, [id], each))).get(id);
  return [found?.children.map((child) => `${child.kind} ${child.id}`), found?.complete];
};

describe("children", () => {
  it("are those called, those started by emitted events, and those that triggers started, in this order", async () => {
    const app = memoryApp()
      .invocation("a")
      .invocation("called", { parent: "a" })
      .event("e", { emitted_by_invocation_id: "a" })
      .triggerRun("by event", { triggered_invocation_id: "started", participants: [{ event_id: "e" }] })
      .triggerRun("by status", {
        triggered_invocation_id: "watched",
        participants: [{ source_invocation_id: "a", context_type: "ResultContext" }],
      });
    expect(await offspring(app, "a")).toEqual([["call called", "event started", "result watched"], true]);
    expect(await offspring(app, "called")).toEqual([[], true]);
  });

  it("are told once, by the first of several ways", async () => {
    const app = memoryApp()
      .invocation("both", { parent: "a" })
      .event("e", { emitted_by_invocation_id: "a" })
      .triggerRun("run", {
        triggered_invocation_id: "both",
        participants: [{ event_id: "e" }, { source_invocation_id: "a" }],
      });
    expect(await offspring(app, "a")).toEqual([["call both"], true]);
  });

  it("that triggers started come in the order of what these watched, whichever fired first", async () => {
    const app = memoryApp();
    for (const [n, kind] of ["Exception", "Result", "Status"].entries())
      app.triggerRun(`run ${n}`, {
        triggered_invocation_id: `by ${kind}`,
        participants: [{ source_invocation_id: "a", context_type: `${kind}Context` }],
      });
    expect(await offspring(app, "a")).toEqual([
      ["status by Status", "result by Result", "exception by Exception"],
      true,
    ]);
  });

  it("name the event themselves before the index of what events started is written", async () => {
    const app = memoryApp().event("e", { emitted_by_invocation_id: "a" }).invocation("early", { event: "e" });
    expect(await offspring(app, "a")).toEqual([["event early"], true]);
  });

  it("are not those of a later run that took over the id", async () => {
    const app = memoryApp().triggerRun("run", {
      triggered_invocation_id: "of another",
      participants: [{ source_invocation_id: "another", context_type: "ExceptionContext" }],
    });
    expect(await offspring(app, "another")).toEqual([["exception of another"], true]);
    expect(await offspring(app, "a")).toEqual([[], true]);
  });

  it("are not complete when there are more calls, or more runs that it is the source of, than were read", async () => {
    const calls = memoryApp().invocations(3, () => ({ parent: "a" }));
    expect((await offspring(calls, "a", 3))[1]).toBe(true);
    expect((await offspring(calls, "a", 2))[1]).toBe(false);
    const runs = memoryApp();
    for (const n of [1, 2, 3])
      runs.triggerRun(`run ${n}`, { triggered_invocation_id: `t${n}`, participants: [{ source_invocation_id: "a" }] });
    expect((await offspring(runs, "a", 3))[1]).toBe(true);
    expect((await offspring(runs, "a", 2))[1]).toBe(false);
  });

  it("are not complete when an event started more than were read, or more events were emitted than are followed", async () => {
    const event = memoryApp().event("e", { emitted_by_invocation_id: "a" });
    for (const n of [1, 2, 3]) event.link("e", `t${n}`);
    expect((await offspring(event, "a", 3))[1]).toBe(true);
    expect((await offspring(event, "a", 2))[1]).toBe(false);
    const named = memoryApp().event("e", { emitted_by_invocation_id: "a" });
    for (const n of [1, 2, 3]) named.invocation(`t${n}`, { event: "e" });
    expect((await offspring(named, "a", 3))[1]).toBe(true);
    expect((await offspring(named, "a", 2))[1]).toBe(false);
    const many = memoryApp();
    for (let n = 0; n < 200; n++) many.event(`e${n}`, { emitted_by_invocation_id: "a" });
    expect((await offspring(many, "a"))[1]).toBe(true);
    many.event("one more", { emitted_by_invocation_id: "a" });
    expect((await offspring(many, "a"))[1]).toBe(false);
  });

  it("of many invocations take as many reads as those of one", async () => {
    const app = memoryApp().invocations(40, (n) => ({ parent: `i${n - 1}` }));
    const { store, calls } = counting(app.store);
    const ids = Array.from({ length: 40 }, (_, n) => `i${n}`);
    const found = await store.read((reads) => offspringOf(reads, ids, 10));
    expect(calls()).toBe(6);
    expect([...found].map(([id, { children }]) => [id, children.map((child) => child.id)])).toEqual(
      ids.map((id, n) => [id, n < 39 ? [`i${n + 1}`] : []]),
    );
  });
});

describe("the origin", () => {
  const origin = (app: MemoryApp, id = "a") => app.store.read((reads) => originOf(reads, id));
  const nothing = { cause: null, event_id: null, event_code: null, trigger_run_id: null };

  it("is the parent of a call, whatever else is known", async () => {
    const app = memoryApp().invocation("a", { parent: "p", event: "e" }).event("e", { emitted_by_invocation_id: "x" });
    expect(await origin(app)).toEqual({ ...nothing, cause: { id: "p", kind: "call" } });
  });

  it("is the emitter of the event that started it", async () => {
    const app = memoryApp()
      .invocation("a")
      .event("e", { emitted_by_invocation_id: "x", event_code: "paid" })
      .triggerRun("run", { triggered_invocation_id: "a", participants: [{ event_id: "e" }] });
    const expected = { cause: { id: "x", kind: "event" }, event_id: "e", event_code: "paid", trigger_run_id: "run" };
    expect(await origin(app)).toEqual(expected);
  });

  it("is an event without an emitter, or one that is not stored any more", async () => {
    const app = memoryApp().invocation("a", { event: "e" }).event("e", { event_code: "paid" });
    expect(await origin(app)).toEqual({ ...nothing, event_id: "e", event_code: "paid" });
    expect(await origin(memoryApp().invocation("a", { event: "gone" }))).toEqual({ ...nothing, event_id: "gone" });
  });

  it("prefers, of several events, one that an invocation emitted", async () => {
    const app = memoryApp()
      .invocation("a", { event: "outside" })
      .event("outside")
      .event("inside", { emitted_by_invocation_id: "x" })
      .triggerRun("run", {
        triggered_invocation_id: "a",
        participants: [{ event_id: "outside" }, { event_id: "inside" }],
      });
    expect(await origin(app)).toMatchObject({ cause: { id: "x", kind: "event" }, event_id: "inside" });
  });

  it("is what the trigger run watched", async () => {
    const app = memoryApp()
      .invocation("a")
      .triggerRun("run", {
        triggered_invocation_id: "a",
        participants: [{ source_invocation_id: "s", context_type: "ExceptionContext" }],
      });
    expect(await origin(app)).toEqual({ ...nothing, cause: { id: "s", kind: "exception" }, trigger_run_id: "run" });
  });

  it("is only the run for a schedule, and nothing for a call from outside", async () => {
    const app = memoryApp()
      .invocation("a")
      .triggerRun("run", {
        triggered_invocation_id: "a",
        participants: [{ context_type: "CronContext" }],
      });
    expect(await origin(app)).toEqual({ ...nothing, trigger_run_id: "run" });
    expect(await origin(memoryApp().invocation("a"))).toEqual(nothing);
    expect(await origin(memoryApp(), "nobody")).toEqual(nothing);
  });
});

it("time plays no part: a child that was registered before its parent is a child", async () => {
  const app = memoryApp()
    .invocation("child", { parent: "a", history: [[at(0), "registered"]] })
    .invocation("a", { history: [[at(5), "registered"]] });
  expect(await offspring(app, "a")).toEqual([["call child"], true]);
});
