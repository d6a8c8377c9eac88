import { describeWithRedis } from "../support/redis-server.ts";
import { redisHarness } from "./redis-harness.ts";
import { storeContract } from "./store-contract.ts";

describeWithRedis("a Redis server", () => {
  storeContract("Redis", redisHarness());
  // A thread answers as this one does, and what travels between them is the same for each kind of store: sqlite.test.ts has every kind of value.
  storeContract("Redis in a worker thread", redisHarness(null, 1), ["pending_triggers.db"]);
});
