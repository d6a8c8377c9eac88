import { Double } from "mongodb";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { type SmallApp, smallApps } from "../small-app.ts";

describeWithMongo("the runners of an app in MongoDB", () => {
  const open = smallApps();
  let small: SmallApp;
  const consumers = (since: number) => small.read(({ orchestrator }) => orchestrator.consumers(since));

  beforeEach(() => {
    small = open();
  });
  afterEach(() => small.close());

  it("are counted as none before the first one starts, when pynenc has not made their collection yet", async () => {
    await small.collection("broker_message_queue").insertOne({ invocation_id: "waits", created_at: new Date(1_000) });
    expect(await consumers(0)).toEqual([]);
  });

  it("are counted by the queues that they take from, since an instant", async () => {
    const beat = (runner_id: string, at: number, more: object = {}) => ({
      runner_id,
      creation_timestamp: new Double(1),
      last_heartbeat: new Double(at),
      ...more,
    });
    await small
      .collection("orchestrator_runner_heartbeats")
      .insertMany([beat("a", 10), beat("b", 20), beat("c", 20, { consumed_queues: ["mail"] })]);
    expect(await consumers(20)).toEqual([
      { queues: ["mail"], runners: 1 },
      { queues: null, runners: 1 },
    ]);
    expect(await consumers(21)).toEqual([]);
  });
});
