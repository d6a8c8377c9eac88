/** Invocations that are not final and that no runner will take: which they are, since when, and what helps. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { why } from "../../../src/services/why/why.ts";
import { at, type MemoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(3_600);

/** Registered, taken and run, until it entered this status so many seconds ago. */
const until = (status: string, ago: number): readonly Step[] => [
  [at(0), "registered"],
  [at(1), "pending"],
  [at(2), "running"],
  [NOW - ago, status],
];

const app = () => healthyApp({ now: NOW });

async function theOnly(world: MemoryApp) {
  const [verdict, ...others] = await verdictsOf(world);
  expect(others).toEqual([]);
  return verdict;
}

describe("an invocation in a status that pynenc leaves at once", () => {
  it.each([
    ["killed", 60, "was stopped by the runner before it ended and not requeued"],
    ["concurrency_controlled", 300, "was held back by running concurrency control and not requeued"],
    ["pending_recovery", 300, "was taken by recovery after too long in pending and not requeued"],
    ["running_recovery", 300, "was taken by recovery from a silent runner and not requeued"],
  ])("is left behind as %s once %i seconds are over", async (status, grace, words) => {
    expect(await codesOf(app().invocation("a", { history: until(status, grace) }))).toEqual([]);
    const verdict = await theOnly(app().invocation("a", { history: until(status, grace + 1) }));
    expect(verdict).toMatchObject({
      code: "left_behind",
      severity: "error",
      sentence: "1 invocation left behind, not requeued",
      since: isoFromEpoch(NOW - grace - 1),
      evidence: [{ kind: "invocation", id: "a", role: null }],
      count: 1,
    });
    expect(verdict?.detail).toContain(`1 invocation ${words} (${status}).`);
    expect(verdict?.detail).toContain("Requeue does not help");
    expect(verdict?.detail).toContain("Rerun its call");
  });

  it("is left behind with or without a message, because runners ignore that", async () => {
    const world = app().invocation("a", { history: until("killed", 600) });
    expect(await codesOf(world.message("a", NOW - 10))).toEqual(["left_behind"]);
  });

  it("is found behind many that were registered later and are fine", async () => {
    const world = app().invocation("old", { history: until("concurrency_controlled", 900) });
    for (let n = 0; n < 150; n++) world.invocation(`new ${n}`, { history: until("concurrency_controlled", 1) });
    expect((await theOnly(world))?.evidence.map(({ id }) => id)).toEqual(["old"]);
  });

  it("has this verdict in why, without a promise in the next sentence", async () => {
    const world = app().invocation("a", { history: until("killed", 600) });
    const { verdict, others } = await why(world.opened, { id: ["a"] });
    expect([verdict?.code, ...others.map(({ code }) => code)]).toEqual(["left_behind", "in_progress"]);
    expect(others[0]?.sentence).toBe(
      "It was stopped by the runner before it ended, and was not requeued: nothing will run it.",
    );
  });
});

describe("an invocation without a status and without a message", () => {
  const purged = (status: string, ago = 600) => app().invocation("a", { history: until(status, ago), status: null });

  it.each(["registered", "rerouted", "retry", "killed"])(
    "is left behind if its history ends with %s",
    async (status) => {
      const verdict = await theOnly(purged(status));
      expect(verdict).toMatchObject({
        code: "left_behind",
        since: isoFromEpoch(NOW - 600),
        evidence: [{ kind: "invocation", id: "a", role: null }],
      });
      expect(verdict?.detail).toContain("1 invocation has neither a status nor a message: the orchestrator was purged");
    },
  );

  it("has no verdict if a runner had taken it, since it may have ended", async () => {
    for (const status of ["pending", "running", "paused", "success", "failed"]) {
      expect(await codesOf(purged(status))).toEqual([]);
    }
  });

  it("has another verdict while its message exists", async () => {
    expect(await codesOf(purged("registered").message("a", NOW - 10))).toEqual(["message_without_invocation"]);
  });

  it("has no verdict if the queue can only be counted", async () => {
    const counted = healthyApp({ now: NOW, capabilities: { queue_peek: false } });
    counted.invocation("a", { history: until("registered", 600), status: null });
    expect(await codesOf(counted)).toEqual([]);
  });

  it("is found among all definitions, however many were registered since", async () => {
    const world = purged("registered");
    for (let n = 0; n < 3_000; n++) world.invocation(`later ${n}`, { history: until("success", 500) });
    expect((await theOnly(world))?.evidence.map(({ id }) => id)).toEqual(["a"]);
  });

  it("has this verdict in why, before the one that its status is unknown", async () => {
    const { verdict, others } = await why(purged("registered").opened, { id: ["a"] });
    expect([verdict?.code, ...others.map(({ code }) => code)]).toEqual(["left_behind", "status_not_known"]);
  });
});

describe("a registered invocation without a message", () => {
  it("is left behind if its definition is missing too, since it cannot be requeued or rerun", async () => {
    const verdict = await theOnly(app().invocation("a", { definition: null }));
    expect(verdict).toMatchObject({ code: "left_behind", evidence: [{ id: "a" }] });
    expect(verdict?.detail).toContain("neither a definition nor a message");
    expect(verdict?.detail).toContain("there is nothing to rerun");
    expect(verdict?.detail).not.toContain("Rerun its call");
  });

  it("has no verdict while a running one waits for it, because runners take it without a message", async () => {
    const world = app()
      .invocation("a")
      .invocation("parent", { history: until("running", 30) });
    expect(await codesOf(world)).toEqual(["waiting_in_no_queue"]);
    expect(await codesOf(world.edge("parent", "a"))).toEqual([]);
    // A runner takes only what waits for nothing itself.
    expect(await codesOf(world.edge("a", "gone"))).toEqual(["waiting_in_no_queue"]);
  });

  it("is found behind many that were registered later and have messages", async () => {
    const world = app().invocation("old");
    for (let n = 0; n < 150; n++) world.invocation(`new ${n}`, { history: [[NOW - 90, "registered"]] });
    for (let n = 0; n < 150; n++) world.message(`new ${n}`, NOW - 90);
    const verdict = await theOnly(world);
    expect(verdict).toMatchObject({ code: "waiting_in_no_queue", evidence: [{ id: "old" }], count: 1 });
  });
});
