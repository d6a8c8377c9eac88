/** Invocations as OpenTelemetry traces, read back by the protocol's definition. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ExportReport, exportFile } from "../../../src/services/exports/export.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { readSpans, servicesOf } from "../../support/otlp.ts";
import { storedError } from "../../support/stored-error.ts";

async function exported(app: MemoryApp, choice: { noValues?: boolean; limit?: number } = {}) {
  const report: ExportReport = { invocations: 0, notes: [] };
  const { noValues = false, limit = null } = choice;
  let text = "";
  for await (const piece of exportFile(app.opened, NO_FILTER, "otlp", { limit, noValues, version: "1.2.3" }, report))
    text += piece;
  const spans = readSpans(text);
  const of = (id: string) => spans.find((span) => span.attributes["messaging.message.id"] === id);
  const below = (id: string) =>
    spans.filter((span) => span.parent === of(id)?.id && span.attributes["messaging.message.id"] === undefined);
  return { text, report, spans, of, below };
}

const nanos = (seconds: number) => BigInt(Math.round(at(seconds) * 1e6)) * 1000n;
const WELL = (from: number) =>
  [
    [at(from), "registered"],
    [at(from + 1), "pending"],
    [at(from + 2), "running"],
    [at(from + 5), "success"],
  ] as const;

describe("the span of an invocation", () => {
  it("goes from registration to end, with an inner span for each phase", async () => {
    const app = memoryApp()
      .runner("r1")
      .invocation("a", {
        arguments: { amount: "12" },
        history: [
          [at(0), "registered"],
          [at(1), "pending"],
          [at(2), "running"],
          [at(3), "paused"],
          [at(5), "running"],
          [at(6), "retry"],
          [at(8), "pending"],
          [at(9), "running"],
          [at(10.25), "success"],
        ],
      });
    const { of, below, text, report } = await exported(app);
    expect(servicesOf(text)).toEqual(["shop"]);
    expect(of("a")).toMatchObject({
      parent: null,
      name: "shop.pay",
      kind: "SPAN_KIND_CONSUMER",
      start: nanos(0),
      end: nanos(10.25),
      status: { code: "STATUS_CODE_OK" },
      events: [],
      links: [],
      attributes: {
        "code.function.name": "shop.pay",
        "pynenc.status": "success",
        "pynenc.retries": 1,
        "pynenc.arguments": "amount=12",
      },
    });
    const stretches = below("a").map(({ name, start, end, attributes }) => [
      name,
      Number((start - nanos(0)) / 1_000_000_000n),
      Number((end - nanos(0)) / 1_000_000_000n),
      attributes["pynenc.statuses"],
      attributes["pynenc.runner.id"] ?? null,
      attributes["host.name"] ?? null,
    ]);
    expect(stretches).toEqual([
      ["queued", 0, 1, ["registered"], null, null],
      ["pending", 1, 2, ["pending"], "r1", "host"],
      ["running", 2, 3, ["running"], "r1", "host"],
      ["paused", 3, 5, ["paused"], "r1", "host"],
      ["running", 5, 6, ["running"], "r1", "host"],
      ["queued", 6, 8, ["retry"], null, null],
      ["pending", 8, 9, ["pending"], "r1", "host"],
      ["running", 9, 10, ["running"], "r1", "host"],
    ]);
    expect(report).toEqual({ invocations: 1, notes: [] });
  });

  it("has an id derived from the id of the invocation, unique for each span", async () => {
    const app = memoryApp()
      .invocation("top", { history: WELL(0) })
      .invocation("child", { parent: "top", history: WELL(1) });
    const { spans, of, below } = await exported(app);
    const digest = (id: string) => createHash("sha256").update(id).digest("hex");
    expect([of("top")?.trace, of("top")?.id]).toEqual([digest("top").slice(0, 32), digest("top").slice(32, 48)]);
    const base = BigInt(`0x${digest("top").slice(48)}`);
    const stretches = below("top").filter((span) => span.kind === "SPAN_KIND_INTERNAL");
    expect(stretches.map((span) => BigInt(`0x${span.id}`) - base)).toEqual([0n, 1n, 2n]);
    expect([of("child")?.trace, of("child")?.parent]).toEqual([of("top")?.trace, of("top")?.id]);
    expect(new Set(spans.map((span) => span.id)).size).toBe(spans.length);
  });

  it("has the exception as an event and as its status, with secrets masked", async () => {
    const failed = [
      [at(0), "registered"],
      [at(1), "failed"],
    ] as const;
    const exception = storedError("ValueError", "no route to redis://u:hunter2@host, token=abc\nsecond line");
    const app = memoryApp()
      .invocation("a", { history: failed, exception, arguments: { password: '"hunter2"', n: "1" } })
      .invocation("b", { history: failed });
    const { of, text } = await exported(app);
    const message = "no route to redis://••••••@host, token=••••••\nsecond line";
    expect(of("a")).toMatchObject({
      status: { code: "STATUS_CODE_ERROR", message },
      events: [
        {
          name: "exception",
          at: nanos(1),
          attributes: { "exception.type": expect.stringContaining("ValueError"), "exception.message": message },
        },
      ],
      attributes: { "error.type": expect.stringContaining("ValueError") },
    });
    expect(of("a")?.attributes["pynenc.arguments"]).toBe('password="••••••", n=1');
    expect(text).not.toContain("hunter2");
    expect(of("b")).toMatchObject({ events: [], status: { code: "STATUS_CODE_ERROR", message: "" } });
    expect(of("b")?.attributes["error.type"]).toBe("_OTHER");
    const bare = await exported(app, { noValues: true });
    expect(bare.of("a")?.attributes).not.toHaveProperty("pynenc.arguments");
    expect(bare.of("a")?.events[0]?.attributes).toEqual({ "exception.type": expect.stringContaining("ValueError") });
    expect(bare.text).not.toContain("no route");
  });

  it("is left out, and counted in a note, without a known beginning or end", async () => {
    const app = memoryApp()
      .invocation("runs", {
        history: [
          [at(0), "registered"],
          [at(1), "running"],
        ],
      })
      .invocation("purged", { history: [], status: { status: "success", status_timestamp: at(3) } })
      .invocation("headless", { history: [[at(4), "success"]] })
      .invocation("well", { history: WELL(0) });
    const { spans, report } = await exported(app);
    expect([...new Set(spans.flatMap((span) => span.attributes["messaging.message.id"] ?? []))]).toEqual(["well"]);
    expect(report.invocations).toBe(1);
    expect(report.notes).toEqual([
      expect.stringContaining("1 invocation left out: not finished yet"),
      expect.stringContaining("2 invocations left out"),
    ]);
  });

  it("ends with the orchestrator's status time if the history lacks the last entry", async () => {
    const app = memoryApp().invocation("a", {
      history: WELL(0).slice(0, 3),
      status: { status: "success", status_timestamp: at(7), status_runner_id: null },
    });
    const { of, below } = await exported(app);
    expect(of("a")?.end).toBe(nanos(7));
    expect(below("a").at(-1)).toMatchObject({ name: "running", end: nanos(7) });
  });

  it("has no inner spans for a history is too long, with a note", async () => {
    const turns = Array.from({ length: 1_100 }, (_, n) => [
      [at(1 + n * 2), "running"] as const,
      [at(2 + n * 2), "retry"] as const,
    ]).flat();
    const app = memoryApp().invocation("a", {
      history: [[at(0), "registered"], ...turns, [at(3_000), "success"]],
    });
    const { spans, report } = await exported(app);
    expect(spans.map((span) => span.end)).toEqual([nanos(3_000)]);
    expect(report.notes).toEqual([expect.stringContaining("history is too long")]);
  });
});

describe("the trace of an invocation", () => {
  it("contains its whole family, across batches, also below a missing parent and in a circle", async () => {
    const app = memoryApp();
    app.invocation("root", { history: WELL(0) });
    for (let n = 0; n < 210; n++)
      app.invocation(`n${n}`, { parent: n === 0 ? "root" : `n${n - 1}`, history: WELL(n + 1) });
    app.invocation("orphan1", { parent: "gone", history: WELL(0) });
    app.invocation("orphan2", { parent: "gone", history: WELL(1) });
    app.invocation("a-below", { parent: "c2", history: WELL(1) });
    app.invocation("c2", { parent: "c1", history: WELL(0) }).invocation("c1", { parent: "c2", history: WELL(0) });
    const { spans, of, text } = await exported(app);
    expect(text.trim().split("\n").length).toBe(2);
    expect(spans.length).toBe(216 * 4);
    expect(new Set(spans.filter((span) => span.trace === of("root")?.trace).map((span) => span.id)).size).toBe(211 * 4);
    expect(of("orphan1")?.trace).toBe(of("orphan2")?.trace);
    expect(of("orphan1")?.trace).not.toBe(of("root")?.trace);
    expect(of("c1")?.trace).toBe(of("c2")?.trace);
    expect(of("a-below")?.trace).toBe(of("c1")?.trace);
    expect(of("c1")?.trace).toBe(createHash("sha256").update("c1").digest("hex").slice(0, 32));
  });

  it("links to what started it by an event, a status, a result or an exception", async () => {
    const app = memoryApp()
      .invocation("emitter", { history: WELL(0) })
      .invocation("below", { parent: "emitter", history: WELL(0) })
      .event("e1", { emitted_by_invocation_id: "below" })
      .event("outside", { event_code: "from.outside" })
      .invocation("both", { history: WELL(10) })
      .triggerRun("run1", {
        triggered_invocation_id: "both",
        participants: [
          { event_id: "e1" },
          { source_invocation_id: "emitter", context_type: "ResultContext" },
          { source_invocation_id: "forgotten", context_type: "StatusContext" },
        ],
      })
      .invocation("named", { event: "e1", history: WELL(11) })
      .invocation("external", { event: "outside", history: WELL(12) });
    const { of } = await exported(app);
    const linkTo = (id: string) => {
      const span = of(id);
      return { trace: span?.trace, id: span?.id };
    };
    expect(of("both")?.links).toEqual([
      {
        ...linkTo("below"),
        attributes: { "pynenc.link.kind": "event", "pynenc.event.id": "e1", "pynenc.trigger_run.id": "run1" },
      },
      { ...linkTo("emitter"), attributes: { "pynenc.link.kind": "result", "pynenc.trigger_run.id": "run1" } },
      {
        trace: createHash("sha256").update("forgotten").digest("hex").slice(0, 32),
        id: createHash("sha256").update("forgotten").digest("hex").slice(32, 48),
        attributes: { "pynenc.link.kind": "status", "pynenc.trigger_run.id": "run1" },
      },
    ]);
    expect(of("both")?.attributes).toMatchObject({
      "pynenc.event.id": "e1",
      "pynenc.event.code": "order.created",
      "pynenc.trigger_run.id": "run1",
    });
    expect(of("named")?.links).toEqual([
      { ...linkTo("below"), attributes: { "pynenc.link.kind": "event", "pynenc.event.id": "e1" } },
    ]);
    expect(of("external")?.links).toEqual([]);
    expect(of("external")?.attributes["pynenc.event.code"]).toBe("from.outside");
    expect(of("both")?.trace).not.toBe(of("emitter")?.trace);
  });
});

it("an exported invocation links to the family of one that is not exported itself", async () => {
  const app = memoryApp()
    .invocation("top", { history: WELL(0) })
    .invocation("middle", { parent: "top", history: WELL(1) })
    .invocation("emitter", { parent: "middle", history: WELL(2) })
    .event("e1", { emitted_by_invocation_id: "emitter" })
    .invocation("started", { event: "e1", history: WELL(9) });
  const { of, spans } = await exported(app, { limit: 1 });
  expect(spans.length).toBe(4);
  expect(of("started")?.links[0]?.trace).toBe(createHash("sha256").update("top").digest("hex").slice(0, 32));
  expect(of("started")?.attributes["messaging.system"]).toBe("pynenc");
});

it("long histories are read in smaller groups, each in full", async () => {
  const app = memoryApp();
  const turns = Array.from({ length: 1_900 }, (_, turn) => [at(1 + turn), "rerouted"] as const);
  for (let n = 0; n < 11; n++)
    app.invocation(`i${n}`, { history: [[at(0), "registered"], ...turns, [at(3_000), "success"]] });
  const { spans, below, report } = await exported(app);
  expect(report).toEqual({ invocations: 11, notes: [] });
  expect(spans.length).toBe(11 * 1_902);
  expect(below("i7").map(({ attributes }) => attributes["pynenc.statuses"])).toEqual([
    ["registered"],
    ...turns.map(([, status]) => [status]),
  ]);
});

it("an OTLP export without any invocation that can be drawn is empty", async () => {
  const app = memoryApp().invocation("purged", { history: [], status: { status: "success", status_timestamp: at(3) } });
  expect((await exported(app)).text).toBe("");
});

it("an OTLP export has the newest invocations up to the limit", async () => {
  const app = memoryApp().invocations(5, (n) => ({ history: WELL(n) }));
  const { spans, report } = await exported(app, { limit: 2 });
  expect(spans.flatMap((span) => span.attributes["messaging.message.id"] ?? [])).toEqual(["i4", "i3"]);
  expect(report.invocations).toBe(2);
});
