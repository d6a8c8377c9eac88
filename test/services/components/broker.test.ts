/** The queue: what waits in it, since when, and who could take it. */
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
  it("counts messages and active runners, and tells the age of the oldest message", async () => {
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

  it("shows what is taken next, oldest first, also messages of invocations that are gone", async () => {
    const { next } = await brokerOverview(APP().opened);
    expect(next.map((row) => [row.invocation_id, row.status, row.queued_seconds])).toEqual([
      ["i1", "registered", 90],
      ["gone", "unknown", 80],
      ["i3", "registered", 70],
    ]);
  });

  it("shows five at most", async () => {
    const app = memoryApp();
    for (let n = 0; n < 9; n++) app.message(`m${n}`, at(n));
    const { next, messages } = await brokerOverview(app.opened);
    expect([messages, next.map((row) => row.invocation_id)]).toEqual([9, ["m0", "m1", "m2", "m3", "m4"]]);
  });

  it("tells no age where the queue is empty or keeps no times", async () => {
    const empty = await brokerOverview(memoryApp().opened);
    expect([empty.oldest_queued_at, empty.oldest_seconds, empty.next]).toEqual([null, null, []]);
    const timeless = await brokerOverview(memoryApp().message("a", null).opened);
    expect([timeless.oldest_queued_at, timeless.oldest_seconds, timeless.next[0]?.queued_at]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("names the server of a queue that is shared, and only of that", async () => {
    const fields = async (queue_shared: boolean) =>
      (await brokerOverview(memoryApp({ capabilities: { queue_shared } }).opened)).settings.map((row) => row.field);
    expect(await fields(true)).toContain("rabbitmq_host");
    expect(await fields(false)).toEqual(["broker_cls", "queue_timeout_sec"]);
  });

  it("says when the broker is not in this store", async () => {
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
  ])("%s holds its messages, oldest first", async (page, ids, place) => {
    const found = await queuePage(app.opened, { page: [page], limit: ["3"] });
    expect(found.messages.map((row) => row.invocation_id)).toEqual(ids);
    expect(found.page).toMatchObject({ total: 7, total_capped: false, ...place });
  });

  it("has a size within bounds", async () => {
    await expect(queuePage(app.opened, { limit: ["1001"] })).rejects.toBeInstanceOf(InvalidInputError);
    await expect(queuePage(app.opened, { limit: ["0"] })).rejects.toBeInstanceOf(InvalidInputError);
    expect((await queuePage(app.opened, { limit: ["1000"] })).messages).toHaveLength(7);
  });
});
