/** Links between invocations: by a call, an event or a trigger. */
import { describe, expect, it } from "vitest";
import { offspringOf, originOf } from "../../../src/services/causes/family-links.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const offspring = async (app: MemoryApp, id: string, each = 100) => {
  const found = (await app.store.read((reads) => offspringOf(reads, [id], each))).get(id);
  return [found?.children.map((child) => `${child.kind} ${child.id}`), found?.complete];
};

describe("the children of an invocation", () => {
  it("are called ones, ones started by emitted events, and ones that triggers started, in this order", async () => {
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

  it("are listed once, by the first of several links", async () => {
    const app = memoryApp()
      .invocation("both", { parent: "a" })
      .event("e", { emitted_by_invocation_id: "a" })
      .triggerRun("run", {
        triggered_invocation_id: "both",
        participants: [{ event_id: "e" }, { source_invocation_id: "a" }],
      });
    expect(await offspring(app, "a")).toEqual([["call both"], true]);
  });

  it("started by triggers come in the order status, result, exception, whichever fired first", async () => {
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

  it("include an invocation that names the event, before the index of started ones is written", async () => {
    const app = memoryApp().event("e", { emitted_by_invocation_id: "a" }).invocation("early", { event: "e" });
    expect(await offspring(app, "a")).toEqual([["event early"], true]);
  });

  it("do not include those of a trigger run whose id belongs to another invocation now", async () => {
    const app = memoryApp().triggerRun("run", {
      triggered_invocation_id: "of another",
      participants: [{ source_invocation_id: "another", context_type: "ExceptionContext" }],
    });
    expect(await offspring(app, "another")).toEqual([["exception of another"], true]);
    expect(await offspring(app, "a")).toEqual([[], true]);
  });

  it("are marked as incomplete if more calls or trigger runs exist than were read", async () => {
    const calls = memoryApp().invocations(3, () => ({ parent: "a" }));
    expect((await offspring(calls, "a", 3))[1]).toBe(true);
    expect((await offspring(calls, "a", 2))[1]).toBe(false);
    const runs = memoryApp();
    for (const n of [1, 2, 3])
      runs.triggerRun(`run ${n}`, { triggered_invocation_id: `t${n}`, participants: [{ source_invocation_id: "a" }] });
    expect((await offspring(runs, "a", 3))[1]).toBe(true);
    expect((await offspring(runs, "a", 2))[1]).toBe(false);
  });

  it("are marked as incomplete if more started invocations or events exist than were read", async () => {
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

  it("take as many reads for many invocations as for one", async () => {
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

describe("the origin of an invocation", () => {
  const origin = (app: MemoryApp, id = "a") => app.store.read((reads) => originOf(reads, id));
  const nothing = { cause: null, event_id: null, event_code: null, trigger_run_id: null };

  it("is its parent for a call, whatever other links exist", async () => {
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

  it("is an event without an emitter, even one that is not stored any more", async () => {
    const app = memoryApp().invocation("a", { event: "e" }).event("e", { event_code: "paid" });
    expect(await origin(app)).toEqual({ ...nothing, event_id: "e", event_code: "paid" });
    expect(await origin(memoryApp().invocation("a", { event: "gone" }))).toEqual({ ...nothing, event_id: "gone" });
  });

  it("is an event that an invocation emitted, rather than one of several others", async () => {
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

  it("is the invocation that the trigger run watched", async () => {
    const app = memoryApp()
      .invocation("a")
      .triggerRun("run", {
        triggered_invocation_id: "a",
        participants: [{ source_invocation_id: "s", context_type: "ExceptionContext" }],
      });
    expect(await origin(app)).toEqual({ ...nothing, cause: { id: "s", kind: "exception" }, trigger_run_id: "run" });
  });

  it("is only the trigger run for a schedule, and empty for a call from outside", async () => {
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

it("a child that was registered before its parent is still a child", async () => {
  const app = memoryApp()
    .invocation("child", { parent: "a", history: [[at(0), "registered"]] })
    .invocation("a", { history: [[at(5), "registered"]] });
  expect(await offspring(app, "a")).toEqual([["call child"], true]);
});
