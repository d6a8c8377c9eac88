import { Double } from "mongodb";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { type SmallApp, smallApps } from "../small-app.ts";

const ALL = { limit: 100, offset: 0 };

describeWithMongo("a queue of pynenc 0.4 in MongoDB that an older pynenc has written to", () => {
  const open = smallApps();
  let small: SmallApp;

  beforeEach(async () => {
    small = open();
    const queue = small.collection("broker_message_queue");
    await queue.createIndex({ queue_name: 1, priority: -1, created_at: 1 });
    await queue.insertMany([
      { invocation_id: "old", created_at: new Date(1_000) },
      { invocation_id: "late", queue_name: "mail", priority: new Double(0), created_at: new Date(3_000) },
      { invocation_id: "urgent", queue_name: "mail", priority: new Double(7.5), created_at: new Date(4_000) },
      { invocation_id: "first", queue_name: "default", priority: new Double(0), created_at: new Date(2_000) },
    ]);
  });
  afterEach(() => small.close());

  it("lists its messages queue by queue in the order in which they are taken, those without a queue by themselves", async () => {
    const messages = await small.read(({ broker }) => broker.peekMessages(ALL));
    expect(messages.map((one) => [one.queue_name, one.invocation_id, one.priority, one.queued_at])).toEqual([
      [null, "old", null, 1],
      ["default", "first", 0, 2],
      ["mail", "urgent", 7.5, 4],
      ["mail", "late", 0, 3],
    ]);
    expect(await small.read(({ broker }) => broker.queues())).toEqual([
      { queue_name: null, messages: 1, oldest: 1 },
      { queue_name: "default", messages: 1, oldest: 2 },
      { queue_name: "mail", messages: 2, oldest: 3 },
    ]);
  });

  it("has a note that no runner takes the messages without a queue, as long as there are any", async () => {
    expect(await small.read(({ broker }) => broker.layout())).toEqual({
      named: true,
      complete: true,
      note: "1 message has no queue: pynenc before 0.4 wrote it, and runners of 0.4 never take it.",
    });
    await small.collection("broker_message_queue").deleteOne({ invocation_id: "old" });
    expect(await small.read(({ broker }) => broker.layout())).toMatchObject({ named: true, note: null });
  });

  it("still has named queues when all its messages are gone, but only if an index names them", async () => {
    const queue = small.collection("broker_message_queue");
    await queue.deleteMany({});
    expect(await small.read(({ broker }) => broker.layout())).toMatchObject({ named: true });
    await queue.drop();
    await queue.insertOne({ invocation_id: "old", created_at: new Date(1_000) });
    expect(await small.read(({ broker }) => broker.layout())).toMatchObject({ named: false, note: null });
  });

  it("takes a new message with its priority as a float, as pynenc writes it, and never a second one", async () => {
    await small.collection("orchestrator_invocations").insertOne({
      invocation_id: "lost",
      task_id_key: "app.send",
      status: "registered",
      status_timestamp: new Date(0),
    });
    await small.collection("state_backend_invocations").insertOne({ invocation_id: "lost" });
    const routing = {
      tasks: { "app.send": { queue_name: "mail", priority: 3 } },
      fallback: { queue_name: "x", priority: 0 },
    };
    const request = { settled_until: 1e9, active_since: 0, force: false, routing };
    const refusals = async (ids: string[]) =>
      (await small.app.actions.requeue(ids, request)).map(({ refusal }) => refusal?.kind ?? null);
    expect(await refusals(["lost", "lost"])).toEqual([null, "queued"]);
    expect(await refusals(["lost"])).toEqual(["queued"]);
    const stored = await small
      .collection("broker_message_queue")
      .find({ invocation_id: "lost" }, { promoteValues: false })
      .toArray();
    expect(stored).toHaveLength(1);
    expect(stored[0]?.priority).toEqual(new Double(3));
    expect(String(stored[0]?.queue_name)).toBe("mail");
  });
});
