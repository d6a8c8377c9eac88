/** What the store has of each reference in a log. */
import { describe, expect, it, vi } from "vitest";
import type { LogReference } from "../../../src/api/logs.ts";
import type { LogEntry } from "../../../src/log-lines/model.ts";
import type { EventRecord } from "../../../src/pynenc/records.ts";
import { UnknownIds } from "../../../src/services/logs/known-elsewhere.ts";
import { readLog } from "../../../src/services/logs/log-entries.ts";
import {
  NOTHING_RESOLVED,
  REFERENCES_RESOLVED,
  type ResolvedReferences,
  referenceKey,
  resolveReferences,
  uncheckedReference,
} from "../../../src/services/logs/log-references.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const id = (n: number, head = "aaaaaaaa") => `${head}-0000-4000-8000-${String(n).padStart(12, "0")}`;
const ID = id(1);
const line = (message: string) => `2026-01-05 12:00:00+00:00 INFO pynenc.shop ${message}`;

async function resolved(app: MemoryApp, ...messages: string[]): Promise<ResolvedReferences> {
  const { entries } = await readLog(messages.map(line).join("\n"));
  return app.opened.store.read((reads) => resolveReferences(reads, entries, ["shop.pay"]));
}

async function about(app: MemoryApp, kind: LogReference["kind"] | "id", ofId: string, message: string) {
  return (await resolved(app, message)).byKey.get(referenceKey({ kind, id: ofId }));
}

const NOTHING = { part: null, candidates: [], status: null, task_id_key: null, detail: null };

describe("a reference that the store has", () => {
  const ended = [
    [at(0), "registered"],
    [at(1), "failed"],
  ] as const;

  it.each<[LogReference["kind"], string, MemoryApp, Partial<LogReference>]>([
    ["invocation", ID, memoryApp().invocation(ID, { history: ended }), { status: "failed", task_id_key: "shop.pay" }],
    // Forgotten by the orchestrator: the history tells.
    [
      "invocation",
      ID,
      memoryApp().invocation(ID, { status: null, history: ended }),
      { status: "failed", task_id_key: "shop.pay" },
    ],
    ["invocation", ID, memoryApp().invocation(ID, { status: null, history: [] }), { task_id_key: "shop.pay" }],
    [
      "invocation",
      ID,
      memoryApp().invocation(ID, { status: null, definition: null, history: ended }),
      { status: "failed" },
    ],
    [
      "workflow",
      ID,
      memoryApp().workflow(ID, { workflow_type_key: "shop.order" }).invocation(ID, { history: ended }),
      { status: "failed", task_id_key: "shop.order" },
    ],
    [
      "workflow",
      ID,
      memoryApp().invocation(ID, { workflow: { id: ID, type: "shop.order" }, status: null }),
      { task_id_key: "shop.order" },
    ],
    [
      "runner",
      ID,
      memoryApp().context(ID, { runner_cls: "ThreadRunner", hostname: "web-1", pid: 42 }),
      { detail: "ThreadRunner web-1:42" },
    ],
    ["runner", ID, memoryApp().context(ID, { pid: null }), { detail: "ThreadRunner host:?" }],
    ["runner", ID, memoryApp().heartbeat(ID), {}],
    ["task", "shop.pay", memoryApp(), { task_id_key: "shop.pay" }],
    ["event", ID, memoryApp().event(ID, { event_code: "paid" }), { detail: "paid" }],
    [
      "trigger_run",
      "run-1",
      memoryApp().triggerRun("run-1", { task_id_key: "shop.mail" }),
      { task_id_key: "shop.mail" },
    ],
    ["trigger", "t-1", memoryApp().trigger("t-1", { task_id_key: "shop.mail" }), { task_id_key: "shop.mail" }],
    ["valid_condition", "v-1", memoryApp().validCondition("v-1"), {}],
    ["atomic_service_run", ID, memoryApp().execution(ID, { status: "abandoned" }), { status: "abandoned" }],
  ])("of kind %s with id %s has the facts that are stored of it (%#)", async (kind, ofId, app, facts) => {
    const written = kind.replaceAll("_", "-");
    expect(await about(app, kind, ofId, `${written}:${ofId}`)).toEqual({
      ...NOTHING,
      kind,
      id: ofId,
      state: "known",
      ...facts,
    });
  });

  it("to a condition has the condition in words", async () => {
    const schedule = { condition_type: "CronCondition", data: { cron_expression: "*/5 * * * *" } };
    const app = memoryApp().condition("cron-1", schedule);
    const found = await about(app, "condition", "cron-1", "condition:cron-1");
    expect(found).toMatchObject({ state: "known", status: null });
    expect(found?.detail).toMatch(/every 5 minutes/i);
  });

  it("to a workflow is unknown if only an invocation of another workflow has its id", async () => {
    const app = memoryApp().invocation(ID, { workflow: { id: id(2) } });
    expect(await about(app, "workflow", ID, `workflow:${ID}`)).toMatchObject({ state: "unknown", status: null });
  });

  it("is called known only if something of it is stored", async () => {
    const written = ["invocation", "workflow", "runner", "event", "atomic-service-run"].map((kind) => `${kind}:${ID}`);
    const { byKey } = await resolved(
      memoryApp(),
      [...written, "task:shop.x trigger:t trigger-run:r condition:c"].join(" "),
    );
    expect([...byKey.values()].map(({ kind, state }) => [kind, state])).toEqual([
      ["invocation", "unknown"],
      ["workflow", "unknown"],
      ["runner", "unknown"],
      ["event", "unknown"],
      ["atomic_service_run", "unknown"],
      ["task", "unknown"],
      ["trigger", "unknown"],
      ["trigger_run", "unknown"],
      ["condition", "unknown"],
    ]);
  });

  it("to a call is unchecked: calls have no index", async () => {
    const found = await about(memoryApp().invocation(ID), "call", "shop.pay:no_args", "call:shop.pay:no_args");
    expect(found).toEqual({ ...NOTHING, kind: "call", id: "shop.pay:no_args", state: "unchecked" });
  });
});

