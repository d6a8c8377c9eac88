/** Thousands that wait for one invocation: only as many are read as were asked for. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const APP = "waits";
const MANY = 60_000;
const key = (...words: string[]) => new AppKeys(APP).key("blocking_control", ...words);
const waiter = (i: number) => `waiter-${String(i).padStart(6, "0")}`;

describeWithRedis("many waits for one invocation", () => {
  let server: RedisServer;
  let store: ReturnType<typeof storeOn>;
  beforeAll(async () => {
    server = await startRedis();
    store = storeOn(server, { readOnly: true });
    const waits = (waited: string, count: number) =>
      Array.from({ length: count }, (_, i) => ["SADD", key("waited_by", waited), waiter((i * 7_919) % count)]);
    await server.exchange([
      ...waits("crowd", MANY),
      ...waits("few", 3),
      ["ZADD", key("all_waited"), "2", "crowd", "1", "few"],
    ]);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  const edges = (limit: number, offset = 0) =>
    store.app(APP).read((reads) => reads.orchestrator.blockingEdges({ limit, offset }));

  /** Bytes that the server has sent. */
  const sent = async () => {
    const [stats] = await server.exchange([["INFO", "stats"]]);
    return Number(/total_net_output_bytes:(\d+)/.exec(String(stats))?.[1]);
  };

  it("are read in pages that together have each wait once", async () => {
    const first = await edges(30);
    expect(first.map((edge) => edge.waited_id)).toEqual(Array.from({ length: 30 }, () => "crowd"));
    const pages = [...first, ...(await edges(30, 30)), ...(await edges(30, 60))].map((edge) => edge.waiter_id);
    expect(pages).toEqual((await edges(90)).map((edge) => edge.waiter_id));
    expect(new Set(pages).size).toBe(90);
    const last = await edges(10, MANY - 2);
    expect(last.map((edge) => edge.waited_id)).toEqual(["crowd", "crowd", "few", "few", "few"]);
    expect(last.slice(2).map((edge) => edge.waiter_id)).toEqual([0, 1, 2].map(waiter));
    expect(await store.app(APP).read((reads) => reads.orchestrator.countBlockingEdges())).toBe(MANY + 3);
  });

  it("are not all read for one page", async () => {
    for (const ask of [
      () => edges(30),
      () => store.app(APP).read((reads) => reads.orchestrator.blockingEdges({ limit: 30, offset: 0 }, "crowd")),
    ]) {
      const before = await sent();
      expect(await ask()).toHaveLength(30);
      // Of some 20 bytes each.
      expect((await sent()) - before).toBeLessThan(MANY * 10);
    }
  });
});
