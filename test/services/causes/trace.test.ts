/** The causal trace against the fixtures' facts. Generated graphs are in trace-properties.test.ts. */
import { describe, expect, it } from "vitest";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { parseTraceInput, trace } from "../../../src/services/causes/trace.ts";
import { counting, storeWith } from "../../support/counting.ts";
import { FACTS, FIXTURE_NAMES } from "../../support/fixtures.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";
import { monitorOf, sharedMonitor } from "../../support/monitor.ts";

interface TraceFacts {
  code: string;
  invocations: string[];
  events: string[];
  trigger_runs: string[];
}

const DOWN = { direction: "down", limit: 5_000 } as const;

describe.each(FIXTURE_NAMES)("%s", (fixture) => {
  describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
    const traces = Object.entries((facts as unknown as { traces?: Record<string, TraceFacts> }).traces ?? {});
    const monitor = sharedMonitor(() => monitorOf(fixture, "in process", { app: appId }));

    it.runIf(traces.length > 0).each(traces)(
      "has for event %s exactly what the facts of the fixture say",
      async (eventId, expected) => {
        const found = await trace(await monitor.workspace.open(), null, eventId, DOWN);
        expect({
          invocations: found.invocations.map((row) => row.invocation_id).sort(),
          events: found.events.map((event) => event.event_id).sort(),
          trigger_runs: found.trigger_runs.map((run) => run.trigger_run_id).sort(),
        }).toEqual({
          invocations: [...expected.invocations].sort(),
          events: [...expected.events].sort(),
          trigger_runs: [...expected.trigger_runs].sort(),
        });
        expect(found.truncated).toBe(false);
      },
    );

    const reached = traces.flatMap(([eventId, { invocations, trigger_runs }]) =>
      [...invocations, ...trigger_runs].map((id) => ({ eventId, id })),
    );
    it.runIf(reached.length > 0)(
      "has upwards from everything that an event reaches that event as a cause",
      async () => {
        const app = await monitor.workspace.open();
        for (const { eventId, id } of reached) {
          const up = await trace(app, null, id, { direction: "up", limit: 5_000 });
          expect([id, up.events.map((event) => event.event_id)]).toEqual([id, expect.arrayContaining([eventId])]);
        }
      },
    );
  });
});

describe("an invocation that only the index of started ones links to an event", () => {
  const edges = async (app: ReturnType<typeof memoryApp>, id: string) =>
    (await trace(app.opened, null, id, DOWN)).edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`);

  it("has the event itself as its cause if its trigger run is missing", async () => {
    const app = memoryApp().event("e").invocation("i").link("e", "i", "gone");
    const found = await trace(app.opened, null, "e", DOWN);
    expect(found.edges).toEqual([{ from: "e", from_kind: "event", to: "i", to_kind: "invocation", kind: "trigger" }]);
    expect(found.trigger_runs).toEqual([]);
    expect(await edges(memoryApp().event("e").invocation("i").link("e", "i", null), "e")).toEqual(["e trigger i"]);
  });

  it("has the trigger run named in the index as its cause, even if that started something else since", async () => {
    const app = memoryApp()
      .event("e")
      .invocation("before")
      .invocation("since")
      .triggerRun("run", { participants: [{ event_id: "e" }], triggered_invocation_id: "since" })
      .link("e", "before", "run");
    expect(await edges(app, "e")).toEqual(["e event run", "run trigger since", "run trigger before"]);
  });

  it("has one edge, even if the invocation names the event as its parent", async () => {
    const app = memoryApp().event("e").invocation("i", { event: "e" });
    expect(await edges(app, "e")).toEqual(["e parent_event i"]);
    expect(await edges(app.link("e", "i", "gone"), "e")).toEqual(["e trigger i"]);
  });
});

it("a trace downwards has edges with the kind of each cause", async () => {
  const watched = (context_type: string, source_invocation_id: string) => ({ context_type, source_invocation_id });
  const app = memoryApp()
    .invocation("i")
    .invocation("called", { parent: "i" })
    .event("emitted", { emitted_by_invocation_id: "called" })
    .triggerRun("of both", {
      participants: [watched("StatusContext", "i"), watched("ResultContext", "i"), { event_id: "emitted" }],
      triggered_invocation_id: "started",
    })
    .triggerRun("of an exception", { participants: [watched("ExceptionContext", "called")] });
  const { edges, depth, roots, generated_invocation_ids } = await trace(app.opened, null, "i", DOWN);
  expect(new Set(edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`))).toEqual(
    new Set([
      "i call called",
      "i status of both",
      "i result of both",
      "of both trigger started",
      "called emit emitted",
      "called exception of an exception",
      "emitted event of both",
    ]),
  );
  expect([depth, roots, generated_invocation_ids]).toEqual([2, [{ kind: "invocation", id: "i" }], ["started"]]);
});

