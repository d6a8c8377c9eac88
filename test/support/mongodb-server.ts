/** A MongoDB server of a test's own: a free port of this machine, gone with the test. Where there is no MongoDB it is a FerretDB. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe } from "vitest";
import { findMongo } from "../../scripts/mongodb.mjs";
import { freePort } from "./free-port.ts";

const FOUND = findMongo();

/** What is missing here for tests that need one; empty if nothing is. */
export const MONGO_NEEDS =
  FOUND === null ? "MongoDB, which npm test fetches on x64 Linux, or FerretDB, which it builds with Go" : "";

/** Whether it is a FerretDB, which has no logins, no replica sets, no indexes and no `$lookup`. */
export const IS_FERRET = FOUND?.kind === "ferretdb";

/**
 * The monitor gives up a server that does not answer a second connection within 0.6 s. That happens where other programs take all cores, and is no
 * defect: what failed by that alone is tried again. "Property failed" is what fast-check says of any error.
 */
const AGAIN = { count: 4, delay: 2_000, condition: /does not respond: no answer within|^Property failed/ };

/** Tests that need a server: skipped by name where there is none. */
export function describeWithMongo(name: string, tests: () => void): void {
  if (MONGO_NEEDS === "") describe(name, { retry: AGAIN }, tests);
  else describe.skip(`${name} (needs ${MONGO_NEEDS})`, tests);
}

/** Tests of what FerretDB does not have. */
export function describeWithMongod(name: string, tests: () => void): void {
  if (FOUND?.kind === "mongod") describeWithMongo(name, tests);
  else describe.skip(`${name} (needs MongoDB, which npm test fetches on x64 Linux)`, tests);
}

export interface MongoServer {
  /** `mongodb://127.0.0.1:port/` */
  url: string;
  port: number;
  /** Ends the process at once, as a crash does. `start` brings it back on the same port (FerretDB: on another) with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The process stands still: connections are taken by the system and nothing is answered. `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

/** Starts one with empty databases. It ends with this process, too. @param args further ones of mongod, such as `--auth` */
export async function startMongo(args: readonly string[] = []): Promise<MongoServer> {
  // Another program may take the port between its being found free and its being used.
  return startOnce(args).catch(() => startOnce(args));
}

async function startOnce(args: readonly string[]): Promise<MongoServer> {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-mongodb-"));
  let port = await freePort();
  let child: ChildProcess | null = null;
  const end = () => void child?.kill("SIGKILL");
  const stop = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  };
  const start = async () => {
    child = launch(folder, port, args);
    port = await portOf(child);
  };
  const close = async () => {
    process.off("exit", end);
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", end);
  await start().catch(async (error) => {
    await close();
    throw error;
  });
  return {
    url: `mongodb://127.0.0.1:${port}/`,
    port,
    start,
    stop,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    close,
  };
}

function launch(folder: string, port: number, args: readonly string[]): ChildProcess {
  const { kind, program, env } = FOUND ?? { kind: "mongod", program: "", env: {} };
  if (kind === "ferretdb") return spawn(program, [folder], { cwd: folder, env });
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true });
  const own = ["--dbpath", data, "--bind_ip", "127.0.0.1", "--port", String(port), "--nounixsocket"];
  const small = ["--wiredTigerCacheSizeGB", "0.25", "--setParameter", "diagnosticDataCollectionEnabled=false"];
  return spawn(program, [...own, ...small, ...args], { cwd: folder, env });
}

/** Waits until it listens. @throws with the last lines that it printed if it ends before. */
async function portOf(child: ChildProcess): Promise<number> {
  const printed: string[] = [];
  const note = (line: string) => void printed.splice(0, Math.max(0, printed.push(line) - 20));
  child.stderr?.setEncoding("utf8").on("data", note);
  if (child.stdout === null) throw new Error("it has no output");
  const lines = createInterface({ input: child.stdout });
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    lines.once("close", () => reject(new Error(`MongoDB ended.\n${printed.join("\n")}`)));
    lines.on("line", (line) => {
      note(line);
      const listens = /(?:waiting for connections on port |^mongodb:\/\/127\.0\.0\.1:)(\d+)/.exec(line);
      if (listens !== null) resolve(Number(listens[1]));
    });
  });
}
