/** A store that is a server: it goes away and comes back, wants a password, holds several apps; nothing secret is shown. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Dashboard } from "../../src/api/health.ts";
import { type Monitor, type MonitorOptions, monitorOn, testMonitor } from "../support/monitor.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const RDB = fileURLToPath(new URL("../fixtures/redis/kitchen_sink_redis.rdb", import.meta.url));
const NOW = Date.UTC(2026, 10, 21, 1, 3, 43) / 1000;
const SECRET = "correct-horse-battery";
const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };
const PAGES = [
  "/",
  "/broker/",
  "/broker/queue",
  "/orchestrator/",
  "/runners/?show=all",
  "/tasks/",
  "/invocations/",
  "/workflows/",
  "/workflows/runs",
  "/state-backend/",
  "/client-data-store/",
  "/triggers/",
  "/events/",
  "/trigger-runs/",
  "/runners/atomic-service/timeline",
  "/runners/atomic-service/scheduling",
  "/invocations/timeline?time_range=5m",
  "/log-explorer/",
  "/audit",
];

/** Commands that only read and of which none looks at all keys, and those that this test and connecting need. */
const READING = new Set([
  ...["auth", "client|setname", "config|resetstat", "info", "ping", "dbsize", "exists", "memory|usage", "scan"],
  ...["get", "mget", "getrange", "strlen", "hget", "hmget", "hexists"],
  ...["llen", "lindex", "lrange", "lpos"],
  ...["scard", "sdiff", "smembers", "sismember", "smismember", "srandmember", "sscan"],
  ...["zcard", "zcount", "zscore", "zmscore", "zrank", "zrange", "zrevrange", "zrangebyscore", "zrevrangebyscore"],
]);

describeWithRedis("an app in Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ rdb: RDB, args: ["--requirepass", SECRET], userInfo: `:${SECRET}@` });
    // As PynencBuilder().redis(url=...) leaves it: the registration holds the password.
    const values = { redis_url: server.url, redis_password: SECRET, state_backend_cls: "RedisStateBackend" };
    const key = "__pynenc__:__pynenc__:apps_info:kitchen_sink";
    const [info] = await server.exchange([["GET", key]]);
    await server.exchange([["SET", key, JSON.stringify({ ...JSON.parse(String(info)), config_values: values })]]);
  });
  afterAll(() => server.close());

  function open(options: MonitorOptions = {}): Promise<Monitor> {
    return monitorOn({ url: server.url }, "in process", { app: "kitchen_sink", now: NOW, ...options });
  }

  it("has every page without the password, by commands that only read and never list all keys at once", async () => {
    const monitor = await open();
    await server.exchange([["CONFIG", "RESETSTAT"]]);
    try {
      for (const path of PAGES) {
        for (const wanted of [HTML, JSON_WANTED]) {
          const response = await monitor.get(path, wanted);
          expect([path, response.status]).toEqual([path, 200]);
          expect(await response.text()).not.toContain(SECRET);
        }
      }
      expect(await monitor.text("/state-backend/")).toContain("redis_url");
      const [stats] = await server.exchange([["INFO", "commandstats"]]);
      const sent = [...String(stats).matchAll(/^cmdstat_([^:]+):/gm)].map(([, name]) => name ?? "");
      expect(sent).toContain("scan");
      expect(sent.filter((name) => !READING.has(name))).toEqual([]);
    } finally {
      await monitor.close();
    }
  });

  it("takes its settings from the app's own configuration of its Redis classes", async () => {
    const monitor = await open();
    try {
      const { components } = await monitor.json<Dashboard>("/");
      expect(components.find(({ component }) => component === "state_backend")).toMatchObject({
        configured_class: "RedisStateBackend",
        present: true,
      });
    } finally {
      await monitor.close();
    }
  });

  it("can be chosen by name, whatever characters the name has", async () => {
    const monitor = await open();
    try {
      for (const [app, invocations] of [
        ["sink[3]*?", 4],
        ["kitchen-sink.two/β", 7],
      ] as const) {
        const { overview } = await monitor.json<Dashboard>(`/?app=${encodeURIComponent(app)}`);
        expect(overview.invocations).toBe(invocations);
      }
      expect((await monitor.get("/?app=nobody", JSON_WANTED)).status).toBe(404);
    } finally {
      await monitor.close();
    }
  });

  it("is refused with a wrong password, which is not shown", async () => {
    const monitor = await testMonitor(
      monitorOn({ url: server.url.replace(SECRET, "hunter2") }, "in process", { now: NOW }),
    );
    for (const wanted of [HTML, JSON_WANTED]) {
      const response = await monitor.get("/", wanted);
      expect(response.status).toBe(503);
      const words = await response.text();
      expect(words).toContain("requires a user name and password");
      expect(words).not.toContain("hunter2");
    }
  });

  it("may have another server for each component", async () => {
    const queue = await startRedis();
    const env = {
      PYNENC__REDIS_URL: server.url,
      PYNENC__CONFIGBROKERREDIS__REDIS_URL: queue.url,
    };
    try {
      await queue.exchange([["RPUSH", "__pynenc__:kitchen_sink:broker:default_queue", "one", "two"]]);
      const monitor = await monitorOn({}, "in process", { app: "kitchen_sink", now: NOW, env });
      try {
        const { overview } = await monitor.json<Dashboard>("/");
        // Five have a definition and no status: a process was killed while it registered them.
        expect([overview.queued_messages, overview.invocations, overview.forgotten]).toEqual([2, 193, 5]);
        expect(monitor.workspace.store.location.split(", ").sort()).toEqual(
          [`redis://127.0.0.1:${server.port}/0`, `redis://127.0.0.1:${queue.port}/0`].sort(),
        );
      } finally {
        await monitor.close();
      }
    } finally {
      await queue.close();
    }
  });
});
