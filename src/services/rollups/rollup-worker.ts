/** Entry point of the thread behind a RollupThread; like lane-worker.ts of the stores. */
import module from "node:module";

// The oldest supported Node and its types do not have this function.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import("./rollup-loop.ts");
