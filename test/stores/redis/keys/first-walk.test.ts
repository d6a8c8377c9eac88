/** What is answered while the first walk over the keys of a large server goes on. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { BoundedMap } from "../../../../src/stores/redis/keys/bounded-map.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import type { RedisReading } from "../../../../src/stores/redis/keys/reading.ts";
import { likelyApps, registeredApps } from "../../../../src/stores/redis/keys/registry.ts";
import { likelyTasks } from "../../../../src/stores/redis/orchestrator/likely-tasks.ts";
import { orchestratorReads } from "../../../../src/stores/redis/orchestrator/orchestrator.ts";
import { RedisConnection } from "../../../../src/stores/redis/server/connection.ts";
import { RedisDb } from "../../../../src/stores/redis/server/db.ts";
import { stateBackendReads } from "../../../../src/stores/redis/state-backend/state-backend.ts";
import { triggerReads } from "../../../../src/stores/redis/trigger/trigger.ts";
import { REDIS_RDB } from "../../../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const APP = "kitchen_sink";
const ALL = { limit: 10_000, offset: 0 };

describeWithRedis("a Redis server whose keys have not been walked yet", () => {
  let server: RedisServer;
  let db: RedisDb;
  let reading: RedisReading;
  let connection: RedisConnection;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
    connection = new RedisConnection(server.endpoint);
    db = new RedisDb(connection, null);
    reading = {
      appId: APP,
      keys: new AppKeys(APP),
      endedExecutions: new BoundedMap(1),
      db: () => db,
      registered: () => Promise.resolve(true),
      queues: () => Promise.reject(new Error("nobody asks")),
      catalogue: {
        async names(family, meanwhile) {
          if (meanwhile === undefined) throw new Error(`${family} is waited for`);
          const names = [...new Set(await meanwhile())].sort();
          return { names, total: names.length, complete: true, settled: false };
        },
      },
    };
  });
  afterAll(async () => {
    await connection.close();
    await server.close();
  });

  it("lists its apps, also those whose ids are escaped in keys", async () => {
    expect(await likelyApps(db)).toEqual(await registeredApps(db));
  });

  it("lists tasks, triggers and conditions that other keys name", async () => {
    const store = storeOn(server);
    const [tasks, triggers, counts] = await store
      .app(APP)
      .read((reads) =>
        Promise.all([reads.orchestrator.taskKeys(), reads.trigger.triggers({}, ALL), reads.trigger.countDefinitions()]),
      );
    await store.close();
    expect(await orchestratorReads(reading).taskKeys()).toEqual(tasks);
    expect(await triggerReads(reading).triggers({}, ALL)).toEqual(triggers);
    expect(await triggerReads(reading).countDefinitions()).toEqual(counts);
    expect((await triggerReads(reading).triggeredTasks()).length).toBeGreaterThanOrEqual(13);
  });

  it("finds the tasks once for all parts of a read", async () => {
    const [tasks, again] = await Promise.all([likelyTasks(reading), likelyTasks(reading)]);
    expect(tasks.length).toBe(new Set(tasks).size);
    expect(again).toBe(tasks);
    expect(await likelyTasks({ ...reading })).not.toBe(tasks);
  });

  it("lists runners by their heartbeats, and waits by their index", async () => {
    expect(await stateBackendReads(reading).countRunnerContexts("all")).toBe(29);
    expect(await stateBackendReads(reading).listRunnerContexts(ALL)).toHaveLength(29);
    expect(await orchestratorReads(reading).blockingEdges(ALL)).toHaveLength(2);
  });

  it("lists the data that pynenc keeps for a workflow, without a count", async () => {
    const id = "ebfd6e87-22c1-4f42-8deb-a354c6ed8a1b";
    const state = stateBackendReads(reading);
    const shown = (await state.workflowData(id, ALL)).map((datum) => datum.data_key);
    const store = storeOn(server);
    const all = await store.app(APP).read((reads) => reads.state_backend.workflowData(id, ALL));
    await store.close();
    const own = all
      .map((datum) => datum.data_key)
      .filter((key) => /^(counter|random|time|uuid|workflow|task_inv)/.test(key));
    expect(own.length).toBeGreaterThan(3);
    expect(shown).toEqual(own);
    expect(await state.countWorkflowData([id])).toBeNull();
  });
});
