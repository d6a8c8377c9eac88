/** Entry point of a thread with a MongoSession. A thread uses the compile cache (bin/monitor.js) only if it enables it. */
import module from "node:module";

// Missing in the oldest supported Node and its types.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import("./session-loop.ts");
