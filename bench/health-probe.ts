/** Asks for `/health` fifty times a second, in a thread of its own: in that of the readers it would wait for them. */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { address } = workerData as { address: string };
const times: number[] = [];
let stopped = false;
parentPort?.once("message", () => {
  stopped = true;
});
while (!stopped) {
  const started = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${response.status} ${address}`);
  times.push(performance.now() - started);
  await sleep(20);
}
parentPort?.postMessage(times);
