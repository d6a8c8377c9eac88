/**
 * Does one action in a process of its own, in the built worker that the server uses too, and prints the worker's answer.
 *
 *   node act.mjs '{"path", "app_id", "method", "args", "lock_wait"}'
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { path, app_id, method, args, lock_wait } = JSON.parse(process.argv[2] ?? "{}");
const paths = Object.fromEntries(
  ["broker", "orchestrator", "state_backend", "client_data_store", "trigger"].map((component) => [component, path]),
);
const worker = new Worker(join(root, "dist", "src", "stores", "sqlite", "lane-worker.js"));
worker.once("message", ([answer]) => {
  process.stdout.write(JSON.stringify(answer));
  void worker.terminate();
});
worker.postMessage([{ id: 0, verb: "act", input: { paths, app_id, lock_wait }, call: { method, args } }]);
