/**
 * Time and bytes of the timeline by how much its window holds. Prints a Markdown table.
 *
 *   npm run bench:timeline -- [--size 1000000] [--rounds 20] [--url redis://host:6379/0]
 *
 * Windows end at the present of the data and are as long as it takes to hold the wanted number of invocations. Requests are answered in this
 * process, reads happen in two threads as they do in a server.
 */
import { parseArgs } from "node:util";
import { naiveIso } from "../src/services/model/timeline-window.ts";
import { BULK_NOW, bulkFile } from "./bulk-file.ts";
import { bulkServer } from "./bulk-server.ts";
import { InProcess } from "./in-process.ts";
import { ONE_SHOT_SECONDS, oneShotFile } from "./one-shot-file.ts";

const SPAN_SECONDS = 7 * 86_400;
const ONE_SHOT_WORKERS = 4_000;
const WANTED = [100, 500, 2_000, 5_000, 100_000, 1_000_000];

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "20" },
    url: { type: "string" },
  },
});
const size = Number(values.size);
const rounds = Number(values.rounds);

const bulk = values.url === undefined ? null : await bulkServer(values.url, size);
let monitor = await InProcess.open(bulk === null ? { db: bulkFile(size) } : { url: bulk.url }, 2);

console.log(
  "| invocations in the window | first ms | p50 ms | p95 ms | CPU ms | page kB | JSON kB | invocations drawn |",
);
console.log("|---:|---:|---:|---:|---:|---:|---:|---:|");
for (const wanted of WANTED.filter((n) => n <= size)) {
  const start = naiveIso(BULK_NOW - (SPAN_SECONDS * wanted) / size);
  await row(wanted.toLocaleString("en"), `start_date=${start}&end_date=${naiveIso(BULK_NOW)}`);
}
await row("all, of one task", "time_range=1w&task_id=shop.search.verify");
await row("all, failed", "time_range=1w&status=failed");
await monitor.close();
await bulk?.close();
if (bulk === null) {
  monitor = await InProcess.open({ db: oneShotFile(ONE_SHOT_WORKERS) }, 2);
  const window = `start_date=${naiveIso(BULK_NOW - ONE_SHOT_SECONDS)}&end_date=${naiveIso(BULK_NOW)}`;
  for (const group of ["runner", "task"]) {
    await row(`${ONE_SHOT_WORKERS.toLocaleString("en")} of as many runners, by ${group}`, `${window}&group=${group}`);
  }
  await monitor.close();
}

async function row(name: string, query: string): Promise<void> {
  // A page that was just asked for is remembered: each request draws at most one invocation more than the one before.
  const address = (round: number) => `/invocations/timeline?${query}&limit=${500 + round}`;
  const first = await timedGet(address(0), "text/html");
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) times.push((await timedGet(address(i + 1), "text/html")).ms);
  const used = process.cpuUsage(before);
  const cpu = (used.user + used.system) / 1_000 / rounds;
  times.sort((a, b) => a - b);
  const at = (q: number) => (times[Math.min(rounds - 1, Math.floor(rounds * q))] ?? Number.NaN).toFixed(0);
  const twin = await timedGet(address(0), "application/json");
  const { counts } = JSON.parse(twin.text) as { counts: { invocations: { drawn: number } } };
  const kb = (text: string) => (Buffer.byteLength(text) / 1000).toFixed(0);
  console.log(
    `| ${name} | ${first.ms.toFixed(0)} | ${at(0.5)} | ${at(0.95)} | ${cpu.toFixed(0)} | ${kb(first.text)} | ${kb(twin.text)} | ${counts.invocations.drawn} |`,
  );
}

async function timedGet(
  address: string,
  accept: "text/html" | "application/json",
): Promise<{ ms: number; text: string }> {
  const started = performance.now();
  const text = await monitor.ask(address, accept);
  return { ms: performance.now() - started, text };
}