describe("a trace upwards", () => {
  const UP = { direction: "up", limit: 5_000 } as const;
  const edges = async (app: ReturnType<typeof memoryApp>, id: string) =>
    (await trace(app.opened, null, id, UP)).edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`);

  it("has the caller, the trigger run with its participants, or the named event, whichever is stored", async () => {
    expect(await edges(memoryApp().invocation("p").invocation("i", { parent: "p" }), "i")).toEqual(["p call i"]);
    const named = memoryApp()
      .event("e", { emitted_by_invocation_id: "m" })
      .invocation("m")
      .invocation("i", { event: "e" });
    expect(await edges(named, "i")).toEqual(["e parent_event i", "m emit e"]);
    named.triggerRun("run", {
      triggered_invocation_id: "i",
      participants: [{ event_id: "e" }, { source_invocation_id: "s", context_type: "ResultContext" }],
    });
    expect(await edges(named, "i")).toEqual(["run trigger i", "e event run", "s result run", "m emit e"]);
  });

  it("begins at the roots, and is as deep as its longest path", async () => {
    const app = memoryApp()
      .invocation("m")
      .event("e", { emitted_by_invocation_id: "m" })
      .invocation("i")
      .triggerRun("run", { triggered_invocation_id: "i", participants: [{ event_id: "e" }] });
    const found = await trace(app.opened, null, "i", UP);
    expect([found.roots, found.depth, found.truncated]).toEqual([[{ kind: "invocation", id: "m" }], 3, false]);
    expect([found.focus_kind, found.direction, found.generated_invocation_ids]).toEqual(["invocation", "up", ["i"]]);
    const cut = await trace(app.opened, null, "i", { direction: "up", limit: 2 });
    expect([cut.truncated, cut.limit, cut.trigger_runs.length + cut.events.length]).toEqual([true, 2, 1]);
  });
});

it("a trace fails with not found if no event, invocation or trigger run has the id", async () => {
  await expect(trace(memoryApp().opened, null, "nobody", DOWN)).rejects.toBeInstanceOf(NotFoundError);
  await expect(trace(memoryApp().opened, "trigger_run", "nobody", DOWN)).rejects.toThrow("trigger run");
});

it("the trace of an event takes the same reads whether its kind is given or looked up", async () => {
  const app = memoryApp().event("e");
  const counted = counting(app.opened.store);
  const reads = async (kind: "event" | null) => {
    const before = counted.calls();
    await trace({ ...app.opened, store: counted.store }, kind, "e", DOWN);
    return counted.calls() - before;
  };
  expect(await reads(null)).toBe(await reads("event"));
});

it("a trigger run of which only a link is stored is in the trace by its id", async () => {
  const app = memoryApp().event("e");
  const read: typeof app.opened.store.read = (fn) =>
    app.opened.store.read((reads) =>
      fn({
        ...reads,
        trigger: Object.create(reads.trigger, {
          triggerRunsOf: {
            value: async (role: string) => (role === "event" ? [{ of: "e", trigger_run_id: "torn" }] : []),
          },
        }),
      }),
    );
  const found = await trace({ ...app.opened, store: storeWith(app.opened.store, read) }, null, "e", DOWN);
  expect(found.edges).toMatchObject([{ from: "e", to: "torn", to_kind: "trigger_run" }]);
  expect([found.trigger_runs, found.source_invocation_ids, found.generated_invocation_ids]).toEqual([[], [], []]);
});

describe("a trace with more nodes than its limit", () => {
  type App = ReturnType<typeof memoryApp>;
  const source = (participant: Record<string, string>) => ({ participants: [participant] });

  it.each<[string, App, (app: App, n: number) => unknown, "up" | "down"]>([
    ["calls", memoryApp().invocation("x"), (app, n) => app.invocation(`c${n}`, { parent: "x" }), "down"],
    ["events", memoryApp().invocation("x"), (app, n) => app.event(`e${n}`, { emitted_by_invocation_id: "x" }), "down"],
    [
      "trigger runs caused by an invocation",
      memoryApp().invocation("x"),
      (app, n) => app.triggerRun(`r${n}`, source({ source_invocation_id: "x" })),
      "down",
    ],
    [
      "trigger runs caused by an event",
      memoryApp().event("x"),
      (app, n) => app.triggerRun(`r${n}`, source({ event_id: "x" })),
      "down",
    ],
    ["invocations started by an event", memoryApp().event("x"), (app, n) => app.link("x", `i${n}`), "down"],
    [
      "invocations that name an event",
      memoryApp().event("x"),
      (app, n) => app.invocation(`i${n}`, { event: "x" }),
      "down",
    ],
    [
      "trigger runs that started an invocation",
      memoryApp().invocation("x"),
      (app, n) => app.triggerRun(`r${n}`, { triggered_invocation_id: "x" }),
      "up",
    ],
  ])("is marked as truncated: %s", async (_, app, add, direction) => {
    const cut = async () => {
      const found = await trace(app.opened, null, "x", { direction, limit: 3 });
      const nodes = found.invocations.length + found.events.length + found.trigger_runs.length;
      return [nodes, found.edges.length, found.truncated];
    };
    add(app, 0);
    add(app, 1);
    expect(await cut()).toEqual([3, 2, false]);
    add(app, 2);
    expect(await cut()).toEqual([3, 2, true]);
  });
});

it("a trace goes down with a limit of 5,000 nodes by default, and of 20,000 at most", () => {
  expect(parseTraceInput({})).toEqual({ direction: "down", limit: 5_000 });
  expect(parseTraceInput({ direction: ["both"], limit: ["20000"] })).toEqual({ direction: "both", limit: 20_000 });
  for (const direction of ["down", "up"]) expect(parseTraceInput({ direction: [direction] }).direction).toBe(direction);
  for (const raw of [{ limit: ["20001"] }, { limit: ["0"] }, { direction: ["sideways"] }])
    expect(() => parseTraceInput(raw)).toThrow(InvalidInputError);
});
