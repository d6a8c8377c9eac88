/** A redis-server of a test's own: a free port of this machine, no persistence, gone with the test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import {
  type Command,
  RedisConnection,
  type RedisEndpoint,
  type Reply,
} from "../../src/stores/redis/server/connection.ts";
import { freePort } from "./free-port.ts";

/** Null where the program is missing; Debian's package is `redis-server`. */
const REDIS_VERSION: string | null =
  /v=(\S+)/.exec(spawnSync("redis-server", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1] ?? null;

/** Tests that need a redis-server: skipped by name where there is none. */
export function describeWithRedis(name: string, tests: () => void): void {
  if (REDIS_VERSION === null) describe.skip(`${name} (needs redis-server, which is not installed)`, tests);
  else describe(name, tests);
}

export interface RedisServer {
  port: number;
  /** Of database 0. */
  url: string;
  endpoint: RedisEndpoint;
  /** For looking at the keys and for preparing them. */
  exchange(commands: readonly Command[]): Promise<Reply[]>;
  /** Ends the process at once, as a crash does. `start` brings it back on the same port, empty or with the rdb. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The process stands still: connections are taken by the system and nothing is answered. `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

export interface RedisServerOptions {
  /** Data to begin with. */
  rdb?: string;
  /** Further arguments, such as `--requirepass secret`. */
  args?: readonly string[];
  /** Put before the address in `url`: `user:password@`. */
  userInfo?: string;
}

export async function startRedis({ rdb, args = [], userInfo = "" }: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-redis-"));
  const port = await freePort();
  const url = `redis://${userInfo}127.0.0.1:${port}/0`;
  const endpoint: RedisEndpoint = { url, location: `redis://127.0.0.1:${port}/0`, connectTimeout: 5, timeout: 10 };
  const connection = new RedisConnection(endpoint);
  let child: ChildProcess | null = null;
  const start = async () => {
    if (rdb !== undefined) copyFileSync(rdb, join(folder, "dump.rdb"));
    const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
    child = spawn("redis-server", [...own, ...args], { stdio: "ignore" });
    for (let attempt = 0; ; attempt++) {
      try {
        await connection.exchange([["PING"]]);
        return;
      } catch (error) {
        if (attempt === 100 || child.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const stop = async () => {
    const process = child;
    child = null;
    if (process === null || process.exitCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    port,
    url,
    endpoint,
    exchange: (commands) => connection.exchange(commands),
    start,
    stop,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    async close() {
      await connection.close();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
