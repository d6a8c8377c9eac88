/** Where an invocation waits for a runner: queue, place, what is ahead of it, who takes from there, and what is usual. */
import { describe, expect, it } from "vitest";
import type { WaitingPlace } from "../../../src/api/model/waiting-places.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { oldestMessage } from "../../../src/services/model/waiting-place.ts";
import { why } from "../../../src/services/why/why.ts";
import {
  at,
  type MemoryApp,
  type MemoryAppOptions,
  memoryApp,
  type Step,
} from "../../support/memory-app/memory-app.ts";

const NOW = at(60);

const placeOf = async (app: MemoryApp, id = "waiting"): Promise<WaitingPlace | null> => {
  return (await invocationDetail(app.opened, id)).waiting;
};
const wordsOf = async (app: MemoryApp): Promise<string> => (await placeOf(app))?.sentences.join(" ") ?? "";

const named = (given: MemoryAppOptions = {}) =>
  memoryApp({ now: NOW, queue_layout: { named: true }, settings: { queues: ["default", "slow"] }, ...given });
const queued = (app: MemoryApp, id: string, task: string, priority: number, queue = "default") =>
  app.invocation(id, { task }).message(id, at(10), { queue, priority });
const running = (runner: string): readonly Step[] => [
  [at(0), "registered"],
  [at(1), "pending", runner],
  [at(2), "running", runner],
];

describe("the place of a waiting invocation", () => {
  it("counts the invocations ahead of it in its own queue, by task", async () => {
    const app = named();
    for (const id of ["u1", "u2"]) queued(app, id, "shop.urgent", 10);
    queued(app, "p1", "shop.plain", 0);
    queued(app, "waiting", "shop.plain", 0);
    queued(app, "later", "shop.plain", 0);
    queued(app, "elsewhere", "shop.slow", 99, "slow");
    expect(await placeOf(app)).toMatchObject({
      queue_name: "default",
      priority: 0,
      place: 4,
      ahead: 3,
      ahead_exact: true,
      ahead_by_task: [
        { task_id_key: "shop.urgent", invocations: 2 },
        { task_id_key: "shop.plain", invocations: 1 },
      ],
    });
    expect(await wordsOf(app)).toContain(
      "It is in queue default with priority 0; 3 invocations are ahead of it (2 of shop.urgent, 1 of shop.plain).",
    );
  });

  it("says of the oldest message that what is ahead of it came later", async () => {
    const app = named();
    queued(app, "urgent", "shop.urgent", 10);
    app.invocation("oldest").message("oldest", at(5), { queue: "default", priority: 0 });
    const queue = { queue_name: "default", oldest_queued_at: isoFromEpoch(at(5)) };
    expect((await app.opened.store.read((reads) => oldestMessage(reads, queue)))?.sentence).toBe(
      "It is in queue default with priority 0; 1 invocation queued later is ahead of it (shop.urgent).",
    );
  });

  it("has nothing ahead at the front, and messages of ended invocations do not count", async () => {
    const app = memoryApp({ now: NOW })
      .invocation("ended", { history: [...running("r1"), [at(3), "success"]] })
      .message("ended", at(1))
      .invocation("waiting")
      .message("waiting", at(2));
    expect(await placeOf(app)).toMatchObject({ queue_name: null, priority: null, place: 2, ahead: 0 });
    expect(await wordsOf(app)).toContain("It is in the queue; nothing is ahead of it.");
  });

  it("is behind at least as many invocations as were read of a long queue", async () => {
    const app = memoryApp({ now: NOW }).invocations(2_100);
    app.change((rows) => {
      for (let n = 0; n < 2_100; n++) {
        rows.messages.push({ invocation_id: `i${n}`, queued_at: at(n / 1_000), queue_name: null, priority: null });
      }
    });
    app.invocation("waiting").message("waiting", at(5));
    expect(await placeOf(app)).toMatchObject({ place: null, ahead: 2_000, ahead_exact: false });
    expect(await wordsOf(app)).toContain("at least 2,000 invocations are ahead of it");
  });

  it("names three tasks of the invocations ahead, and counts the other tasks", async () => {
    const app = named();
    for (const task of ["shop.a", "shop.b", "shop.c", "shop.d", "shop.e"]) queued(app, task, task, 10);
    queued(app, "waiting", "shop.plain", 0);
    expect(await wordsOf(app)).toContain(
      "5 invocations are ahead of it (1 of shop.a, 1 of shop.b, 1 of shop.c, others of 2 more tasks).",
    );
  });

  it("is unknown in a queue whose messages can only be counted", async () => {
    const app = memoryApp({ now: NOW, capabilities: { queue_peek: false } }).invocation("waiting");
    app.change((rows) => {
      rows.messages.push({ invocation_id: "another", queued_at: null, queue_name: null, priority: null });
    });
    expect(await placeOf(app)).toMatchObject({ place: null, ahead: null });
    expect(await wordsOf(app)).toContain(
      "1 message waiting. This queue can only be counted, so its own place is not known.",
    );
  });

  it("does not exist without a message, or for a running invocation", async () => {
    const app = memoryApp({ now: NOW })
      .invocation("waiting")
      .invocation("runs", { history: running("r1") });
    expect(await placeOf(app)).toBeNull();
    expect(await placeOf(app.message("runs"), "runs")).toBeNull();
  });

  it("does not matter for an invocation that others wait for, because runners take it first", async () => {
    const app = memoryApp({ now: NOW })
      .invocation("waits", { history: running("r1") })
      .invocation("waiting")
      .message("waiting")
      .edge("waits", "waiting");
    expect(await wordsOf(app)).toContain("1 invocation waits for it, so runners take it first");
    const { verdict, others } = await why(app.runner("r1", { last: NOW }).opened, { id: ["waits"] });
    expect([verdict, ...others].at(-1)?.detail).toMatch(/^That is waiting .* It is in the queue; nothing is ahead/);
  });
});

