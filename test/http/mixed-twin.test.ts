/** Pages of the same app from SQLite and from several kinds of store, each of which has nothing but the components that it keeps. */
import { describe } from "vitest";
import type { StoreKind } from "../../src/config/setting-sources.ts";
import type { FixtureName } from "../support/fixtures.ts";
import { type MixedKinds, mixedFixtures } from "../support/mixed-fixtures.ts";
import { describeWithMongo } from "../support/mongodb-server.ts";
import { describeWithRedis } from "../support/redis-server.ts";
import { describeTwins } from "../support/twin-pages.ts";

/** The kinds in the order broker, orchestrator, state backend, client data store, trigger. */
function spread(...[broker, orchestrator, state_backend, client_data_store, trigger]: StoreKind[]): MixedKinds {
  return { broker, orchestrator, state_backend, client_data_store, trigger } as MixedKinds;
}

function describeSpread(name: string, fixture: FixtureName, kinds: MixedKinds): void {
  describe(name, () => {
    const load = mixedFixtures(Object.values(kinds));
    describeTwins([fixture], async () => {
      const mixed = await load(fixture, kinds);
      return { ...mixed, place: {}, wholeMilliseconds: true, named: true };
    });
  });
}

describeWithRedis("pages from SQLite and from it and Redis together", () => {
  const [s, r] = ["sqlite", "redis"] as const;
  describeSpread("broker and orchestrator in Redis", "kitchen_sink.db", spread(r, r, s, s, s));
  describeSpread("state backend and values in Redis", "pending_triggers.db", spread(s, s, r, r, s));
});

describeWithMongo("pages from SQLite and from several kinds of store with MongoDB", () => {
  const [s, r, m] = ["sqlite", "redis", "mongodb"] as const;
  describeSpread("trigger in SQLite beside MongoDB", "queues_040.db", spread(m, m, m, m, s));
  describeWithRedis("with Redis", () => {
    describeSpread("orchestrator and broker in Redis", "pending_triggers.db", spread(r, r, m, m, m));
    describeSpread("three kinds", "pending_triggers.db", spread(r, m, s, m, r));
  });
});
