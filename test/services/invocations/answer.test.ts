/** The answer at the top of an invocation: why it failed, or what it waits for, from its rows alone. */
import { describe, expect, it } from "vitest";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { REQUEUE_GRACE_SECONDS } from "../../../src/stores/requeue-rule.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const answerOf = async (app: MemoryApp, id = "a") => {
  const { answer } = await invocationDetail(app.opened, id);
  if (answer === null) return null;
  return [answer.sentence, answer.label, answer.invocation?.invocation_id ?? null];
};

/** As the JSON serializer stores it. */
const error = (error_name: string, message: string) =>
  JSON.stringify({
    error_name,
    pynenc_error: false,
    error_data: JSON.stringify({ __pynenc__std_py_exc__: { type: error_name, args: [message], message } }),
  });

const until = (...statuses: string[]): Step[] => ["registered", ...statuses].map((status, n) => [at(n), status]);
const FAILED = until("pending", "running", "failed");

describe("the answer about a failed invocation", () => {
  it("gives its exception on one line, after the number of retries", async () => {
    const app = memoryApp().invocation("a", {
      history: until("pending", "running", "retry", "pending", "running", "failed"),
      exception: error("ValueError", "\nno such shelf\nsecond line"),
    });
    expect(await answerOf(app)).toEqual(["It failed after 1 retry with ValueError: no such shelf …", null, null]);
  });

  it("says if its exception is not stored or not readable", async () => {
    const app = memoryApp().invocation("a", { history: FAILED });
    expect(await answerOf(app)).toEqual(["It failed; pynenc recorded no exception.", null, null]);
    // Retries are counted by the orchestrator, which has forgotten this one.
    const forgotten = memoryApp().invocation("a", { history: FAILED, status: null });
    expect(await answerOf(forgotten)).toEqual(["It failed; pynenc recorded no exception.", null, null]);
    app.change((rows) => rows.exceptions.push({ invocation_id: "a", stored: "{" }));
    expect((await answerOf(app))?.[0]).toMatch(/^It failed; its exception cannot be read\.$/);
  });

  it("names the deepest failed invocation below it, and of several the first that failed", async () => {
    const app = memoryApp()
      .invocation("a", { history: FAILED })
      .invocation("b", { history: FAILED, parent: "a" })
      .invocation("well", { history: until("success"), parent: "a" })
      // Below one that ended well: its failure was dealt with.
      .invocation("dealt-with", { history: FAILED, parent: "well" })
      .invocation("deeper", { history: FAILED, parent: "dealt-with" })
      .invocation("c-late", { history: [...FAILED.slice(0, 3), [at(9), "failed"]], parent: "b" })
      .invocation("c", { history: FAILED, parent: "b" });
    expect((await answerOf(app))?.slice(1)).toEqual(["Deepest failure", "c"]);
    expect((await answerOf(app, "c"))?.slice(1)).toEqual([null, null]);
  });

  it("names all calls below it that failed on their own, not those that failed because a call of theirs did", async () => {
    const app = memoryApp()
      .invocation("a", { history: FAILED })
      .invocation("pay", { history: FAILED, parent: "a" })
      .invocation("charge", { history: FAILED, parent: "pay", task: "shop.charge" });
    const details = async () => (await invocationDetail(app.opened, "a")).answer?.details;
    expect([await details(), (await answerOf(app))?.[1]]).toEqual([[], "Root failure"]);
    app.invocation("reserve", { history: FAILED, parent: "a", task: "shop.reserve" });
    expect(await details()).toEqual([
      "2 calls below failed on their own: charge (shop.charge), reserve (shop.reserve).",
    ]);
    expect((await answerOf(app))?.slice(1)).toEqual(["Deepest failure", "charge"]);
    for (let n = 0; n < 3; n++) app.invocation(`b${n}`, { history: FAILED, parent: "a" });
    expect((await details())?.[0]).toMatch(/^5 calls below failed on their own: charge .*, and 2 more\.$/);
  });

  it("finds one among many children, and does not call it the deepest if not all could be followed", async () => {
    const one = memoryApp().invocation("a", { history: FAILED });
    one.invocations(1_500, () => ({ parent: "a", history: until("success") }));
    one.invocation("b", { history: FAILED, parent: "a" });
    expect((await answerOf(one))?.slice(1)).toEqual(["Root failure", "b"]);
    const many = memoryApp().invocation("a", { history: FAILED });
    for (let n = 0; n < 21; n++) many.invocation(`b${n}`, { history: FAILED, parent: "a" });
    expect((await answerOf(many))?.[1]).toBe("Deepest failure found");
    const deep = memoryApp().invocation("a", { history: FAILED });
    for (let n = 0; n < 13; n++) deep.invocation(`d${n}`, { history: FAILED, parent: n === 0 ? "a" : `d${n - 1}` });
    expect((await answerOf(deep))?.slice(1)).toEqual(["Deepest failure found", "d11"]);
  });

  it("ends for a family that is a circle", async () => {
    const app = memoryApp()
      .invocation("a", { history: FAILED, parent: "b" })
      .invocation("b", { history: FAILED, parent: "a" });
    expect((await answerOf(app))?.slice(1)).toEqual(["Root failure", "b"]);
  });
});

