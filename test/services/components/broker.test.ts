/** The broker's page: waiting messages, since when they wait, and the runners that could take them. */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { brokerOverview, queuePage } from "../../../src/services/components/broker.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const APP = () =>
  memoryApp({ now: at(100) })
    .invocations(8)
    .message("i3", at(30))
    .message("i1", at(10))
    .message("gone", at(20));

describe("the overview of the broker", () => {
  it("counts messages and active runners, and gives the age of the oldest message", async () => {
    const app = APP()
      .runner("alive", { last: at(90) })
      .runner("dead", { last: at(-600) });
    expect(await brokerOverview(app.opened)).toMatchObject({
      present: true,
      queue_peek: true,
      queue_shared: false,
      messages: 3,
      oldest_queued_at: isoFromEpoch(at(10)),
      oldest_seconds: 90,
      active_runners: 1,
    });
  });

  it("shows the next messages, oldest first, even those of missing invocations", async () => {
    const { next } = await brokerOverview(APP().opened);
    expect(next.map((row) => [row.invocation_id, row.status, row.queued_seconds])).toEqual([
      ["i1", "registered", 90],
      ["gone", "unknown", 80],
      ["i3", "registered", 70],
    ]);
  });

  it("shows at most five messages", async () => {
    const app = memoryApp();
    for (let n = 0; n < 9; n++) app.message(`m${n}`, at(n));
    const { next, messages } = await brokerOverview(app.opened);
    expect([messages, next.map((row) => row.invocation_id)]).toEqual([9, ["m0", "m1", "m2", "m3", "m4"]]);
  });

  it("gives no age if the queue is empty or keeps no times", async () => {
    const empty = await brokerOverview(memoryApp().opened);
    expect([empty.oldest_queued_at, empty.oldest_seconds, empty.next]).toEqual([null, null, []]);
    const timeless = await brokerOverview(memoryApp().message("a", null).opened);
    expect([timeless.oldest_queued_at, timeless.oldest_seconds, timeless.next[0]?.queued_at]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("names the server of a shared queue, and no server otherwise", async () => {
    const fields = async (queue_shared: boolean) =>
      (await brokerOverview(memoryApp({ capabilities: { queue_shared } }).opened)).settings.map((row) => row.field);
    const own = ["broker_cls", "queue_timeout_sec"];
    const server = ["rabbitmq_host", "rabbitmq_port", "rabbitmq_virtual_host", "rabbitmq_queue_prefix"];
    expect(await fields(true)).toEqual([...own, ...server]);
    expect(await fields(false)).toEqual(own);
  });

  it("says if the broker is not in this store", async () => {
    const app = memoryApp();
    app.change((rows) => {
      rows.capabilities.components.broker = false;
    });
    expect((await brokerOverview(app.opened)).present).toBe(false);
    expect((await queuePage(app.opened, {})).present).toBe(false);
  });
});

describe("a page of the queue", () => {
  const app = memoryApp();
  for (let n = 0; n < 7; n++) app.message(`m${n}`, at(n));

  it.each([
    ["1", ["m0", "m1", "m2"], { first_row: 1, last_row: 3, has_next: true }],
    ["3", ["m6"], { first_row: 7, last_row: 7, has_next: false }],
    ["4", [], { first_row: 0, last_row: 0, has_next: false }],
  ])("number %s has its messages, oldest first", async (page, ids, place) => {
    const found = await queuePage(app.opened, { page: [page], limit: ["3"] });
    expect(found.messages.map((row) => row.invocation_id)).toEqual(ids);
    expect(found.page).toMatchObject({ total: 7, total_capped: false, ...place });
  });

  it("accepts 1 to 1,000 rows", async () => {
    await expect(queuePage(app.opened, { limit: ["1001"] })).rejects.toBeInstanceOf(InvalidInputError);
    await expect(queuePage(app.opened, { limit: ["0"] })).rejects.toBeInstanceOf(InvalidInputError);
    expect((await queuePage(app.opened, { limit: ["1000"] })).messages).toHaveLength(7);
  });
});

describe("the place of a message", () => {
  /** Three queues; of messages that came together the one with the greater priority is taken first. */
  const named = () => {
    const app = memoryApp({ queue_layout: { named: true }, settings: { broker: { queues: ["b", "a", "c"] } } });
    for (let n = 0; n < 3; n++) app.message(`a${n}`, at(n), { queue: "a", priority: 3 - n });
    for (let n = 0; n < 2; n++) app.message(`b${n}`, at(n), { queue: "b" });
    return app.message("c0", at(0), { queue: "c", priority: 7 });
  };
  const places = async (raw: Record<string, string>) => {
    const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
    const { messages, page, queue } = await queuePage(named().opened, given);
    const rows = messages.map((row) => [row.invocation_id, row.queue_name, row.priority, row.place]);
    return { rows, total: page.total, queue };
  };

  it("counts from 1 in its own queue, on any page of the list of all queues", async () => {
    expect(await places({ limit: "2", page: "1" })).toEqual({
      rows: [
        ["a0", "a", 3, 1],
        ["a1", "a", 2, 2],
      ],
      total: 6,
      queue: null,
    });
    expect((await places({ limit: "2", page: "2" })).rows).toEqual([
      ["a2", "a", 1, 3],
      ["b0", "b", 0, 1],
    ]);
    expect((await places({ limit: "2", page: "3" })).rows).toEqual([
      ["b1", "b", 0, 2],
      ["c0", "c", 7, 1],
    ]);
  });

  it("is the same in the list of one queue", async () => {
    expect(await places({ queue: "a", limit: "2", page: "2" })).toEqual({
      rows: [["a2", "a", 1, 3]],
      total: 3,
      queue: "a",
    });
    expect((await places({ queue: "b" })).rows).toEqual([
      ["b0", "b", 0, 1],
      ["b1", "b", 0, 2],
    ]);
    expect(await places({ queue: "no such" })).toEqual({ rows: [], total: 0, queue: "no such" });
  });

  it("is given for a queue without a name too, where a queue name is refused", async () => {
    const app = APP();
    const { messages } = await queuePage(app.opened, { limit: ["2"], page: ["2"] });
    expect(messages.map((row) => [row.invocation_id, row.queue_name, row.place])).toEqual([["i3", null, 3]]);
    await expect(queuePage(app.opened, { queue: ["a"] })).rejects.toBeInstanceOf(InvalidInputError);
  });

  it("counts messages of final invocations ahead of it", async () => {
    const app = memoryApp()
      .invocation("done", { history: [[at(0), "success"]] })
      .invocation("waits");
    const { next } = await brokerOverview(app.message("done", at(1)).message("waits", at(2)).opened);
    expect(next.map((row) => [row.invocation_id, row.place])).toEqual([["waits", 2]]);
  });
});

it("the overview adds up the waiting messages of all queues, and shows the routing settings", async () => {
  const app = memoryApp({ now: at(100), queue_layout: { named: true } })
    .invocation("done", { history: [[at(0), "success"]] })
    .invocations(3)
    .message("done", at(1), { queue: "a" })
    .message("i0", at(5), { queue: "a" })
    .message("i1", at(4), { queue: "b" })
    .message("i2", at(6), { queue: "b" });
  const overview = await brokerOverview(app.opened);
  expect(overview).toMatchObject({
    named_queues: true,
    queue_note: null,
    messages: 4,
    waiting: 3,
    oldest_queued_at: isoFromEpoch(at(4)),
    oldest_seconds: 96,
    more_queues: 0,
  });
  expect(overview.settings.map((row) => row.field)).toEqual([
    "broker_cls",
    "queue_timeout_sec",
    "broker.queues",
    "priority_rules",
    "runner.queues",
    "queue_selection_strategy",
  ]);
});
