/**
 * What a monitor of a large Redis or MongoDB server costs: whoever asks it, its own machine and the server. Prints one Markdown table.
 *
 *   npm run bench:server -- --url redis://host:6379/0 [--size 1000000] [--readers 8] [--seconds 60] [-- options of monitor serve]
 *
 * Another client changes something ten times a second, as an app would, so that nothing is answered from memory alone. First each page is
 * asked for on its own; then readers ask for the slowest of them at once, while `/health` is asked for fifty times a second.
 */
import { once } from "node:events";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { bulkServer } from "./bulk-server.ts";
import { InProcess } from "./in-process.ts";
import { pagesOf } from "./pages.ts";
import { quantile, row, Served, shownAddress } from "./served.ts";

const PORT = 8766;
const ROUNDS = 3;
const SLOWEST = 40;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string" },
    size: { type: "string", default: "1000000" },
    readers: { type: "string", default: "8" },
    seconds: { type: "string", default: "60" },
  },
});
if (options.url === undefined) throw new Error("--url names the server");
const store = await bulkServer(options.url, Number(options.size));
let change: Promise<unknown> = Promise.resolve();
const changing = setInterval(() => {
  change = store.change();
}, 100);

const beside = await InProcess.open({ url: store.url });
const pages = await pagesOf(beside.workspace.store);
const server = await Served.start(["--url", store.url, ...positionals], PORT);
try {
  row(["figure", "value"]);
  row(["---", "---:"]);
  row(["held by the server", await store.size()]);
  row(["ready after", ms(server.readyMs)]);
  row(["memory when ready", mb(server.residentMb)]);
  // The first look waits for the apps of the server.
  await answered("/health");
  row(["`/health`, nothing else, p50, p99", halfAndMost(await healthUntil(sleep(5_000)))]);

  const processor = server.processorSeconds;
  const times = await alone();
  const all = [...times.values()].flat();
  row(["a page alone, p50, p99", halfAndMost(all)]);
  row(["processor time of the monitor for it, mean", ms(((server.processorSeconds - processor) * 1000) / all.length)]);
  const slowest = [...times].sort(([, a], [, b]) => quantile(b, 0.5) - quantile(a, 0.5)).map(([page]) => page);
  const [first = ""] = slowest;
  row(["slowest page alone, p50", `${ms(quantile(times.get(first) ?? [], 0.5))}, \`${shownAddress(first)}\``]);
  const asked = await trafficOf(pages);
  row(["round trips, commands for one page, mean", `${each(asked.round_trips)}, ${each(asked.commands)}`]);

  // It follows the store too.
  await beside.close();
  const before = await store.counters();
  const load = readersOf(slowest.slice(0, SLOWEST), Number(options.readers), Number(options.seconds) * 1000);
  const health = await healthUntil(load);
  const loaded = await load;
  const after = await store.counters();
  const perSecond = (from: number, to: number) => (to - from) / Number(options.seconds);
  row([
    `\`/health\` beside ${options.readers} readers, p50, p99, longest`,
    `${halfAndMost(health)}, ${ms(Math.max(...health))}`,
  ]);
  row([`a page beside ${options.readers} readers, p50, p99`, halfAndMost(loaded)]);
  row(["pages a second", (loaded.length / Number(options.seconds)).toFixed(1)]);
  row(["commands a second at the server", perSecond(before.commands, after.commands).toFixed(0)]);
  row(["sent by the server a second", mb(perSecond(before.sentBytes, after.sentBytes) / 1024 ** 2)]);
  row([
    "busy server",
    `${(100 * perSecond(before.processorSeconds, after.processorSeconds)).toFixed(0)} % of a processor`,
  ]);
  row(["memory at most", mb(server.peakMb)]);
} finally {
  clearInterval(changing);
  await change;
  server.stop();
  await store.close();
}

/** Milliseconds of each page, one request at a time. */
async function alone(): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (const page of pages) {
    const some: number[] = [];
    for (let i = 0; i < ROUNDS; i++) some.push((await answered(page)).ms);
    times.set(page, some);
  }
  return times;
}

/** Pages one after the other, by several readers at once, each starting at a different page. */
async function readersOf(some: readonly string[], readers: number, forMs: number): Promise<number[]> {
  const until = performance.now() + forMs;
  const times: number[] = [];
  const read = async (reader: number) => {
    for (let at = Math.floor((reader * some.length) / readers); performance.now() < until; at++)
      times.push((await answered(some[at % some.length] ?? "/")).ms);
  };
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  return times;
}

/** Milliseconds of each answer of `/health` meanwhile. */
async function healthUntil(done: Promise<unknown>): Promise<number[]> {
  const workerData = { address: `http://127.0.0.1:${PORT}/health` };
  const probe = new Worker(new URL("./health-probe.js", import.meta.url), { workerData });
  const times = once(probe, "message").then(([found]) => found as number[]);
  await done;
  probe.postMessage("stop");
  return times;
}

async function answered(page: string) {
  const answer = await server.ask(page);
  if (answer.status !== 200) console.error(`${answer.status} ${page} after ${ms(answer.ms)}`);
  return answer;
}

/** Asked of a monitor in this process, each page once before. */
async function trafficOf(some: readonly string[]) {
  const sum = { round_trips: 0, commands: 0 };
  for (const page of some) {
    await beside.trafficOf(page);
    const { round_trips, commands } = await beside.trafficOf(page);
    sum.round_trips += round_trips;
    sum.commands += commands;
  }
  return sum;
}

function halfAndMost(times: readonly number[]): string {
  return `${ms(quantile(times, 0.5))}, ${ms(quantile(times, 0.99))}`;
}

function each(sum: number): string {
  return (sum / pages.length).toFixed(0);
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

function mb(value: number): string {
  return `${value.toFixed(0)} MB`;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
