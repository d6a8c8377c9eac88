/** Waiting for invocations, with a clock that moves only when something waits. */
import { describe, expect, test } from "vitest";
import { WaitAnswer } from "../../../src/api/wait.ts";
import { InvalidInputError } from "../../../src/errors.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { waitFor } from "../../../src/services/invocations/wait.ts";
import { differences } from "../../support/answers.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** `a` and `b`, with these statuses. */
function app(a: string | null, b: string | null = "success"): MemoryApp {
  const shop = memoryApp();
  for (const [id, status] of [
    ["a", a],
    ["b", b],
  ] as const) {
    if (status !== null) shop.invocation(id, { history: [[at(1), status]] });
  }
  return shop;
}

/** What happens at the nth look, and how often the store was read. */
async function waited(shop: MemoryApp, raw: RawInput, ids = ["a", "b"], deeds: Record<number, () => unknown> = {}) {
  let [now, naps, reads] = [0, 0, 0];
  const clock = {
    now: () => now,
    async sleep(milliseconds: number) {
      expect(milliseconds).toBeGreaterThan(0);
      now += milliseconds;
      naps += 1;
      if (naps > 10_000) throw new Error("waits for ever");
      await deeds[naps]?.();
    },
  };
  const read: MemoryApp["store"]["read"] = (fn) => {
    reads += 1;
    return shop.store.read(fn);
  };
  const store = Object.create(shop.store, {
    read: { value: read },
    version: { value: () => shop.store.version() },
  });
  const answer = await waitFor({ ...shop.opened, store }, ids, raw, clock);
  expect(differences(WaitAnswer, answer)).toEqual([]);
  return { answer, reads, naps };
}

function becomes(shop: MemoryApp, id: string, status: string): () => void {
  return () =>
    shop.change((rows) =>
      rows.statuses.filter((row) => row.invocation_id === id).map((row) => Object.assign(row, { status })),
    );
}

describe("waiting for invocations", () => {
  test.each([
    ["final", "failed", "reached", "reached"],
    ["final", "concurrency_controlled_final", "reached", "reached"],
    ["success", "success", "reached", "reached"],
    ["success", "failed", "ended_otherwise", "ended_otherwise"],
    ["running", "running", "reached", "reached"],
    ["running", "paused", "reached", "reached"],
    ["running", "failed", "reached", "reached"],
    ["running", "concurrency_controlled_final", "ended_otherwise", "ended_otherwise"],
    ["final", "running", "timed_out", "waiting"],
    ["success", "retry", "timed_out", "waiting"],
    ["running", "pending", "timed_out", "waiting"],
  ])("to be %s with one that is %s ends as %s", async (goal, status, outcome, state) => {
    const { answer } = await waited(app(status), { goal: [goal], timeout: ["3s"] });
    expect(answer).toMatchObject({ waited_for: goal, outcome });
    expect(answer.invocations).toEqual([
      { invocation_id: "a", task_id_key: "shop.pay", status, state },
      { invocation_id: "b", task_id_key: "shop.pay", status: "success", state: "reached" },
    ]);
    expect(answer.waited_seconds).toBe(outcome === "timed_out" ? 3 : 0);
  });

  test("ends with the last one, and reads the store only when that has changed", async () => {
    const shop = app("pending", "running");
    const deeds = { 100: becomes(shop, "a", "success"), 200: becomes(shop, "b", "failed") };
    const { answer, reads, naps } = await waited(shop, {}, ["b", "a"], deeds);
    expect([answer.outcome, answer.invocations.map(({ status }) => status)]).toEqual([
      "reached",
      ["failed", "success"],
    ]);
    expect([reads, naps]).toEqual([3, 200]);
  });

  test("to succeed ends when one has failed, while others run", async () => {
    const shop = app("running", "running");
    const { answer } = await waited(shop, { goal: ["success"] }, ["a", "b"], { 3: becomes(shop, "b", "failed") });
    expect([answer.outcome, answer.invocations[0]?.state]).toEqual(["ended_otherwise", "waiting"]);
  });

  test("uses the history of one that the orchestrator has purged", async () => {
    const shop = memoryApp().invocation("a", { status: null, history: [[at(1), "success"]] });
    const { outcome, invocations } = (await waited(shop, { goal: ["success"] }, ["a"])).answer;
    expect([outcome, invocations[0]?.task_id_key]).toEqual(["reached", "shop.pay"]);
  });

  test("ends as not known if one is not stored, or is purged meanwhile", async () => {
    expect((await waited(app(null), {})).answer).toMatchObject({ outcome: "not_known" });
    const shop = app("running");
    const purge = () => shop.store.actions.purge(["orchestrator", "state_backend"]);
    expect((await waited(shop, {}, ["a", "b"], { 5: purge })).answer.outcome).toBe("not_known");
  });

  test("refuses other goals and invalid timeouts", async () => {
    await expect(waited(app("success"), { goal: ["failed"] })).rejects.toThrow(InvalidInputError);
    await expect(waited(app("success"), { timeout: ["0"] })).rejects.toThrow(InvalidInputError);
  });
});