describe("a short runner id", () => {
  const RUNNER = id(1, "cccccccc");
  const [FIRST, SECOND] = [`${RUNNER.slice(0, -1)}2`, `${RUNNER.slice(0, -1)}3`];

  it("means the one runner whose id begins with it, and both are one reference", async () => {
    const { byKey } = await resolved(memoryApp().runner(RUNNER), `worker:cccccccc runner:${RUNNER}`);
    expect(byKey.get("runner cccccccc")).toMatchObject({ id: RUNNER, part: "cccccccc", state: "known" });
    expect(byKey.get("runner cccccccc")).toBe(byKey.get(`runner ${RUNNER}`));
    expect([...byKey.keys()]).toHaveLength(2);
  });

  it("means the runner that the log names in full, even if the store does not have it", async () => {
    const found = await about(memoryApp(), "runner", "cccccccc", `worker:cccccccc runner:${RUNNER}`);
    expect(found).toMatchObject({ id: RUNNER, part: "cccccccc", state: "unknown" });
  });

  it("of several runners is ambiguous, with the first ten of them", async () => {
    const app = memoryApp().runner(SECOND).heartbeat(FIRST);
    expect(await about(app, "runner", "cccccccc", "worker:cccccccc")).toEqual({
      ...NOTHING,
      kind: "runner",
      id: "cccccccc",
      state: "ambiguous",
      candidates: [FIRST, SECOND],
    });
    for (let n = 10; n < 30; n++) app.context(id(n, "cccccccc"));
    const { candidates = [] } = (await about(app, "runner", "cccccccc", "worker:cccccccc")) ?? {};
    expect(candidates).toHaveLength(10);
    expect(candidates).toEqual([...candidates].sort());
  });

  it("that is the whole id of a runner means that runner", async () => {
    const app = memoryApp().context("cccccccc").context(RUNNER);
    expect(await about(app, "runner", "cccccccc", "worker:cccccccc")).toMatchObject({
      id: "cccccccc",
      part: null,
      state: "known",
    });
  });

  it("is looked for inside ids if none begins with it", async () => {
    const app = memoryApp().context("web-cccccccc-1");
    expect(await about(app, "runner", "cccccccc", "worker:cccccccc")).toMatchObject({
      id: "web-cccccccc-1",
      part: "cccccccc",
      state: "known",
    });
  });

  it("is looked for inside ids only for the first twenty", async () => {
    const app = memoryApp();
    const parts = Array.from({ length: 21 }, (_, n) => `cccc${String(n).padStart(4, "0")}`);
    for (const part of parts) app.context(`web-${part}`);
    const { byKey } = await resolved(app, parts.map((part) => `worker:${part}`).join(" "));
    const states = parts.map((part) => byKey.get(referenceKey({ kind: "runner", id: part }))?.state);
    expect(states).toEqual([...parts.slice(1).map(() => "known"), "unknown"]);
  });

  it("stands for an invocation that the log names if no runner begins with it, unless several do", async () => {
    expect(
      await about(memoryApp().invocation(ID), "runner", "aaaaaaaa", `worker:aaaaaaaa invocation:${ID}`),
    ).toMatchObject({
      kind: "invocation",
      id: ID,
      part: "aaaaaaaa",
      state: "known",
    });
    const shouted = `Worker:aaaaaaaa invocation:${ID}`;
    expect(await about(memoryApp(), "runner", "aaaaaaaa", shouted)).toMatchObject({ kind: "invocation", id: ID });
    // Another word says that it is a runner, and so does another line.
    for (const more of [`runner:aaaaaaaa invocation:${ID}`, `worker:aaaaaaaa runner:aaaaaaaa invocation:${ID}`])
      expect(await about(memoryApp(), "runner", "aaaaaaaa", more)).toMatchObject({ kind: "runner", state: "unknown" });
    const app = memoryApp().invocation(ID).runner(id(9));
    expect(await about(app, "runner", "aaaaaaaa", `worker:aaaaaaaa invocation:${ID}`)).toMatchObject({
      kind: "runner",
      id: id(9),
    });
    const two = `worker:aaaaaaaa invocation:${ID} invocation:${id(2)}`;
    expect(await about(memoryApp(), "runner", "aaaaaaaa", two)).toMatchObject({ kind: "runner", state: "unknown" });
  });
});

