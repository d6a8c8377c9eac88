import { afterAll, beforeAll, expect, it } from "vitest";
import { RedisConnection } from "../../../../src/stores/redis/server/connection.ts";
import { RedisDb } from "../../../../src/stores/redis/server/db.ts";
import { membersInSteps, membersOfEach } from "../../../../src/stores/redis/server/members.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";

describeWithRedis("members of sets", () => {
  let server: RedisServer;
  const large = Array.from({ length: 25_000 }, (_, i) => `waiter ${i}`);
  beforeAll(async () => {
    server = await startRedis();
    await server.exchange([
      ["SADD", "large", ...large],
      ["SADD", "small", "one", "two"],
    ]);
  });
  afterAll(() => server.close());

  const asked = async <Answer>(question: (db: RedisDb) => Promise<Answer>): Promise<Answer> => {
    const connection = new RedisConnection(server.endpoint);
    try {
      return await question(new RedisDb(connection, null));
    } finally {
      connection.close();
    }
  };

  it("are read set by set, in order, also a set that takes several steps", async () => {
    const [small, none, all] = await asked((db) => membersOfEach(db, ["small", "absent", "large"]));
    expect([small?.toSorted(), none]).toEqual([["one", "two"], []]);
    expect(all?.toSorted()).toEqual(large.toSorted());
  });

  it("are read together in steps", async () => {
    const steps = await asked(async (db) => {
      const found: string[][] = [];
      for await (const some of membersInSteps(db, ["small", "large"])) found.push(some);
      return found;
    });
    expect(steps.length).toBeGreaterThan(1);
    expect(new Set(steps.flat())).toEqual(new Set(["one", "two", ...large]));
  });
});
