/** Queues of pynenc 0.4 in a Redis server, under key names that the monitor cannot know. */
import { FACTS } from "../support/fixtures.ts";
import { queueNamesOf } from "../support/redis-queue-names.ts";
import { describeWithRedis } from "../support/redis-server.ts";
import { actionsContract } from "./actions-contract.ts";
import { redisHarness } from "./redis-harness.ts";
import { storeContract } from "./store-contract.ts";

describeWithRedis("a Redis server with named queues", () => {
  storeContract("Redis", redisHarness(queueNamesOf(0)), ["queues_040.db"]);

  actionsContract("Redis", redisHarness(queueNamesOf(3)), (fixture) =>
    fixture === "queues_040.db" ? Object.keys(FACTS[fixture]) : [],
  );
});
