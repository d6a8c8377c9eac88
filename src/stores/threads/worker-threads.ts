/** The worker threads. */
import { join } from "node:path";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { packageRoot } from "../../package-root.ts";

interface ThreadSetup {
  /** The compiled worker, even under test: threads cannot run TypeScript, and bundling moves modules. */
  file: string;
  limits: ResourceLimits;
}

/**
 * By kind of store, and of what is kept up to date behind pages. Rows are read, sent and forgotten. Left alone, V8 lets the space of a thread for such short-lived objects grow to three times
 * 16 MB (Node 20) or more, and keeps it.
 *
 * Rows of SQLite are made outside of these spaces. Answers of a Redis server are taken apart inside: with less room for new ones that takes half
 * as long again, and the other limit, far more than is needed at once, makes V8 look for garbage before there is much of it.
 */
const THREADS: Readonly<Record<string, ThreadSetup>> = {
  sqlite: { file: join("stores", "sqlite", "lane-worker.js"), limits: { maxYoungGenerationSizeMb: 12 } },
  redis: {
    file: join("stores", "redis", "session-worker.js"),
    limits: { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 256 },
  },
  rollups: {
    file: join("services", "rollups", "rollup-worker.js"),
    limits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 },
  },
};

const early = new Map<string, Worker>();

/** Starts the thread that the next lane of a kind of store (`Store.kind`) will use, ahead of its first use. */
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
  const setup = THREADS[kind];
  if (setup === undefined) throw new Error(`no thread for ${kind}`);
  const worker = new Worker(join(packageRoot(), "dist", "src", setup.file), { resourceLimits: setup.limits });
  // An idle thread must not keep the process alive; a request in flight does, through its timer.
  worker.unref();
  return worker;
}
