/** A purge of everything while a program registers calls, as pynenc does: definition, status, and the message some time later. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { purge } from "../../src/services/actions/purge.ts";
import type { OpenedApp } from "../../src/services/app/opened-app.ts";
import { AppKeys } from "../../src/stores/redis/keys/keys.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { fixturePath } from "../support/fixtures.ts";
import { type Monitor, monitorOf, monitorOn, sharedMonitor } from "../support/monitor.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const APP = "kitchen_sink";
const ROUNDS = 4;
/** Between records and message: most of the time somebody is in between. */
const BETWEEN_MS = 40;

interface Client {
  records(id: string): unknown;
  message(id: string): unknown;
}

/** Registers until it is stopped. @returns how many. */
async function register(client: Client, stopped: () => boolean): Promise<number> {
  for (let n = 0; ; n++) {
    if (stopped()) return n;
    const id = `call-${n}`;
    await client.records(id);
    await pause(BETWEEN_MS);
    await client.message(id);
    await pause(2);
  }
}

async function purgeBeside(app: OpenedApp, client: Client): Promise<{ registered: number; swept: number }> {
  let stop = false;
  const work = register(client, () => stop);
  let swept = 0;
  for (let round = 0; round < ROUNDS; round++) {
    swept += (await purge(app, "all", {})).swept_messages;
    // What is being registered at this moment has its records.
    const orphans = await app.store.read((reads) => reads.preview.sweepQueue());
    expect([round, orphans]).toEqual([round, 0]);
  }
  stop = true;
  return { registered: await work, swept };
}

describe("a purge in SQLite while a client registers calls", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: APP }));

  it("leaves no message without its records after a sweep", async () => {
    const db = openDatabase(monitor.path, { mode: "write", busyTimeoutMs: 10_000 });
    const table = (name: string) => `"${tablePrefix(APP)}__${name}"`;
    const define = db.prepare(
      `INSERT INTO ${table("state_backend_invocations")} (invocation_id, call_id_key, task_id_key, arguments_id, serialized_arguments)
       VALUES (?, 'tasks.add:no_args', 'tasks.add', 'no_args', '{}')`,
    );
    const enter = db.prepare(
      `INSERT INTO ${table("orchestrator_invocations")} (invocation_id, task_id_key, call_id_key, status, status_timestamp)
       VALUES (?, 'tasks.add', 'tasks.add:no_args', 'registered', 1)`,
    );
    const send = db.prepare(`INSERT INTO ${table("broker_message_queue")} (invocation_id) VALUES (?)`);
    try {
      const { registered, swept } = await purgeBeside(await monitor.workspace.open(APP), {
        records: (id) => [define.run(id), enter.run(id)],
        message: (id) => send.run(id),
      });
      expect(registered).toBeGreaterThan(ROUNDS);
      expect(swept).toBeGreaterThan(0);
    } finally {
      db.close();
    }
  });
});

describeWithRedis("a purge in Redis while a client registers calls", () => {
  let server: RedisServer;
  let monitor: Monitor;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    monitor = await monitorOn({ url: server.url }, "in process", { app: APP });
  });
  afterAll(async () => {
    await monitor.close();
    await server.close();
  });

  it("leaves no message without its records after a sweep", async () => {
    const keys = new AppKeys(APP);
    const { registered, swept } = await purgeBeside(await monitor.workspace.open(APP), {
      records: (id) =>
        server.exchange([
          ["SET", keys.key("state_backend", "invocation", id), "{}"],
          ["SET", keys.key("orchestrator", "invocation_status", id), "{}"],
        ]),
      message: (id) => server.exchange([["RPUSH", keys.key("broker", "default_queue"), id]]),
    });
    expect(registered).toBeGreaterThan(ROUNDS);
    expect(swept).toBeGreaterThan(0);
  });
});
