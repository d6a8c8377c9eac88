/** Pages of the same app from SQLite and from Redis. */
import { FIXTURE_NAMES } from "../support/fixtures.ts";
import { redisFixtures } from "../support/redis-fixtures.ts";
import { describeWithRedis } from "../support/redis-server.ts";
import { describeTwins } from "../support/twin-pages.ts";

describeWithRedis("pages from SQLite and from Redis", () => {
  const load = redisFixtures();
  // Redis has one queue without a name.
  const alike = FIXTURE_NAMES.filter((name) => name !== "queues_040.db");
  describeTwins(alike, async (fixture) => {
    const { endpoint, close } = await load(fixture);
    return { place: { url: endpoint.url }, close };
  });
});
