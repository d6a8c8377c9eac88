/**
 * Server time per page, memory and start-up on generated data, in a file or in a server. Prints a Markdown table; passes or fails
 * nothing.
 *
 *   npm run bench -- [--size 100000] [--rounds 40] [--purged] [--db path/to/existing.db | --url redis://host:6379/0]
 *
 * The server runs as users run it, in a process of its own; times are taken by a client over a socket, one request at a time. For a Redis or MongoDB
 * server it also prints what a page takes just after a change, and how many commands that needed.
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { bulkFile, halfPurgedFile } from "./bulk-file.ts";
import { bulkServer } from "./bulk-server.ts";
import { InProcess } from "./in-process.ts";
import { pagesOf } from "./pages.ts";
import { quantile, row, Served, shownAddress } from "./served.ts";

const PORT = 8765;

const { values: options } = parseArgs({
  options: {
    size: { type: "string", default: "100000" },
    rounds: { type: "string", default: "40" },
    db: { type: "string" },
    url: { type: "string" },
    /** The orchestrator has forgotten the older half. */
    purged: { type: "boolean", default: false },
  },
});
const size = Number(options.size);
const rounds = Number(options.rounds);
const bulk = options.url === undefined ? null : await bulkServer(options.url, size);
const place =
  bulk === null ? { db: options.db ?? (options.purged ? halfPurgedFile(size) : bulkFile(size)) } : { url: bulk.url };

const beside = await InProcess.open(place);
const pages = await pagesOf(beside.workspace.store);
const server = await Served.start(
  Object.entries(place).flatMap(([name, value]) => [`--${name}`, value]),
  PORT,
);
const idleMb = server.residentMb;
try {
  const changing = bulk === null ? [] : ["changing p50", "p95", "round trips", "commands"];
  row(["page", "status", "first ms", "p50 ms", "p95 ms", "kB", ...changing]);
  row(["---", "---", "---:", "---:", "---:", "---:", ...changing.map(() => "---:")]);
  for (const page of pages) row(await measure(page));
  row(["/health while the slowest pages run", "200", "", ...(await healthUnderLoad())]);
  console.log(
    `\nready after ${server.readyMs.toFixed(0)} ms; memory ${idleMb.toFixed(0)} MB idle, ${server.residentMb.toFixed(0)} MB after; ${await storeSize()}`,
  );
} finally {
  server.stop();
  await beside.close();
  await bulk?.close();
}

async function storeSize(): Promise<string> {
  return bulk?.size() ?? `file ${(statSync(place.db ?? "").size / 1024 ** 2).toFixed(0)} MB`;
}

async function measure(page: string): Promise<string[]> {
  const first = await server.ask(page);
  const still: number[] = [];
  for (let i = 0; i < rounds; i++) still.push((await server.ask(page)).ms);
  const head = [`\`${shownAddress(page)}\``, String(first.status), ms(first.ms), ...halfAndMost(still)];
  return [...head, (first.bytes / 1024).toFixed(0), ...(await measureChanging(page))];
}

/** Times while others write, and the questions of one request then. */
async function measureChanging(page: string): Promise<string[]> {
  if (bulk === null) return [];
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    await bulk.change();
    times.push((await server.ask(page)).ms);
  }
  // Once before, so that nothing is asked for the first time.
  await beside.trafficOf(page);
  await bulk.change();
  const { round_trips, commands } = await beside.trafficOf(page);
  return [...halfAndMost(times), String(round_trips), String(commands)];
}

/** Whether a cheap request is answered while expensive ones run: p50, p95 and the worst, in one cell each. */
async function healthUnderLoad(): Promise<string[]> {
  let running = true;
  const load = (async () => {
    while (running) await Promise.all(pages.map((page) => server.ask(page)));
  })();
  const times: number[] = [];
  const until = performance.now() + 5_000;
  while (performance.now() < until) {
    times.push((await server.ask("/health")).ms);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  running = false;
  await load;
  return [...halfAndMost(times), `p99 ${ms(quantile(times, 0.99))} ms`];
}

function halfAndMost(times: readonly number[]): string[] {
  return [ms(quantile(times, 0.5)), ms(quantile(times, 0.95))];
}

function ms(value: number): string {
  return value.toFixed(1);
}