describe("a bare id", () => {
  it("is the most likely of several things with this id in the store", async () => {
    const app = memoryApp().event(ID).runner(ID).execution(ID);
    expect(await about(app, "id", ID, `see ${ID}`)).toMatchObject({
      kind: "event",
      state: "known",
      detail: "order.created",
    });
    app.invocation(ID);
    const { byKey } = await resolved(app, `see ${ID}`);
    expect(byKey.get(`id ${ID}`)).toMatchObject({ kind: "invocation", task_id_key: "shop.pay" });
    expect(byKey.get(`invocation ${ID}`)).toBe(byKey.get(`id ${ID}`));
  });

  it("is what the log calls it elsewhere, and no reference without any hint", async () => {
    const app = memoryApp().invocation(ID);
    expect(await about(app, "id", ID, `see ${ID} of runner:${ID}`)).toMatchObject({ kind: "runner", state: "unknown" });
    expect(await about(memoryApp(), "id", ID, `see ${ID}`)).toBeUndefined();
  });
});

describe("the lookup of all references", () => {
  it("includes events and trigger runs, events without their payload", async () => {
    const app = memoryApp()
      .event(ID, { payload: { n: "1" } })
      .triggerRun("run-1");
    const { events, trigger_runs, cut } = await resolved(app, `event:${ID} trigger-run:run-1`);
    expect(events).toMatchObject([{ event_id: ID, payload: null }] satisfies Partial<EventRecord>[]);
    expect(trigger_runs).toMatchObject([{ trigger_run_id: "run-1" }]);
    expect(cut).toBe(false);
  });

  it("includes the runners of the bracket", async () => {
    const { byKey } = await resolved(memoryApp().runner(id(1, "cccccccc")), "[TR(cccccccc)] hello");
    expect(byKey.get("runner cccccccc")).toMatchObject({ id: id(1, "cccccccc"), state: "known" });
  });

  it("is limited to a number of references in the order of the log, and marked as cut", async () => {
    const mark = (n: number) =>
      ({ kind: "call", id: `c${n}`, start: 0, end: 1, role: "call", partial: false }) as const;
    const [empty] = (await readLog(line("hello"))).entries;
    const named = Array.from({ length: REFERENCES_RESOLVED + 1 }, (_, n) => ({ ...empty, marks: [mark(n), mark(n)] }));
    const { byKey, cut } = await memoryApp().opened.store.read((reads) =>
      resolveReferences(reads, named as LogEntry[], []),
    );
    const last = referenceKey({ kind: "call", id: `c${REFERENCES_RESOLVED}` });
    expect([byKey.size, byKey.has(last), cut]).toEqual([REFERENCES_RESOLVED, false, true]);
  });

  it("is limited in bare ids too, where a repeated id counts once", async () => {
    const mark = (n: number) => ({ kind: "id", id: id(n), start: 0, end: 1 }) as const;
    const [empty] = (await readLog(line("hello"))).entries;
    const cutAfter = async (...numbers: number[]) => {
      const all = [...Array.from({ length: REFERENCES_RESOLVED }, (_, n) => n), ...numbers];
      const entries = all.map((n) => ({ ...empty, marks: [mark(n)] })) as LogEntry[];
      return (await memoryApp().opened.store.read((reads) => resolveReferences(reads, entries, []))).cut;
    };
    expect([await cutAfter(), await cutAfter(0), await cutAfter(REFERENCES_RESOLVED)]).toEqual([false, false, true]);
  });

  it("has no known references before anything was looked up", () => {
    expect(NOTHING_RESOLVED).toEqual({ byKey: new Map(), events: [], trigger_runs: [], cut: false });
    const mark = { kind: "event", id: ID, start: 0, end: 1, role: "event", partial: false } as const;
    expect(uncheckedReference(mark)).toEqual({ ...NOTHING, kind: "event", id: ID, state: "unchecked" });
  });
});

describe("ids that the app does not know", () => {
  const unknown = (...ids: string[]) => {
    const found = new UnknownIds();
    found.add(ids.map((one) => ({ kind: "invocation", id: one, state: "unknown" })));
    return found;
  };
  const other = memoryApp({ app_id: "other" }).invocation(id(1)).invocation(id(2));
  const app = { ...memoryApp().opened, others: async () => [other.store] };

  it.each([
    [[id(1)], "1 of the ids that are not in this app is"],
    [[id(1), id(2), id(3)], "2 of the ids that are not in this app are"],
  ])("are looked for in the other apps of the store: %j", async (ids, words) => {
    expect(await unknown(...ids).knownElsewhere(app)).toEqual([{ app_id: "other", words }]);
    expect(await unknown(id(3)).knownElsewhere(app)).toEqual([]);
  });

  it("are the only reason to read another app", async () => {
    const others = vi.fn(app.others);
    expect(await unknown().knownElsewhere({ ...app, others })).toEqual([]);
    expect(others).not.toHaveBeenCalled();
  });
});
