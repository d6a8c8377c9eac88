/** Starts the worker threads. */
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { packageRoot } from "../../package-root.ts";

interface ThreadSetup {
  /** The compiled worker, also in tests: threads cannot run TypeScript, and bundling moves modules. */
  file: string;
  limits: ResourceLimits;
  /** Flags of V8 for all threads. */
  flags?: readonly string[];
}

/**
 * The space for new objects does not grow, and old ones may grow by 40 % before garbage is collected. With a million invocations in MongoDB, 90 pages
 * for eight readers took 221 MB instead of 315, and a tenth more processor time.
 */
const SMALL_HEAPS = ["--semi-space-growth-factor=1", "--heap-growing-percent=40"];

/**
 * V8 forgets the code of functions that were not called for a while, and a page that nobody asked for lately is rendered by code that is compiled
 * again. Beside eight readers of 40 pages, all rendering took a quarter less time with the code kept, and the longest pieces (p99) 27 ms instead of 39.
 */
const KEEP_CODE = "--no-flush-bytecode";

const ROLLUP_WORKER = join("services", "rollups", "rollup-worker.js");

/**
 * By kind of store, and for each the rollups, which are updated in the background. Rows are read, sent and dropped. By default V8 lets a thread's space for
 * such short-lived objects grow to three times 16 MB (Node 20) or more, and does not shrink it.
 *
 * SQLite allocates rows outside of this space, but what is made of them lies in it: without a limit for old objects, a thread that read pages for 60
 * clients grew to 70 MB. Replies of a server are parsed inside: with less space for young objects that takes 1.5 times as
 * long. The limit for old objects, far more than needed at once, makes V8 collect garbage earlier. V8 chooses how far a heap may grow between two
 * collections by that limit: the rollups of a million invocations in Redis took 65 s and 317 MB with these limits, 85 s and 276 MB with 12 and 256 MB.
 * Documents of MongoDB come as bytes, outside of this space: the server of a million invocations took 291 MB with 24 MB, 319 MB with 48, 287 MB with 12.
 */
const THREADS: Readonly<Record<string, ThreadSetup>> = {
  sqlite: {
    file: join("stores", "sqlite", "lane-worker.js"),
    limits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 },
  },
  redis: {
    file: join("stores", "redis", "session-worker.js"),
    limits: { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 256 },
  },
  mongodb: {
    file: join("stores", "mongodb", "session-worker.js"),
    limits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 },
    flags: SMALL_HEAPS,
  },
  "sqlite rollups": {
    file: ROLLUP_WORKER,
    limits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1024 },
  },
  "redis rollups": {
    file: ROLLUP_WORKER,
    limits: { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 1024 },
  },
  "mongodb rollups": {
    file: ROLLUP_WORKER,
    limits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1024 },
    flags: SMALL_HEAPS,
  },
};

const early = new Map<string, Worker>();

/** Starts the thread for the next lane of a kind of store (`Store.kind`) before it is needed. */
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
  worker.once("online", () => {
    // The start of a thread resets them.
    for (const flag of [KEEP_CODE, ...(setup.flags ?? [])]) setFlagsFromString(flag);
  });
  // An idle thread must not keep the process alive; a request in flight does, through its timer.
  worker.unref();
  return worker;
}
