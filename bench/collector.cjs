/**
 * Loaded into a monitor before it starts (`node --require`): collects the garbage of all threads when the process gets SIGUSR2, so that what it holds
 * after several loads can be compared.
 */
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const { BroadcastChannel, isMainThread } = require("node:worker_threads");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const threads = new BroadcastChannel("collect");
threads.onmessage = () => collect();
// A thread that only waits for this must not keep the process alive.
threads.unref();
if (isMainThread) {
  process.on("SIGUSR2", () => {
    threads.postMessage(null);
    collect();
  });
}
