/** Commands on a store that is a server. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConfigReport } from "../../src/api/config.ts";
import type { DoctorReport } from "../../src/api/health.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { monitor, sharedFolder } from "./monitor.ts";

const RDB = fileURLToPath(new URL("../fixtures/redis/kitchen_sink_redis.rdb", import.meta.url));
const SECRET = "correct-horse-battery";
const NOW = ["--now", "2026-11-21T01:03:43+00:00"];
const folder = sharedFolder();

describeWithRedis("commands on an app in Redis", () => {
  let server: RedisServer;
  let here: string[];
  beforeAll(async () => {
    server = await startRedis({ rdb: RDB, args: ["--requirepass", SECRET], userInfo: `:${SECRET}@` });
    here = ["--url", server.url, ...NOW, "--app", "kitchen_sink"];
  });
  afterAll(() => server.close());

  it("list the apps", async () => {
    const { code, stdout, stderr } = await monitor(["apps", "--json", "--url", server.url]);
    expect([code, stderr]).toEqual([0, ""]);
    const { location, origin, apps } = JSON.parse(stdout) as {
      location: string;
      origin: string;
      apps: { app_id: string }[];
    };
    expect([location, origin]).toEqual([`redis://127.0.0.1:${server.port}/0`, "--url"]);
    expect(apps.map(({ app_id }) => app_id).sort()).toEqual(["kitchen-sink.two/β", "kitchen_sink", "sink[3]*?"]);
  });

  it("show settings, findings and counts, but never the password", async () => {
    for (const command of [["config"], ["config", "--json"], ["doctor"], ["doctor", "--json"], ["status", "--json"]]) {
      const { code, stdout, stderr } = await monitor([...here, ...command, "--log-level", "debug"]);
      expect([command, code]).toEqual([command, 0]);
      expect(stdout).not.toBe("");
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });

  it("show the settings of the Redis classes", async () => {
    const { stdout } = await monitor([...here, "config", "--json"]);
    const { groups, options, location } = JSON.parse(stdout) as ConfigReport;
    const classes = groups.map(({ config_class }) => config_class);
    expect(classes).toEqual(expect.arrayContaining(["ConfigRedis", "ConfigBrokerRedis", "ConfigTriggerRedis"]));
    expect(classes.filter((name) => name.includes("SQLite"))).toEqual([]);
    expect(options).toContainEqual({ option: "backend", value: "redis", origin: "--url" });
    expect(location).toBe(`redis://127.0.0.1:${server.port}/0`);
  });

  it("show how much they asked of the server, and their upper bound", async () => {
    const bounded = [...here, "doctor", "--max-commands", "5000"];
    const { loads } = JSON.parse((await monitor([...bounded, "--json"])).stdout) as DoctorReport;
    expect(loads).toMatchObject([
      { location: `redis://127.0.0.1:${server.port}/0`, most_commands: 5_000, most_bytes: 25_000_000 },
    ]);
    expect(loads[0]?.commands).toBeGreaterThan(10);
    expect(loads[0]?.bytes).toBeGreaterThan(100);
    expect((await monitor(bounded)).stdout).toMatch(
      /Asked +[\d,]+ commands and [\d.]+ [kM]?B per second in the last minute \(limit 5,000 and 25 MB\)/,
    );
  });

  it("show which server keeps which component", async () => {
    const queue = await startRedis();
    try {
      const env = { PYNENC__REDIS_URL: server.url, PYNENC__CONFIGBROKERREDIS__REDIS_URL: queue.url };
      const { stdout } = await monitor(["doctor", "--json", "--app", "kitchen_sink"], { env });
      const { kind, files, servers } = JSON.parse(stdout) as DoctorReport;
      expect([kind, files]).toEqual(["redis", []]);
      expect(servers).toEqual([
        {
          location: `redis://127.0.0.1:${queue.port}/0`,
          origin: "PYNENC__CONFIGBROKERREDIS__REDIS_URL",
          components: ["broker"],
        },
        {
          location: `redis://127.0.0.1:${server.port}/0`,
          origin: "PYNENC__REDIS_URL",
          components: ["orchestrator", "state_backend", "client_data_store", "trigger"],
        },
      ]);
    } finally {
      await queue.close();
    }
  });

  it("need no option in the folder of an app that configures Redis classes", async () => {
    const cwd = mkdtempSync(join(folder, "app-"));
    const lines = [
      "[tool.pynenc]",
      'app_id = "kitchen_sink"',
      'state_backend_cls = "RedisStateBackend"',
      'trigger_cls = "MemTrigger"',
      "[tool.pynenc.redis]",
      `redis_host = "127.0.0.1"`,
      `redis_port = ${server.port}`,
    ];
    writeFileSync(join(cwd, "pyproject.toml"), lines.join("\n"));
    const env = { PYNENC__REDIS_PASSWORD: SECRET };
    const { code, stdout } = await monitor(["doctor", "--json", ...NOW], { cwd, env });
    const { app_id, origin, tried } = JSON.parse(stdout) as DoctorReport;
    expect([code, app_id]).toEqual([0, "kitchen_sink"]);
    expect(origin).toBe("pyproject.toml [tool.pynenc.redis], PYNENC__REDIS_PASSWORD");
    expect(tried).toContain("state_backend_cls (pyproject.toml [tool.pynenc]): redis");
    expect(stdout).not.toContain(SECRET);
  });

  it.each([["status"], ["serve", "--port", "auto"], ["doctor"], ["invocations", "--json"]])(
    "exit with 4 when no server answers: %s",
    async (...command) => {
      // Nothing listens on port 1 of this machine.
      const { code, stdout, stderr } = await monitor([...command, "--url", `redis://:${SECRET}@127.0.0.1:1/0`]);
      expect([code, stdout]).toEqual([4, ""]);
      expect(stderr).toContain("redis://127.0.0.1:1/0");
      expect(stderr).not.toContain(SECRET);
    },
  );

  it("exit with 4 for a wrong password and for a database without an app", async () => {
    const wrong = await monitor(["status", "--url", server.url.replace(SECRET, "hunter2")]);
    expect(wrong.code).toBe(4);
    expect(wrong.stderr).toContain("requires a user name and password");
    expect(wrong.stderr).not.toContain("hunter2");
    const empty = await monitor(["status", "--url", server.url.replace(/0$/, "5")]);
    expect(empty.code).toBe(4);
    expect(empty.stderr).toContain("holds no pynenc app");
    const none = await monitor(["status", "--url", server.url.replace(/0$/, "9999")]);
    expect(none.code).toBe(4);
    expect(none.stderr).toContain("9999");
  });

  it("exit with 2 for a malformed address", async () => {
    const { code, stderr } = await monitor(["status", "--url", `redis://:${SECRET}@host:port`]);
    expect(code).toBe(2);
    expect(stderr).toContain("--url");
    expect(stderr).not.toContain(SECRET);
  });
});
