/** Notes on an invocation that has a result or exception and is not final. */
import { describe, expect, it } from "vitest";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { repeatsOf } from "../../../src/services/invocations/repeated-work.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("repeatsOf", () => {
  it("goes by the status if a result or exception is stored", () => {
    const told = Object.fromEntries(STATUSES.map(({ name }) => [name, repeatsOf(name, true)]));
    expect(told).toEqual({
      ...{ registered: "will", rerouted: "will", retry: "will", pending: "will", killed: "will" },
      ...{ concurrency_controlled: "will", pending_recovery: "will", running_recovery: "will" },
      ...{ running: "may", paused: "may" },
      ...{ success: "no", failed: "no", concurrency_controlled_final: "no" },
    });
    expect(STATUSES.map(({ name }) => repeatsOf(name, false))).not.toContain("will");
    expect([repeatsOf(undefined, true), repeatsOf("a newer word", true)]).toEqual(["no", "no"]);
  });
});

describe("an invocation that is not final", () => {
  const RESULT = '"42"';
  const world = (status: string, outcome: { result?: string; exception?: string }, kept = true) =>
    memoryApp()
      .invocation("a", {
        history: [
          [at(0), "registered"],
          [at(1), status, "r1"],
        ],
        ...outcome,
        ...(kept ? {} : { status: null }),
      })
      .message("a");
  const told = async (app: ReturnType<typeof world>) => {
    const { repeats, notes } = await invocationDetail(app.opened, "a");
    return [repeats, notes.filter((note) => note.includes("stored,"))];
  };

  it("with a result is reported to repeat its work", async () => {
    expect(await told(world("rerouted", { result: RESULT }))).toEqual([
      "will",
      ["A result of it is stored, so its work was done, but it is rerouted: a runner that takes it repeats it."],
    ]);
  });

  it("with an exception is reported to repeat its work too", async () => {
    const [repeats, notes] = await told(world("pending_recovery", { exception: "boom" }));
    expect([repeats, String(notes)]).toEqual(["will", expect.stringMatching(/^An exception of it is stored, so/)]);
    const [, both] = await told(world("rerouted", { result: RESULT, exception: "boom" }));
    expect(String(both)).toMatch(/^A result and an exception of it are stored/);
  });

  it("with a result and running is reported to be ending or repeating its work", async () => {
    const [repeats, notes] = await told(world("running", { result: RESULT }));
    expect([repeats, String(notes)]).toEqual(["may", expect.stringContaining("about to end, or repeats its work")]);
  });

  it("has no note without an outcome, when it is final, or if the orchestrator has purged it", async () => {
    for (const app of [
      world("rerouted", {}),
      world("success", { result: RESULT }),
      world("rerouted", { result: RESULT }, false),
    ])
      expect(await told(app)).toEqual(["no", []]);
  });
});
