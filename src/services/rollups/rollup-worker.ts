/** Entry point of the thread behind a RollupThread; like lane-worker.ts of the stores. */
import { readlinkSync } from "node:fs";
import module from "node:module";
import { setPriority } from "node:os";
import { basename } from "node:path";

// Requests go first where cores are few. Only Linux has priorities of threads.
try {
  setPriority(Number(basename(readlinkSync("/proc/thread-self"))), 5);
} catch {}

// The oldest supported Node and its types do not have this function.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import("./rollup-loop.ts");
