/** Everything about one invocation, and what is said where parts are gone or contradict each other. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { REQUEUE_GRACE_SECONDS } from "../../../src/stores/requeue-rule.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the history of an invocation", () => {
  const retried = (entries: number) =>
    memoryApp({ now: at(900_000) }).invocation("a", {
      history: Array.from({ length: entries }, (_, n) => {
        const status = n === 0 ? "registered" : n === entries - 1 ? "failed" : n % 2 === 1 ? "running" : "retry";
        return [at(n * 2), status] as const;
      }),
    });
  const times = (history: readonly { timestamp: string }[]) =>
    history.map((entry) => (Date.parse(entry.timestamp) / 1000 - at(0)) / 2);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

  it("is shown whole up to 200 entries", async () => {
    const detail = await invocationDetail(retried(200).opened, "a");
    expect(times(detail.history)).toEqual(range(0, 200));
    expect(detail).toMatchObject({ history_count: 200, history_truncated: false, history_gap: null });
  });

  it.each([201, 2_000, 2_001, 5_000])("of %d entries is shown by its ends", async (count) => {
    const detail = await invocationDetail(retried(count).opened, "a");
    expect(times(detail.history)).toEqual([...range(0, 100), ...range(count - 100, count)]);
    expect(detail).toMatchObject({
      history_count: count,
      history_truncated: true,
      history_gap: { after: 100, entries: count - 200 },
      status: "failed",
      total_seconds: (count - 1) * 2,
    });
    expect(detail.notes.filter((note) => note.startsWith("The history"))).toEqual([]);
    // An entry behind the gap follows one that is not shown.
    expect(detail.history.map((entry) => entry.seconds_since_previous)).toEqual([null, ...range(1, 200).map(() => 2)]);
    const possible = (await invocationDetail(retried(200).opened, "a")).history.map((entry) => entry.possible);
    expect(new Set(detail.history.slice(1, -1).map((entry) => entry.possible))).toEqual(new Set(possible.slice(1, -1)));
  });

  it("has phases of all its entries, or none that are known", async () => {
    const seconds = async (count: number) => {
      const { phases } = await invocationDetail(retried(count).opened, "a");
      return phases === null ? null : phases.reduce((sum, phase) => sum + phase.seconds, 0);
    };
    expect(await seconds(200)).toBe(199 * 2);
    expect(await seconds(2_000)).toBe(1_999 * 2);
    expect(await seconds(2_001)).toBeNull();
  });

  it("ends where the whole history ends, for what is said of it", async () => {
    const app = retried(3_000);
    app.change(({ statuses }) => {
      for (const status of statuses) status.status = "running";
    });
    expect((await invocationDetail(app.opened, "a")).notes).toContain(
      "The history ends with failed, the orchestrator says running: the last entry is missing or late.",
    );
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
