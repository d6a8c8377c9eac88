/** Messages that are put back on Redis: what is judged and what is written is one step of the server. */
import { beforeEach, expect, it } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../../../src/errors.ts";
import type { RequeueRequest } from "../../../../src/stores/ports/actions.ts";
import { type Changes, performedChanges } from "../../../../src/stores/redis/actions/changes.ts";
import { requeue } from "../../../../src/stores/redis/actions/requeue.ts";
import { BoundedMap } from "../../../../src/stores/redis/keys/bounded-map.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import { QueueFinder } from "../../../../src/stores/redis/keys/queue-keys.ts";
import type { RedisReading } from "../../../../src/stores/redis/keys/reading.ts";
import { type Command, RedisConnection } from "../../../../src/stores/redis/server/connection.ts";
import { RedisDb } from "../../../../src/stores/redis/server/db.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { kitchenSinkOnRedis } from "../../../support/kitchen-sink-on-redis.ts";
import { type AllKeys, allKeys, difference, membersIn } from "../../../support/redis-keys.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const REQUEST: RequeueRequest = { settled_until: Number.MAX_VALUE, active_since: 0, force: false };
const APP = "kitchen_sink";
const KEYS = new AppKeys(APP);
const QUEUE = KEYS.key("broker", "default_queue");
const statusKey = (id: string) => KEYS.key("orchestrator", "invocation_status", id);
const definitionKey = (id: string) => KEYS.key("state_backend", "invocation", id);

describeWithRedis("a requeue on Redis", () => {
  let server: RedisServer;
  let store: RedisStore;
  /** Registered, and its message is gone. */
  let id: string;
  let before: AllKeys;
  kitchenSinkOnRedis((sink) => {
    ({ server, store } = sink);
  });
  beforeEach(async () => {
    const [registered] = (await server.exchange([["SMEMBERS", KEYS.key("orchestrator", "status", "registered")]])) as [
      string[],
    ];
    id = registered[0] ?? "";
    await server.exchange([["LREM", QUEUE, "0", id]]);
    before = await allKeys(server);
  });

  it("adds one item to the end of the queue, and changes nothing else", async () => {
    expect(await store.app(APP).actions.requeue([id], REQUEST)).toEqual([
      { invocation_id: id, refusal: null, route: null },
    ]);
    const after = await allKeys(server);
    expect(difference(before, after)).toEqual({ gone: [], come: [], changed: [QUEUE] });
    expect(membersIn(after, QUEUE)).toEqual([...membersIn(before, QUEUE), id]);
  });

  it("finds a message deep in a long queue", async () => {
    const others = Array.from({ length: 25_000 }, (_, i) => `other-${i}`);
    await server.exchange([
      ["DEL", QUEUE],
      ["RPUSH", QUEUE, ...others, id],
    ]);
    const queued = [{ invocation_id: id, refusal: { kind: "queued" }, route: null }];
    expect(await store.app(APP).read((reads) => reads.preview.requeue([id], REQUEST))).toEqual(queued);
    expect(await store.app(APP).actions.requeue([id], REQUEST)).toEqual(queued);
    expect(await server.exchange([["LLEN", QUEUE]])).toEqual([25_001]);
  });

  /** Requeues while somebody else does something between looking and writing. */
  async function requeuedBeside(commands: readonly Command[]) {
    const connection = new RedisConnection(server.endpoint);
    const db = new RedisDb(connection, null);
    const reading: RedisReading = {
      appId: APP,
      keys: KEYS,
      db: () => db,
      queues: () => new QueueFinder(KEYS).find(db, db, { names: [], total: 0, complete: true, settled: true }),
      endedExecutions: new BoundedMap(1),
      catalogue: { names: () => Promise.reject(new Error("nobody walks")) },
      registered: async () => true,
    };
    const performed = performedChanges(reading, () => undefined);
    const changes: Changes = {
      ...performed,
      async attempt(component, scripts) {
        expect(scripts).toHaveLength(1);
        await server.exchange(commands);
        return performed.attempt(component, scripts);
      },
    };
    try {
      return (await requeue(reading, changes, [id], REQUEST))[0]?.refusal;
    } finally {
      await connection.close();
    }
  }

  it("adds no message when a runner takes the invocation at the same moment", async () => {
    const pending = '{"status": "pending", "runner_id": "r", "timestamp": "2026-07-04T10:00:00.000000+00:00"}';
    expect(await requeuedBeside([["SET", statusKey(id), pending]])).toMatchObject({ kind: "unsettled" });
    const again = await store.app(APP).actions.requeue([id], REQUEST);
    expect(again).toEqual([{ invocation_id: id, refusal: { kind: "not_waiting", status: "pending" }, route: null }]);
    expect(membersIn(await allKeys(server), QUEUE)).toEqual(membersIn(before, QUEUE));
  });

  it("adds no message when it was added, or the records deleted, at the same moment", async () => {
    expect(await requeuedBeside([["RPUSH", QUEUE, id]])).toEqual({ kind: "queued" });
    await server.exchange([["LREM", QUEUE, "0", id]]);
    expect(await requeuedBeside([["DEL", definitionKey(id)]])).toEqual({
      kind: "without_records",
      missing: "definition",
    });
    await server.exchange([["SET", definitionKey(id), "{}"]]);
    expect(await requeuedBeside([["DEL", statusKey(id)]])).toMatchObject({ kind: "unsettled" });
    expect(membersIn(await allKeys(server), QUEUE)).toEqual(membersIn(before, QUEUE));
    await server.exchange([["SET", statusKey(id), JSON.parse(before.get(statusKey(id)) ?? "[]")[1]]]);
    expect(await requeuedBeside([])).toBeNull();
  });

  it("works with an orchestrator on another server", async () => {
    const elsewhere = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    const apart = storeOn(server, { orchestrator: elsewhere });
    try {
      await server.exchange([["DEL", statusKey(id)]]);
      const left = await allKeys(elsewhere);
      const { actions } = apart.app(APP);
      expect(await actions.requeue([id], REQUEST)).toEqual([{ invocation_id: id, refusal: null, route: null }]);
      expect(await actions.requeue([id], REQUEST)).toEqual([
        { invocation_id: id, refusal: { kind: "queued" }, route: null },
      ]);
      expect(membersIn(await allKeys(server), QUEUE)).toEqual([...membersIn(before, QUEUE), id]);
      expect(difference(left, await allKeys(elsewhere))).toEqual({ gone: [], come: [], changed: [] });
    } finally {
      await apart.close();
      await elsewhere.close();
    }
  });

  it("reports that a replica accepts no writes, and that the queue's key has another type", async () => {
    const replica = await startRedis({ args: ["--replicaof", "127.0.0.1", String(server.port)] });
    const copy = storeOn(replica);
    try {
      await expect.poll(() => replica.exchange([["EXISTS", statusKey(id)]]), { timeout: 60_000 }).toEqual([1]);
      const refused = await copy
        .app(APP)
        .actions.requeue([id], REQUEST)
        .catch((thrown: unknown) => thrown);
      expect(refused).toBeInstanceOf(RefusedError);
      expect((refused as RefusedError).message).toContain("replica");
    } finally {
      await copy.close();
      await replica.close();
    }
    await server.exchange([
      ["DEL", QUEUE],
      ["SET", QUEUE, "no list"],
    ]);
    const failed = await store
      .app(APP)
      .actions.requeue([id], REQUEST)
      .catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(StoreUnreachableError);
    expect((failed as StoreUnreachableError).message).toContain(`the key "${QUEUE}" has another type`);
  });
});
