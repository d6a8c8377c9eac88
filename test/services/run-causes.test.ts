/** What took part in a trigger run, and how. */
import { describe, expect, it } from "vitest";
import { eventsOf, kindsOfSource, sourcesOf } from "../../src/services/run-causes.ts";
import { memoryApp } from "../support/memory-app/memory-app.ts";

type Given = NonNullable<Parameters<ReturnType<typeof memoryApp>["triggerRun"]>[1]>;

const runOf = async (given: Given) => {
  const [run] = await memoryApp()
    .triggerRun("run", given)
    .store.read((reads) => reads.trigger.triggerRunsByIds(["run"]));
  if (run === undefined) throw new Error("no run");
  return run;
};

describe("participants of a run", () => {
  it("are named by the record, each once", async () => {
    const run = await runOf({
      participants: [{ event_id: "e1" }, { event_id: "e1" }, { source_invocation_id: "i1" }],
      event_ids: ["e2", "e1"],
      source_invocation_ids: [],
    });
    expect([eventsOf(run), sourcesOf(run)]).toEqual([["e2", "e1"], ["i1"]]);
  });

  it("are listed apart in records without participants", async () => {
    const run = await runOf({ event_ids: ["e1"], source_invocation_ids: ["i1", "i1"] });
    expect([eventsOf(run), sourcesOf(run)]).toEqual([["e1"], ["i1"]]);
  });
});

describe("how an invocation took part", () => {
  it("is told by the conditions that it met, each kind once", async () => {
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

  it("is just that it did where the record does not say", async () => {
    const run = await runOf({ participants: [{ source_invocation_id: "i1", context_type: "SomeNewContext" }] });
    expect(kindsOfSource(run, "i1")).toEqual(["source"]);
    expect(kindsOfSource(run, "nobody")).toEqual(["source"]);
    expect(kindsOfSource(undefined, "i1")).toEqual(["source"]);
  });
});
