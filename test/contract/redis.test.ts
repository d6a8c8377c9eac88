import { describeWithRedis } from "../support/redis-server.ts";
import { redisHarness } from "./redis-harness.ts";
import { storeContract } from "./store-contract.ts";

describeWithRedis("a Redis server", () => {
  storeContract("Redis", redisHarness());
  // A thread answers as this one does: this fixture holds every kind of value that travels between them.
  storeContract("Redis in a worker thread", redisHarness(null, 1), ["kitchen_sink.db"]);
});
