/** Entry of a thread with a RedisSession. A thread has no part in the cache of compiled code (bin/monitor.js) unless it asks for it. */
import module from "node:module";

// Not in the types of the oldest supported Node, nor in that Node.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import("./session-loop.ts");
