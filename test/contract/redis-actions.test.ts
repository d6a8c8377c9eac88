import { describeWithRedis } from "../support/redis-server.ts";
import { actionsContract } from "./actions-contract.ts";
import { redisHarness } from "./redis-harness.ts";

describeWithRedis("a Redis server", () => actionsContract("Redis", redisHarness()));
