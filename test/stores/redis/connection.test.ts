import { afterAll, beforeAll, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { RedisConnection } from "../../../src/stores/redis/connection.ts";
import { AppKeys } from "../../../src/stores/redis/keys.ts";
import type { RedisStore } from "../../../src/stores/redis/store.ts";
import { fixturePath } from "../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../support/redis-server.ts";
import { storeOn } from "./store-on.ts";

describeWithRedis("a connection to a Redis server", () => {
  let server: RedisServer;
  let store: RedisStore;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    store = storeOn(server);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  it("finds the apps by the ids that they registered under", async () => {
    expect((await store.apps()).map((app) => app.app_id)).toEqual(["kitchen-sink.two/β", "kitchen_sink", "sink[3]*?"]);
  });

  it("answers in order, with null for a key of another type", async () => {
    const queue = new AppKeys("kitchen_sink").key("broker", "default_queue");
    expect(await server.exchange([["LLEN", queue], ["GET", queue], ["PING"]])).toEqual([6, null, "PONG"]);
  });

  it("gives the same token until something changes", async () => {
    const app = store.app("kitchen_sink");
    const before = await app.version();
    expect(await app.version()).toBe(before);
    await server.exchange([["SET", "something", "else"]]);
    expect(await app.version()).not.toBe(before);
  });

  it("tells that the server is gone, and goes on when it is back", async () => {
    const connection = new RedisConnection(server.endpoint);
    expect(await connection.exchange([["DBSIZE"]])).not.toEqual([0]);
    await server.stop();
    const error = await connection.exchange([["DBSIZE"]]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnreachableError);
    expect(await store.app("kitchen_sink").version()).not.toBe(await store.app("kitchen_sink").version());
    await server.start();
    expect(await connection.exchange([["PING"]])).toEqual(["PONG"]);
    expect(await store.app("kitchen_sink").read((reads) => reads.broker.countMessages())).toBe(6);
    await connection.close();
  });
});