describe("the answer about an unfinished invocation", () => {
  it("gives what it waits for, if that wait is current", async () => {
    const app = memoryApp()
      .runner("r1")
      .invocation("a", { history: until("pending", "running", "paused") })
      .invocation("b", { history: until("pending", "running") })
      .edge("a", "b");
    expect(await answerOf(app)).toEqual(["It waits for the result of another invocation.", "Waits for", "b"]);
    app.invocation("c").edge("a", "c");
    expect((await answerOf(app))?.slice(0, 2)).toEqual(["It waits for the results of 2 invocations.", "One of them"]);
    app.change((rows) => {
      for (const status of rows.statuses) if (status.invocation_id !== "a") status.status = "success";
    });
    expect((await answerOf(app))?.[0]).toMatch(/^It is paused, .* is not recorded\.$/);
  });

  it("says that it waits for a runner, and whether its message is in the queue", async () => {
    const app = memoryApp({ now: at(1) }).invocation("a");
    expect(await answerOf(app)).toEqual(["It waits for a runner.", null, null]);
    app.message("a");
    expect((await answerOf(app))?.[0]).toBe("It waits in the queue for a runner.");
    const lost = memoryApp({ now: at(1 + REQUEUE_GRACE_SECONDS) }).invocation("a");
    expect((await answerOf(lost))?.[0]).toMatch(/^It waits for a runner, but is missing from the queue/);
    const counted = memoryApp({ capabilities: { queue_peek: false }, now: at(1 + REQUEUE_GRACE_SECONDS) });
    expect((await answerOf(counted.invocation("a")))?.[0]).toBe("It waits for a runner.");
  });

  it("does not call it lost while another invocation waits for it", async () => {
    const app = memoryApp({ now: at(1 + REQUEUE_GRACE_SECONDS) })
      .invocation("a")
      .invocation("parent", { history: until("running") })
      .change((rows) => rows.edges.push({ waiter_id: "parent", waited_id: "a" }));
    expect((await answerOf(app))?.[0]).toBe("It waits for a runner.");
  });

  it.each([
    ["pending", "It is pending: picked up by a runner, not started yet."],
    ["running", "It is running."],
    ["killed", "It was stopped by the runner before it ended, and is about to be requeued."],
    ["pending_recovery", "It was taken by recovery after too long in pending, and is about to be requeued."],
  ])("describes its status %s", async (status, sentence) => {
    expect(
      await answerOf(
        memoryApp()
          .runner("r1")
          .invocation("a", { history: until(status) }),
      ),
    ).toEqual([sentence, null, null]);
  });

  it.each(["running", "paused"])("says that its runner is silent if it is %s on a silent runner", async (status) => {
    const history = until("pending", ...(status === "paused" ? ["running", "paused"] : ["running"]));
    const app = memoryApp({ now: at(3_600) })
      .runner("r1", { last: at(60) })
      .invocation("a", { history });
    const sentence = `It is ${status}, but its runner is silent: the last heartbeat was 59 min ago.`;
    expect(await answerOf(app)).toEqual([sentence, null, null]);
    // Whatever it waits for: nothing continues it.
    expect((await answerOf(app.invocation("b").edge("a", "b")))?.[0]).toBe(sentence);
    app.change((rows) => {
      rows.heartbeats.length = 0;
    });
    expect((await answerOf(app))?.[0]).toBe(
      `It is ${status}, but its runner is silent: no heartbeat of it is stored. Whether it worked on the invocation is not known.`,
    );
  });

  it("says that its state is unknown if the orchestrator has purged it", async () => {
    const app = memoryApp().invocation("a", { history: until("pending", "running"), status: null });
    expect((await answerOf(app))?.[0]).toBe(
      "Its last recorded status is running; the orchestrator has none. Whether it continued is not known.",
    );
  });
});

it("a succeeded or unknown invocation has no answer, and one that concurrency control stopped has one", async () => {
  expect(await answerOf(memoryApp().invocation("a", { history: until("running", "success") }))).toBeNull();
  expect(await answerOf(memoryApp().invocation("a", { history: [], status: null }))).toBeNull();
  expect(await answerOf(memoryApp().invocation("a", { history: until("brand_new") }))).toBeNull();
  expect((await answerOf(memoryApp().invocation("a", { history: until("concurrency_controlled_final") })))?.[0]).toBe(
    "Concurrency control dropped it: it did not run and will not.",
  );
});
