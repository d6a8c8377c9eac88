/** The demo in a Redis server keeps moving, whatever others do to it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Live, startLive } from "../../src/demo/live.ts";
import { createRedisDemo } from "../../src/demo/redis-demo.ts";
import { DEMO_APP_ID } from "../../src/demo/story/story.ts";
import type { RedisWriter } from "../../src/demo/writer/redis-writer.ts";
import { StoreUnreachableError } from "../../src/errors.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { connectStore } from "../../src/stores/connect.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { AppReads, Store } from "../../src/stores/ports/store.ts";
import { AppKeys } from "../../src/stores/redis/keys/keys.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { NOW } from "./support.ts";

const KEYS = new AppKeys(DEMO_APP_ID);
const ALL = { limit: 10_000, offset: 0 };

describeWithRedis("the living demo in a Redis server", () => {
  let server: RedisServer;
  let store: Store;
  let writer: RedisWriter;
  let live: Live;
  let now = NOW;

  beforeAll(async () => {
    server = await startRedis();
    const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, server.endpoint]));
    store = await connectStore(
      { kind: "redis", endpoints: endpoints as never },
      { threads: 0, lockWait: 1, readOnly: false },
    );
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  beforeEach(async () => {
    now = NOW;
    writer = await createRedisDemo({ endpoint: server.endpoint, now: NOW, seed: 1 });
    live = await start();
  });
  afterEach(async () => {
    await live.stop();
    await writer.outbox.connection.close();
  });

  /** The interval is far beyond the test: only its own ticks count. */
  const start = (retentionSeconds?: number) =>
    startLive(writer, {
      clock: () => now,
      intervalMs: 3_600_000,
      seed: 5,
      ...(retentionSeconds !== undefined && { retentionSeconds }),
    });

  async function advance(seconds: number, step = 2): Promise<void> {
    for (const end = now + seconds; now < end; ) {
      now += step;
      await live.tick();
    }
  }

  const ask = <T>(fn: (reads: AppReads) => Promise<T>) => store.app(DEMO_APP_ID).read(fn);
  const count = async (status: string) => (await ask(({ orchestrator }) => orchestrator.countByStatus()))[status] ?? 0;

  /** Keys of one section and family, such as `state_backend:history:`. */
  async function keysOf(family: string): Promise<string[]> {
    const pattern = `__pynenc__:${DEMO_APP_ID}:${family}*`;
    return (await server.exchange([["KEYS", pattern]]))[0] as string[];
  }

  /** A call as the monitor registers it: what a rerun leaves. */
  async function register(id: string, task: string): Promise<void> {
    const at = isoFromEpoch(now);
    const definition = {
      invocation_id: id,
      call_id_key: `${task}:no_args`,
      task_id_key: task,
      arguments_id: "no_args",
      serialized_arguments: {},
      parent_invocation_id: null,
      parent_event_id: null,
      workflow_id: null,
      workflow_type_key: null,
      parent_workflow_id: null,
    };
    const status = { status: "registered", runner_id: "monitor@here-1", timestamp: at };
    await server.exchange([
      ["SET", KEYS.key("state_backend", "invocation", id), JSON.stringify(definition)],
      ["SET", KEYS.key("orchestrator", "invocation_status", id), JSON.stringify(status)],
      ["SADD", KEYS.key("orchestrator", "status", "registered"), id],
      ["SADD", KEYS.key("orchestrator", "task", task), id],
      ["SET", KEYS.key("orchestrator", "invocation_to_call", id), `${task}:no_args`],
      ["ZADD", KEYS.key("orchestrator", "all_invocations_by_time"), String(now), id],
      ["RPUSH", KEYS.key("broker", "default_queue"), id],
    ]);
  }

  it("the live demo in Redis makes progress and keeps its indexes correct", async () => {
    const before = await count("success");
    await advance(120);
    expect(await count("success")).toBeGreaterThan(before + 20);
    const rows = await ask(({ orchestrator }) => orchestrator.listInvocations({}, ALL));
    for (const key of await keysOf("orchestrator:status:")) {
      const [members] = (await server.exchange([["SMEMBERS", key]])) as string[][];
      const status = key.slice(key.lastIndexOf(":") + 1);
      const expected = rows.filter((row) => row.status === status).map((row) => row.invocation_id);
      expect([...(members ?? [])].sort()).toEqual(expected.sort());
    }
  });

  it("the live demo in Redis takes a message that another client put, and runs it", async () => {
    await advance(4);
    const id = "0b5d4c56-6c1f-4d32-9f3f-0a55b4f0d111";
    await register(id, "shop.reports.render");
    await advance(40);
    const history = await ask(({ state_backend }) => state_backend.historyOf([id], 10));
    expect(history.map((entry) => entry.status).slice(0, 2)).toEqual(["pending", "running"]);
    const [row] = await ask(({ orchestrator }) => orchestrator.statusesByIds([id]));
    expect(["success", "failed"]).toContain(row?.status);
    expect(await ask(({ broker }) => broker.queuedAmong([id]))).toEqual([]);
  });

  it("the live demo in Redis skips a message without records", async () => {
    await server.exchange([["RPUSH", KEYS.key("broker", "default_queue"), "11111111-2222-4333-8444-555555555555"]]);
    await advance(60);
    expect(await count("success")).toBeGreaterThan(0);
  });

  it.each(["orchestrator:", "state_backend:", ""])("the live demo in Redis survives a purge of %j", async (section) => {
    await advance(30);
    const gone = await keysOf(section);
    if (gone.length > 0) await server.exchange([["DEL", ...gone]]);
    const before = await count("success");
    await advance(60);
    expect(await count("success")).toBeGreaterThan(before + 3);
  });

  it("the live demo in Redis does not grow without limit", async () => {
    await live.stop();
    live = await start(100);
    await advance(300, 10);
    const [middle] = (await server.exchange([["DBSIZE"]])) as number[];
    await advance(600, 10);
    const [end] = (await server.exchange([["DBSIZE"]])) as number[];
    expect(end).toBeLessThan((middle ?? 0) * 1.5);
    const oldest = await server.exchange([
      ["ZRANGE", KEYS.key("orchestrator", "invocation_auto_purge"), "0", "0", "WITHSCORES"],
    ]);
    expect(Number((oldest[0] as string[])[1])).toBeGreaterThan(now - 200);
    const entries = await server.exchange([["ZCARD", KEYS.key("state_backend", "history_by_timestamp")]]);
    const lists = await keysOf("state_backend:history:");
    const lengths = (await server.exchange(lists.map((key) => ["LLEN", key]))) as number[];
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(entries[0]);
  });

  it("the live demo in Redis reports a stopped server, and continues after its restart", async () => {
    await advance(10);
    await server.stop();
    now += 2;
    await expect(live.tick()).rejects.toThrow(StoreUnreachableError);
    await server.start();
    // The server kept nothing.
    await advance(150);
    expect(await count("success")).toBeGreaterThan(10);
    expect((await store.apps()).map((app) => app.app_id)).toContain(DEMO_APP_ID);
  });
});
