/** The worker threads of stores. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../../package-root.ts";

/** Compiled code whoever asks: a thread cannot run TypeScript, and bundling moves modules to other places than the worker's. */
const WORKERS: Readonly<Record<string, readonly string[]>> = {
  sqlite: ["sqlite", "lane-worker.js"],
  redis: ["redis", "session-worker.js"],
};

/**
 * Rows are read, sent and forgotten. Left alone, V8 lets the space of a thread for such short-lived objects grow to three times 16 MB (Node 20)
 * or more, and keeps it.
 */
const YOUNG_GENERATION_MB = 12;

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
  const worker = new Worker(join(packageRoot(), "dist", "src", "stores", ...(WORKERS[kind] ?? [])), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  // An idle thread must not keep the process alive; a request in flight does, through its timer.
  worker.unref();
  return worker;
}
