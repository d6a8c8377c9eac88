/** Entry of the thread behind a RollupThread; as lane-worker.ts of the stores. */
import module from "node:module";

// Not in the types of the oldest supported Node, nor in that Node.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import("./rollup-loop.ts");
