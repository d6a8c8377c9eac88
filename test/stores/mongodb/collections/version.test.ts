/** Whether an app in MongoDB may have changed, and what it takes to know that. */
import { expect, it } from "vitest";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { startWire } from "../../../support/mongodb-wire.ts";
import { smallApps } from "../small-app.ts";

describeWithMongo("the version of an app in MongoDB", () => {
  const open = smallApps();

  it("takes one command while a runner is heard again each time, and is another each time", async () => {
    const small = open();
    const wire = await startWire({}, small.place.url);
    const store = mongoStoreOn({ ...small.place, url: wire.url });
    const runners = small.collection("orchestrator_runner_heartbeats");
    const beat = (last_heartbeat: number) =>
      runners.updateOne({ runner_id: "r" }, { $set: { last_heartbeat } }, { upsert: true });
    const app = store.app("small");
    const asked = async () => {
      wire.commands.splice(0);
      const version = await app.version();
      return { version, commands: wire.commands.filter(({ find, count }) => find ?? count).length };
    };
    await beat(1);
    const all = await asked();
    expect(all.commands).toBeGreaterThan(10);
    expect(await asked()).toEqual(all);
    await beat(2);
    const changed = await asked();
    expect(changed.commands).toBe(all.commands);
    await beat(3);
    const again = await asked();
    expect(again.commands).toBe(1);
    const still = await asked();
    expect(still.commands).toBe(all.commands);
    expect(await asked()).toEqual(still);
    expect(new Set([all, changed, again, still].map(({ version }) => version)).size).toBe(4);
    await small.collection("orchestrator_blocking_edges").insertOne({ waiter_id: "a", waited_id: "b" });
    expect((await asked()).version).not.toBe(still.version);
    await store.close();
    await wire.close();
    await small.close();
  });
});
