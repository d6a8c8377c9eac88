import { presentOf, sum } from "../support/fixtures.ts";
import { type Monitor, monitorOn } from "../support/monitor.ts";
import { redisFixtures } from "../support/redis-fixtures.ts";
import { describeWithRedis } from "../support/redis-server.ts";
import { factsOverHttp } from "./facts.ts";

describeWithRedis("a Redis server", () => {
  const load = redisFixtures();
  factsOverHttp(
    "Redis",
    async (fixture, app): Promise<Monitor> => {
      const { endpoint, close } = await load(fixture);
      const monitor = await monitorOn({ url: endpoint.url }, "in process", { app, now: presentOf(fixture) });
      return {
        ...monitor,
        async close() {
          await monitor.close();
          await close();
        },
      };
    },
    {
      rowsOf: (facts) => ({
        history_by_timestamp: facts.history_rows,
        invocation: sum(facts.statuses),
        runner_context: sum(facts.runner_contexts),
      }),
      // When a run was written is not kept.
      runsOrderedBy: "registered",
    },
  );
});
