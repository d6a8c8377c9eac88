/** Everything about one invocation, and what is said where parts are gone or contradict each other. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../src/errors.ts";
import { invocationDetail } from "../../src/services/invocation-detail.ts";
import { REQUEUE_GRACE_SECONDS } from "../../src/services/requeue.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

describe("the history of an invocation", () => {
  it("is shown whole up to 2,000 entries, and beyond is said to be cut", async () => {
    const app = memoryApp({ now: at(9_000) }).invocation("a", {
      history: Array.from({ length: 2_000 }, (_, n) => [at(n), n === 0 ? "registered" : "retry"] as const),
    });
    const whole = await invocationDetail(app.opened, "a");
    expect([whole.history.length, whole.history_truncated]).toEqual([2_000, false]);
    app.change(({ history }) =>
      history.push({ ...(history[1] as (typeof history)[0]), timestamp: at(8_000), written_at: at(8_000) }),
    );
    const cut = await invocationDetail(app.opened, "a");
    expect([cut.history.length, cut.history_truncated]).toEqual([2_000, true]);
  });
});

describe("a status in which a runner may take it", () => {
  it.each(["registered", "rerouted", "retry"])("%s without a message: nobody will take it up", async (status) => {
    const app = memoryApp({ now: at(1 + REQUEUE_GRACE_SECONDS) }).invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), status],
      ],
    });
    const note = `It is ${status} and waits for a runner, but the queue has no message of it: no runner will take it up. Requeue puts its message back.`;
    expect((await invocationDetail(app.opened, "a")).notes).toContain(note);
    app.message("a");
    expect((await invocationDetail(app.opened, "a")).notes).not.toContain(note);
  });

  it("says nothing while the message may be on its way: it is sent after the status is written", async () => {
    const app = memoryApp({ now: at(REQUEUE_GRACE_SECONDS) }).invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), "retry"],
      ],
    });
    const { notes, queued, requeueable } = await invocationDetail(app.opened, "a");
    expect([queued, requeueable]).toEqual([false, false]);
    expect(notes.join("\n")).not.toMatch(/queue/);
  });

  it("says nothing of a queue whose messages can only be counted", async () => {
    const app = memoryApp({ capabilities: { queue_peek: false } }).invocation("a");
    const { notes, queued } = await invocationDetail(app.opened, "a");
    expect(queued).toBeNull();
    expect(notes.join("\n")).not.toMatch(/no queue/);
  });
});

it("is not found when no component knows it", async () => {
  await expect(invocationDetail(memoryApp().opened, "nobody")).rejects.toBeInstanceOf(NotFoundError);
});

describe("an invocation that the orchestrator has forgotten", () => {
  const RETRIED = [
    [at(0), "registered"],
    [at(1), "running", "r1"],
    [at(2), "retry", "r1"],
    [at(3), "running", "r1"],
  ] as const;

  it("has the retries that its history tells, and none are claimed where that is cut", async () => {
    const app = memoryApp().invocation("a", { history: RETRIED, status: null });
    expect((await invocationDetail(app.opened, "a")).retry_count).toBe(1);
    const long = memoryApp({ now: at(9_000) }).invocation("a", {
      history: Array.from({ length: 2_001 }, (_, n) => [at(n), "running"] as const),
      status: null,
    });
    expect((await invocationDetail(long.opened, "a")).retry_count).toBeNull();
    const kept = memoryApp().invocation("a", { history: RETRIED, status: { retry_count: 7 } });
    expect((await invocationDetail(kept.opened, "a")).retry_count).toBe(7);
  });
});