describe("the runners that take from the queue of a waiting invocation", () => {
  const waiting = () => queued(named(), "waiting", "shop.pay", 0);

  it("are counted, and the idle ones among them are named", async () => {
    const app = waiting()
      .runner("busy", { queues: [] })
      .runner("idle", { queues: ["default"] });
    app.invocation("runs", { history: running("busy") });
    expect(await placeOf(app)).toMatchObject({
      consumers: 2,
      idle: [{ runner_id: "idle", queues: ["default"], takes: true }],
    });
    expect(await wordsOf(app)).toContain("2 active runners take from it; idle now: idle (default).");
  });

  it("are counted without a parent whose workers take the messages, but with one that starts a process for each", async () => {
    const beside = async (runner_cls: string) => {
      const app = waiting().runner("parent", { queues: [] });
      app
        .context("worker", { runner_cls, parent_ctx_id: "parent" })
        .heartbeat("worker", { last_heartbeat: NOW, consumed_queues: [] });
      return (await placeOf(app))?.consumers;
    };
    expect(await beside("PPRWorker")).toBe(1);
    expect(await beside("ProcessRunnerWorker")).toBe(1);
    const apart = waiting().runner("a", { queues: [] }).runner("b", { queues: [] });
    expect((await placeOf(apart))?.consumers).toBe(2);
  });

  it("are all called busy only if it is known that none is idle", async () => {
    const app = waiting()
      .runner("busy", { queues: [] })
      .invocation("runs", { history: running("busy") });
    expect(await wordsOf(app)).toContain("1 active runner takes from it; none is idle.");
    const unread = waiting().runner("idle");
    expect((await placeOf(unread))?.idle).toEqual([{ runner_id: "idle", queues: null, takes: null }]);
    expect(await wordsOf(unread)).not.toContain("idle");
  });

  it("do not include an idle runner of another queue, which is mentioned with that queue", async () => {
    const app = waiting()
      .runner("busy", { queues: ["default"] })
      .runner("idle", { queues: ["slow"] });
    app.invocation("runs", { history: running("busy") });
    expect(await wordsOf(app)).toContain(
      "1 active runner takes from it; none is idle. 1 other active runner is idle, but takes from other queues: idle (slow).",
    );
    const none = waiting().runner("idle", { queues: ["slow"] });
    expect(await wordsOf(none)).toContain("No active runner takes from it. 1 active runner is idle, but takes from");
  });

  it("are not called idle if one starts a process for each invocation, or is dead", async () => {
    const app = waiting()
      .context("starts", { runner_cls: "ProcessRunner" })
      .heartbeat("starts", { consumed_queues: [] });
    expect((await placeOf(app))?.idle).toEqual([]);
    expect(await wordsOf(app)).toContain("1 active runner takes from it.");
    const dead = waiting().runner("dead", { queues: [], last: at(-9_999) });
    expect(await placeOf(dead)).toMatchObject({ consumers: 0, idle: [] });
  });
});

describe("the usual wait of a task", () => {
  const afterWaits = (count: number) => {
    const app = memoryApp({ now: at(4_000) });
    app.invocations(count, (n) => ({
      task: "shop.pay",
      history: [
        [at(n), "registered"],
        [at(n + 4), "pending"],
        [at(n + 4), "running"],
        [at(n + 5), "success"],
      ],
    }));
    return app.invocation("waiting").message("waiting");
  };

  it("is measured over the last day", async () => {
    const usual = (await placeOf(afterWaits(20)))?.usual_wait;
    expect(usual?.count).toBe(20);
    expect(usual?.p50_seconds).toBeCloseTo(4, 1);
    expect(await wordsOf(afterWaits(20))).toContain("Usual wait of shop.pay in the last 24 h: half up to");
  });

  it("is not shown after fewer than ten waits", async () => {
    expect((await placeOf(afterWaits(9)))?.usual_wait).toBeNull();
  });
});
