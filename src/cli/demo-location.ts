/** Where the example app is written: a file or a server. */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Discovery } from "../config/discovery.ts";
import { openDemo } from "../demo/demo.ts";
import { type Live, type LiveOptions, startLive } from "../demo/live.ts";
import { createMongoDemo } from "../demo/mongo-demo.ts";
import { createRedisDemo } from "../demo/redis-demo.ts";
import type { Layout } from "../demo/writer/schema.ts";
import type { DemoWriter } from "../demo/writer/writer.ts";
import { InvalidInputError, quote, StoreUnreachableError, systemReason, WriteFailedError } from "../errors.ts";
import { replaceablePath, UnusableFileError } from "../regular-file.ts";
import { writeMessage } from "./print/message.ts";

export interface DemoLocation {
  /** Shown to people and scripts. */
  readonly name: string;
  /** The member of the JSON document and the flag of other commands that hold the location. */
  readonly kind: "path" | "url";
  /** Flags that make another command open it. */
  readonly flags: { db: string } | { url: string };
  /** It is deleted when the serving command ends. */
  readonly temporary: boolean;
  /**
   * @param demo `live` keeps writing to the example app until `close`.
   * @throws RefusedError if it contains something that the demo did not write; StoreUnreachableError.
   */
  write(demo: { now: number; seed: number; size?: number; live: boolean }): Promise<void>;
  /** Stops writing. */
  close(): Promise<void>;
  /** Removes temporary files, also if the process exits on its own. */
  leave(): void;
}

const INTERVAL_MS = 1_000;

/** @param db value of `--db`; without it the file is temporary. @throws InvalidInputError if no file can be created there. */
export function demoFile(db: string | undefined, layout: Layout): DemoLocation {
  const folder = db === undefined ? mkdtempSync(join(tmpdir(), "pynenc-monitor-demo-")) : null;
  const path = folder === null ? newFile(String(db)) : join(folder, "demo.db");
  const { write, close } = written(async (demo) => openDemo({ path, layout, ...demo }));
  return {
    name: path,
    kind: "path",
    flags: { db: path },
    temporary: folder !== null,
    write: (demo) => withoutSqliteErrors(path, () => write(demo)),
    close,
    leave() {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function demoServer(found: Exclude<Discovery, { kind: "sqlite" }>): DemoLocation {
  const { location, url } = found.endpoints.state_backend;
  return {
    name: location,
    kind: "url",
    flags: { url },
    temporary: false,
    ...written((demo) =>
      found.kind === "redis"
        ? createRedisDemo({ endpoint: found.endpoints.state_backend, ...demo })
        : createMongoDemo({ endpoint: found.endpoints.state_backend, ...demo }),
    ),
    leave: () => undefined,
  };
}

type Create = (demo: { now: number; seed: number; size?: number }) => Promise<DemoWriter>;

function written(create: Create): Pick<DemoLocation, "write" | "close"> {
  let writer: DemoWriter | null = null;
  let running: Live | null = null;
  async function close(): Promise<void> {
    await running?.stop();
    await writer?.close();
    writer = null;
  }
  return {
    async write({ live, ...demo }) {
      writer = await create(demo);
      if (live) running = await startLive(writer, liveOptions(demo.seed));
      else await close();
    },
    close,
  };
}

function newFile(given: string): string {
  const refused = (accepted: string) => new InvalidInputError([{ parameter: "--db", value: given, accepted }]);
  const path = resolve(given);
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw refused("its folder must exist");
  try {
    replaceablePath(path);
  } catch (error) {
    if (error instanceof UnusableFileError) throw refused(error.message);
    throw refused(`it could not be written: ${systemReason(error)}`);
  }
  // SQLite would take it for a part of that database.
  const database = path.replace(/-(?:wal|shm|journal)$/, "");
  if (database !== path && existsSync(database)) throw refused(`SQLite keeps changes of ${quote(database)} there`);
  return path;
}

/** SQLite's errors are about the file and are not defects of the monitor. */
async function withoutSqliteErrors<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (!code.startsWith("SQLITE_")) throw error;
    if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_WRITE") throw new WriteFailedError(quote(path), error);
    throw new StoreUnreachableError("failed", `${path} cannot be written (${code}).`, null, { cause: error });
  }
}

function liveOptions(seed: number): LiveOptions {
  return {
    clock: () => Date.now() / 1000,
    intervalMs: INTERVAL_MS,
    seed,
    onLost: (error) => writeMessage(`The example app is waiting for its server: ${error.message}`),
    // The monitor keeps serving what was written.
    onStop: (error) =>
      writeMessage(`The example app stopped running: ${error instanceof Error ? error.message : String(error)}`),
  };
}
