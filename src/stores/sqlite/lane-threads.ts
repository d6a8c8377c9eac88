/** The worker threads of lanes. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../../package-root.ts";

/** Compiled code whoever asks: a thread cannot run TypeScript, and bundling moves modules to other places than the worker's. */
const WORKER = join(packageRoot(), "dist", "src", "stores", "sqlite", "lane-worker.js");

/**
 * Rows are read, sent and forgotten. Left alone, V8 lets the space of a thread for such short-lived objects grow to three times 16 MB (Node 20)
 * or more, and keeps it.
 */
const YOUNG_GENERATION_MB = 12;

let early: Worker | null = null;

/** Starts the thread that the next lane will use, before somebody waits for it. */
export function startThreadEarly(): void {
  early ??= start();
}

/** A thread that waits for messages. */
export function takeThread(): Worker {
  const thread = early ?? start();
  early = null;
  return thread;
}

function start(): Worker {
  const worker = new Worker(WORKER, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
  // An idle thread must not keep the process alive; a request in flight does, through its timer.
  worker.unref();
  return worker;
}
