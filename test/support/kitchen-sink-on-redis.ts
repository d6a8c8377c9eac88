/** Shared set-up of the tests of actions on Redis: a server that has the real data, unchanged, at the start of each test. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { RedisStore } from "../../src/stores/redis/store.ts";
import { REDIS_RDB } from "./redis-facts.ts";
import { type AllKeys, allKeys } from "./redis-keys.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";
import { storeOn } from "./redis-store.ts";

export interface KitchenSink {
  server: RedisServer;
  /** Opened for this test, closed after it. */
  store: RedisStore;
  /** Every key at the start of the test. */
  before: AllKeys;
}

/** Call it inside `describeWithRedis`. @param use is called before each test. */
export function kitchenSinkOnRedis(use: (sink: KitchenSink) => void): void {
  let server: RedisServer;
  let store: RedisStore;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
  });
  beforeEach(async () => {
    store = storeOn(server);
    use({ server, store, before: await allKeys(server) });
  });
  afterEach(async () => {
    await store.close();
    // A restart loads the data again.
    await server.stop();
    await server.start();
  });
  afterAll(() => server.close());
}
