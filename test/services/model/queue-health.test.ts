/** Queues by name: what waits in them and who takes from them. */
import { describe, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { listedQueues, oldestWaiting, queuesOf } from "../../../src/services/model/queue-health.ts";
import { queueFindings } from "../../../src/services/verdicts/queues.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { portWith } from "../../support/memory-app/port-with.ts";

const DECLARED = { broker: { queues: ["default", "mail", "archive"] } };

/** The present is at(60). */
const app = (settings: Record<string, unknown> = DECLARED) => memoryApp({ settings, queue_layout: { named: true } });
const read = (one: MemoryApp) => one.store.read((reads) => queuesOf(one.opened, reads));
const states = async (one: MemoryApp) =>
  (await read(one)).queues.map(({ queue_name, active_consumers, health }) => [queue_name, active_consumers, health]);

it("a queue without found messages is not listed as empty while the store is still being searched for queues", async () => {
  const one = (complete: boolean) =>
    memoryApp({ settings: DECLARED, queue_layout: { named: true, complete } })
      .invocation("a")
      .message("a", at(0), { queue: "mail" });
  const messages = async (complete: boolean) =>
    (await read(one(complete))).queues.map((queue) => [queue.queue_name, queue.messages]);
  expect(await messages(false)).toEqual([["mail", 1]]);
  expect(await messages(true)).toEqual([
    ["default", 0],
    ["mail", 1],
    ["archive", 0],
  ]);
});

describe("the consumers of a queue", () => {
  it("are runners that name it and, if it is declared, runners that name no queue", async () => {
    const one = app()
      .runner("all", { queues: [] })
      .runner("mailer", { queues: ["mail"] })
      .runner("dead", { queues: ["archive"], last: at(-5_000) });
    expect(await states(one)).toEqual([
      ["default", 1, "consuming"],
      ["mail", 2, "consuming"],
      ["archive", 1, "consuming"],
    ]);
  });

  it("are missing if active runners name only other queues", async () => {
    expect(await states(app().runner("mailer", { queues: ["mail"] }))).toEqual([
      ["default", 0, "not_consumed"],
      ["mail", 1, "consuming"],
      ["archive", 0, "not_consumed"],
    ]);
  });

  it("do not include a runner that names no queue if the queue is not declared", async () => {
    const one = app().invocation("a").message("a", at(0), { queue: "adhoc" }).runner("all", { queues: [] });
    expect((await states(one)).at(-1)).toEqual(["adhoc", 0, "not_configured"]);
    expect((await read(one)).queues.map(({ declared }) => declared)).toEqual([true, true, true, false]);
  });

  it("include a runner that names an undeclared queue, which is reported as not configured", async () => {
    const one = app().runner("odd", { queues: ["adhoc"] });
    expect((await states(one)).at(-1)).toEqual(["adhoc", 1, "not_configured"]);
  });

  it("are unknown without the declared queues, unless a runner names the queue or no runner could take from it", async () => {
    const one = (runner: { queues?: string[] } | null) => {
      const made = app({}).invocation("a").message("a", at(0), { queue: "mail" });
      return runner === null ? made : made.runner("r", runner);
    };
    expect(await states(one({ queues: [] }))).toEqual([
      ["default", 1, "consuming"],
      ["mail", 0, "unknown"],
    ]);
    expect((await states(one({ queues: ["mail"] }))).at(-1)).toEqual(["mail", 1, "consuming"]);
    expect((await states(one({ queues: ["default"] }))).at(-1)).toEqual(["mail", 0, "not_consumed"]);
    expect((await states(one({}))).at(-1)).toEqual(["mail", 0, "unknown"]);
    expect((await states(one(null))).at(-1)).toEqual(["mail", 0, "not_consumed"]);
  });

  it("are all active runners if the only queue has no name", async () => {
    const one = memoryApp()
      .runner("r1")
      .runner("r2")
      .runner("dead", { last: at(-5_000) });
    expect(await read(one)).toMatchObject({
      named: false,
      queues: [{ queue_name: null, active_consumers: 2, declared: null, health: "consuming", waiting: 0 }],
    });
    expect(await states(memoryApp())).toEqual([[null, 0, "not_consumed"]]);
  });
});

describe("the waiting messages of a queue", () => {
  const done = {
    history: [
      [at(0), "registered"],
      [at(1), "pending"],
      [at(2), "running"],
      [at(3), "success"],
    ],
  } as const;

  it("are counted apart from messages whose invocations are final, even if only the history says so", async () => {
    const one = app()
      .invocation("ran", done)
      .invocation("forgotten", { ...done, status: null })
      .invocation("waits")
      .message("ran", at(1), { queue: "archive" })
      .message("forgotten", at(2), { queue: "archive" })
      .message("waits", at(30), { queue: "archive" })
      .message("gone", at(40), { queue: "archive", priority: -1 });
    const { queues, next } = await read(one);
    expect(queues[2]).toMatchObject({
      queue_name: "archive",
      messages: 4,
      waiting: 2,
      finished: 2,
      oldest_queued_at: isoFromEpoch(at(30)),
      oldest_seconds: 30,
    });
    expect(next.map(({ message, place }) => [message.invocation_id, place])).toEqual([
      ["waits", 3],
      ["gone", 4],
    ]);
  });

  it("are listed by priority, then by age, within each queue", async () => {
    const one = app();
    for (const [id, time, queue, priority] of [
      ["low", 0, "mail", -1],
      ["old", 1, "mail", 5],
      ["high", 2, "mail", 9],
      ["other", 3, "default", 0],
    ] as const)
      one.invocation(id).message(id, at(time), { queue, priority });
    expect((await read(one)).next.map(({ message, place }) => `${message.invocation_id} ${place}`)).toEqual([
      "other 1",
      "high 1",
      "old 2",
    ]);
  });

  it("include messages of final invocations if the queue is long, but its next message is that of a waiting invocation", async () => {
    const one = app();
    one.invocation("ran", done).message("ran", at(0), { queue: "mail" });
    one.invocation("next").message("next", at(1), { queue: "mail" });
    for (let n = 0; n < 2_000; n++) one.message(`m${n}`, at(2), { queue: "mail", priority: -1 });
    const { queues, next } = await read(one);
    expect(queues[1]).toMatchObject({ messages: 2_002, waiting: 2_002, finished: null, oldest_seconds: 60 });
    expect(next[0]).toMatchObject({ message: { invocation_id: "next" }, place: 2 });
  });

  it("have no age if the queue keeps no times, and none is shown as next if messages can only be counted", async () => {
    const counted = memoryApp({ capabilities: { queue_peek: false } })
      .invocation("a")
      .message("a", null);
    expect(await read(counted)).toMatchObject({
      next: [],
      queues: [{ messages: 1, waiting: 1, finished: null, oldest_queued_at: null, oldest_seconds: null }],
    });
  });

  it("are counted for each queue separately, and an empty queue has no oldest one", async () => {
    const one = app().invocation("ran", done).message("ran", at(5), { queue: "mail" });
    for (const [id, time, queue] of [
      ["a", 30, "default"],
      ["b", 10, "mail"],
      ["c", 20, "mail"],
    ] as const)
      one.invocation(id).message(id, at(time), { queue });
    const { queues } = await read(one);
    expect(queues.map((queue) => [queue.messages, queue.waiting, queue.finished, queue.oldest_seconds])).toEqual([
      [1, 1, 0, 30],
      [3, 2, 1, 50],
      [0, 0, 0, null],
    ]);
    expect(oldestWaiting(queues)?.queue_name).toBe("mail");
    expect(oldestWaiting(queues.toReversed())?.queue_name).toBe("mail");
    expect(oldestWaiting(queues.slice(2))).toBeUndefined();
  });

  it("are as old as the oldest of them whose time is known", async () => {
    const one = app();
    for (const [id, time] of [
      ["a", null],
      ["b", at(10)],
      ["c", null],
      ["d", at(20)],
    ] as const)
      one.invocation(id).message(id, time, { queue: "mail" });
    const { queues } = await read(one);
    expect(queues[1]).toMatchObject({
      messages: 4,
      waiting: 4,
      oldest_queued_at: isoFromEpoch(at(10)),
      oldest_seconds: 50,
    });
  });

  it("of a long queue are all counted as waiting, with the age of the oldest", async () => {
    const one = app();
    for (let n = 0; n < 2_001; n++) one.message(`m${n}`, at(2), { queue: "mail" });
    const { queues } = await read(one);
    expect(queues.map((queue) => [queue.messages, queue.waiting, queue.finished, queue.oldest_seconds])).toEqual([
      [0, 0, 0, null],
      [2_001, 2_001, null, 58],
      [0, 0, 0, null],
    ]);
  });

  it("are not shown while the broker is unreachable, and the rest still is; other errors are thrown", async () => {
    const one = app().message("a", at(0), { queue: "mail" });
    const readWith = (error: Error) =>
      one.store.read((reads) => {
        const broker = Object.create(reads.broker, { queues: { value: () => Promise.reject(error) } });
        return queuesOf(one.opened, { ...reads, broker });
      });
    expect(await readWith(new StoreUnreachableError("busy", "The broker is away."))).toEqual({
      messages: null,
      queues: [],
      named: false,
      complete: false,
      note: null,
      next: [],
      stranded: [],
      messages_unread: true,
      runners_known: true,
      unreachable: "The broker is away.",
    });
    await expect(readWith(new TypeError("a defect"))).rejects.toThrow("a defect");
    expect((await read(one)).unreachable).toBeNull();
  });
});

describe("queues with missing information", () => {
  const withMessage = (one: MemoryApp) => one.invocation("a").message("a", at(0), { queue: "mail" });

  it("have unknown consumers if no heartbeats are kept or a runner's list of queues is unreadable", async () => {
    const one = withMessage(app());
    const told = await one.store.read((reads) =>
      queuesOf(one.opened, { ...reads, orchestrator: portWith(reads.orchestrator, { consumers: async () => null }) }),
    );
    expect([told.runners_known, ...told.queues.map(({ health }) => health)]).toEqual([
      false,
      "unknown",
      "unknown",
      "unknown",
    ]);
    expect(queueFindings({ queues: told, active: 0, last_heard: null, idle: null, oldest: null })).toEqual([]);
    const unreadable = withMessage(app()).message("a", at(0), { queue: "adhoc" }).heartbeat("r1");
    expect((await states(unreadable)).map(([, , health]) => health)).toEqual(Array(4).fill("unknown"));
  });

  it("are not called declared or undeclared if pynenc would refuse the setting", async () => {
    for (const queues of ["", ["mail", "mail"], "a b"]) {
      const one = withMessage(app({ broker: { queues } })).runner("r1", { queues: ["mail"] });
      expect((await states(one)).at(-1)).toEqual(["mail", 1, "consuming"]);
      expect((await read(one)).queues.map(({ queue_name }) => queue_name)).toEqual(["default", "mail"]);
    }
  });
});

describe("many messages and many queues", () => {
  it("messages of final invocations are counted in short queues beside a long one", async () => {
    const one = app().invocation("ran", {
      history: [
        [at(0), "registered"],
        [at(1), "success"],
      ],
    });
    one.message("ran", at(0), { queue: "archive" }).invocation("next").message("next", at(1), { queue: "archive" });
    for (let n = 0; n < 2_500; n++) one.message(`m${n}`, at(2), { queue: "mail" });
    const { queues } = await read(one);
    expect(queues.map(({ queue_name, waiting, finished }) => [queue_name, waiting, finished])).toEqual([
      ["default", 0, 0],
      ["mail", 2_500, null],
      ["archive", 1, 1],
    ]);
  });

  it("at most 200 of 1,003 queues are listed and at most 20 next messages shown", async () => {
    const one = app();
    for (let n = 0; n < 1_000; n++) one.message(`m${n}`, at(0), { queue: `q${n}` });
    const told = await read(one);
    expect(told.next.length).toBeLessThanOrEqual(20);
    const listed = listedQueues(told.queues);
    expect([told.queues.length, listed.queues.length, listed.more_queues]).toEqual([1_003, 200, 803]);
  });
});

it("queues are read once for all parts of a page", async () => {
  const app = memoryApp().message("a");
  await app.store.read(async (reads) => {
    const first = queuesOf(app.opened, reads);
    expect(queuesOf(app.opened, reads)).toBe(first);
    await first;
  });
});
