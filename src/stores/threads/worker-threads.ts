/** The worker threads of stores. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../../package-root.ts";

/** Compiled code whoever asks: a thread cannot run TypeScript, and bundling moves modules to other places than the worker's. */
const WORKERS: Readonly<Record<string, string>> = {
  sqlite: join("sqlite", "lane-worker.js"),
  redis: join("redis", "session-worker.js"),
};

/**
 * Rows are read, sent and forgotten. Left alone, V8 lets the space of a thread for such short-lived objects grow to three times 16 MB (Node 20)
 * or more, and keeps it.
 */
const YOUNG_GENERATION_MB = 12;

/**
 * Far more than such a thread needs at once: it makes V8 look for garbage before there is much of it. One that reads SQLite has its rows outside
 * of this space.
 */
const OLD_GENERATION_MB: Readonly<Record<string, number>> = { redis: 256 };

const early = new Map<string, Worker>();

/** Starts the thread that the next lane of a kind of store (`Store.kind`) will use, before somebody waits for it. */
export function startThreadEarly(kind: string): void {
  if (!early.has(kind)) early.set(kind, start(kind));
}

/** A thread that waits for messages. */
export function takeThread(kind: string): Worker {
  const thread = early.get(kind) ?? start(kind);
  early.delete(kind);
  return thread;
}

function start(kind: string): Worker {
  const maxOldGenerationSizeMb = OLD_GENERATION_MB[kind];
  const worker = new Worker(join(packageRoot(), "dist", "src", "stores", WORKERS[kind] ?? ""), {
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      ...(maxOldGenerationSizeMb === undefined ? {} : { maxOldGenerationSizeMb }),
    },
  });
  // An idle thread must not keep the process alive; a request in flight does, through its timer.
  worker.unref();
  return worker;
}
