import { describeWithRedis } from "../support/redis-server.ts";
import { redisHarness } from "./redis-harness.ts";
import { storeContract } from "./store-contract.ts";

describeWithRedis("a Redis server", () => storeContract("Redis", redisHarness()));
