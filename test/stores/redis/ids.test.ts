/** Parts of ids on a server that has no order of them: what is gone is no match, and a search that ended early says so. */
import { expect, it } from "vitest";
import { AppKeys } from "../../../src/stores/redis/keys/keys.ts";
import type { Command } from "../../../src/stores/redis/server/connection.ts";
import { RedisConnection } from "../../../src/stores/redis/server/connection.ts";
import { describeWithRedis, startRedis } from "../../support/redis-server.ts";
import { storeOn } from "../../support/redis-store.ts";
import { registered } from "./orchestrator/registered.ts";

const APP = "ids";

/** A little more than is looked at. */
const MANY = 200_010;

describeWithRedis("ids in Redis", () => {
  async function matchesAmong(commands: readonly Command[], beginning: string) {
    const server = await startRedis();
    const connection = new RedisConnection(server.endpoint);
    const store = storeOn(server, { readOnly: true });
    try {
      await connection.exchange(commands);
      return await store
        .app(APP)
        .read((reads) => reads.ids.matching([{ kind: "invocation", beginning, ending: "" }], 5));
    } finally {
      await store.close();
      await connection.close();
      await server.close();
    }
  }

  it("that an auto-purge left in the index by time do not match", async () => {
    const kept = registered(APP, { id: "aaaa-1", status: "success", time: 1 });
    const left = registered(APP, { id: "aaaa-2", status: null, time: 2 });
    expect(await matchesAmong([...kept, ...left], "aaaa")).toEqual([{ ids: ["aaaa-1"], complete: true }]);
  });

  it("among more than are examined are found up to that limit, and the answer is marked as incomplete", async () => {
    const index = new AppKeys(APP).key("orchestrator", "all_invocations_by_time");
    const others = Array.from(
      { length: MANY / 10 },
      (_, i): Command => [
        "ZADD",
        index,
        ...Array.from({ length: 10 }, (__, j) => [String(10 + i), `b${i}-${j}`]).flat(),
      ],
    );
    const latest = registered(APP, { id: "aaaa-new", status: "success", time: MANY });
    const oldest = registered(APP, { id: "aaaa-old", status: "success", time: 1 });
    const [found] = await matchesAmong([...others, ...latest, ...oldest], "aaaa");
    expect(found).toEqual({ ids: ["aaaa-new"], complete: false });
  });
});
