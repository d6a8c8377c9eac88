/** What took part in a trigger run, and how. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { causesOf, eventsOf, kindsOfSource, sourcesOf } from "../../../src/services/model/run-causes.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

type Given = NonNullable<Parameters<ReturnType<typeof memoryApp>["triggerRun"]>[1]>;

const runOf = async (given: Given) => {
  const [run] = await memoryApp()
    .triggerRun("run", given)
    .store.read((reads) => reads.trigger.triggerRunsByIds(["run"]));
  if (run === undefined) throw new Error("no run");
  return run;
};

describe("participants of a run", () => {
  it("are the events and invocations of the record, each once", async () => {
    const run = await runOf({
      participants: [{ event_id: "e1" }, { event_id: "e1" }, { source_invocation_id: "i1" }],
      event_ids: ["e2", "e1"],
      source_invocation_ids: [],
    });
    expect([eventsOf(run), sourcesOf(run)]).toEqual([["e2", "e1"], ["i1"]]);
  });

  it("are taken from the lists of ids in records without participants", async () => {
    const run = await runOf({ event_ids: ["e1"], source_invocation_ids: ["i1", "i1"] });
    expect([eventsOf(run), sourcesOf(run)]).toEqual([["e1"], ["i1"]]);
  });
});

describe("how an invocation took part", () => {
  it("is given by the kinds of conditions that it met, each once", async () => {
    const met = (context_type: string | null, source_invocation_id = "i1") => ({ context_type, source_invocation_id });
    const run = await runOf({
      participants: [
        met("ResultContext"),
        met("StatusContext"),
        met("StatusContext"),
        met("ExceptionContext", "other"),
      ],
    });
    expect(kindsOfSource(run, "i1")).toEqual(["result", "status"]);
    expect(kindsOfSource(run, "other")).toEqual(["exception"]);
  });

  it("is just source if the record does not say", async () => {
    const run = await runOf({ participants: [{ source_invocation_id: "i1", context_type: "SomeNewContext" }] });
    expect(kindsOfSource(run, "i1")).toEqual(["source"]);
    expect(kindsOfSource(run, "nobody")).toEqual(["source"]);
    expect(kindsOfSource(undefined, "i1")).toEqual(["source"]);
  });
});

describe("the causes of a run", () => {
  it("are its participants, with the facts from their stored summaries", async () => {
    const run = await runOf({
      participants: [
        {
          source_invocation_id: "s",
          context_type: "ExceptionContext",
          context_timestamp: at(3),
          context_summary: "status:FAILED exception:ValueError task:shop.pay",
        },
        { event_id: "e", context_summary: "code:paid" },
        { context_type: "SomeNewContext" },
      ],
    });
    const nothing = { task_id_key: null, status: null, exception_type: null, timestamp: null };
    expect(causesOf(run)).toEqual([
      {
        kind: "exception",
        event_id: null,
        event_code: null,
        source_invocation_id: "s",
        task_id_key: "shop.pay",
        status: "failed",
        exception_type: "ValueError",
        timestamp: isoFromEpoch(at(3)),
      },
      { ...nothing, kind: "event", event_id: "e", event_code: "paid", source_invocation_id: null },
      { ...nothing, kind: null, event_id: null, event_code: null, source_invocation_id: null },
    ]);
  });

  it("are the events and invocations that a record without participants names", async () => {
    const run = await runOf({ event_ids: ["e"], source_invocation_ids: ["s"] });
    expect(causesOf(run).map((cause) => [cause.kind, cause.event_id, cause.source_invocation_id])).toEqual([
      ["event", "e", null],
      [null, null, "s"],
    ]);
  });
});
