/**
 * A monitor that many clients ask at once, some of whom leave before the answer, while an app writes. Prints Markdown: for each round the answers,
 * their times, those of `/health` beside them, memory at the end and after a forced collection, the write-ahead log, and errors; then for each page its
 * time without other clients and its times in all rounds.
 *
 *   npm run bench:clients -- [--clients 60] [--pause 1-3] [--leaving 0.3] [--rounds 3] [--seconds 25] [--size 50000] [--rate 400]
 *     [--root path/to/other/build]
 */
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { parseArgs } from "node:util";
import { packageRoot } from "../src/package-root.ts";
import { BULK_APP, bulkFile } from "./bulk-file.ts";
import { anonymousMb, processorSeconds, quantile, residentMb, row } from "./served.ts";

const PAGES = [
  "/",
  "/invocations/",
  "/invocations/?status=failed",
  "/invocations/timeline?range=5m",
  "/stats/",
  "/tasks/",
  "/broker/",
  "/events/",
  "/trigger-runs/",
  "/runners/",
  "/workflows/runs",
  "/metrics",
];
/** A client that leaves does so within this time. */
const LEAVES_MS = 1_500;
const PAUSE_MS = 8_000;
const PROBE_MS = 200;
/** How often each page is asked for without other clients. */
const ALONE = 9;

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "60" },
    /** Least and most seconds that a client waits between two pages. */
    pause: { type: "string", default: "0-0" },
    leaving: { type: "string", default: "0.3" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "25" },
    size: { type: "string", default: "50000" },
    rate: { type: "string", default: "400" },
    /** Another version of the monitor, to compare. */
    root: { type: "string", default: packageRoot() },
  },
});
const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-clients-"));
const file = join(folder, "app.db");
copyFileSync(bulkFile(Number(values.size)), file);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const writer = spawn(
  process.execPath,
  [join(packageRoot(), "dist", "bench", "soak-writer.js"), file, values.rate, BULK_APP],
  { stdio: ["ignore", "ignore", "inherit"] },
);
await after(1_000);
const bin = join(values.root, "bin", "monitor.js");
const server = spawn(process.execPath, [bin, "serve", "--db", file, "--app", BULK_APP, "--port", "auto", "--quiet"], {
  stdio: ["ignore", "pipe", "inherit"],
  // A cache folder of its own, for builds that know no `--no-cache` too.
  env: {
    ...process.env,
    XDG_CACHE_HOME: folder,
    NODE_OPTIONS: `--require ${join(packageRoot(), "bench", "collector.cjs")}`,
  },
});
const pid = server.pid ?? 0;
const [shortest = 0, longest = shortest] = values.pause.split("-").map(Number);
const alone = new Map<string, number>();
/** Milliseconds of the answers of all rounds, by page. */
const crowded = new Map<string, number[]>(PAGES.map((page) => [page, []]));
try {
  const origin = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (url) => resolve(String(url).trim().replace(/\/$/, "")));
    server.once("exit", (code) => reject(new Error(`the monitor ended with ${code}`)));
  });
  for (const page of PAGES) await ask(origin + page);
  await after(PAUSE_MS);
  for (const page of PAGES) {
    const times: number[] = [];
    for (let time = 0; time < ALONE; time++) times.push((await ask(origin + page)).ms);
    alone.set(page, quantile(times, 0.5));
  }
  console.log(`before: ${residentMb(pid).toFixed(0)} MB, log ${megabytesOfLog()} MB`);
  row([
    ...[
      "round",
      "answers",
      "per s",
      "p50 ms",
      "p99 ms",
      "max ms",
      "left",
      "503",
      "errors",
      "/health p50",
      "p99",
      "max",
    ],
    ...["CPU s", "MB", "MB collected", "anonymous", "WAL MB"],
  ]);
  row(Array.from({ length: 17 }, () => "---:"));
  for (let round = 1; round <= Number(values.rounds); round++) row([String(round), ...(await measured(origin))]);
  console.log("");
  row(["page", "alone ms", "p50 ms", "p99 ms", "p99 / alone"]);
  row(["---", ...Array.from({ length: 4 }, () => "---:")]);
  for (const [page, times] of crowded) {
    const [base, p99] = [alone.get(page) ?? Number.NaN, quantile(times, 0.99)];
    row([`\`${page}\``, ...[base, quantile(times, 0.5), p99].map((ms) => ms.toFixed(0)), (p99 / base).toFixed(1)]);
  }
} finally {
  server.kill("SIGTERM");
  writer.kill();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function measured(origin: string): Promise<string[]> {
  const until = performance.now() + Number(values.seconds) * 1_000;
  const times: number[] = [];
  const probes: number[] = [];
  const count = { left: 0, busy: 0, errors: 0 };
  const used = processorSeconds(pid);
  const client = async () => {
    while (performance.now() < until) {
      await after((shortest + Math.random() * (longest - shortest)) * 1_000);
      const leaves = Math.random() < Number(values.leaving);
      const page = PAGES[Math.floor(Math.random() * PAGES.length)] ?? "/";
      const { status, ms } = await ask(origin + page, leaves ? Math.random() * LEAVES_MS : null);
      if (status === 200) {
        times.push(ms);
        crowded.get(page)?.push(ms);
      } else if (status === null && leaves) count.left++;
      else if (status === 503) {
        count.busy++;
        await after(1_000);
      } else count.errors++;
    }
  };
  const probe = async () => {
    while (performance.now() < until) {
      const { status, ms } = await ask(`${origin}/health`);
      if (status === 200) probes.push(ms);
      else count.errors++;
      await after(PROBE_MS);
    }
  };
  await Promise.all([...Array.from({ length: Number(values.clients) }, client), probe()]);
  const spent = processorSeconds(pid) - used;
  const loaded = residentMb(pid);
  server.kill("SIGUSR2");
  await after(PAUSE_MS);
  const at = (list: readonly number[], share: number) => quantile(list, share).toFixed(0);
  return [
    String(times.length),
    (times.length / Number(values.seconds)).toFixed(0),
    ...[0.5, 0.99, 1].map((share) => at(times, share)),
    String(count.left),
    String(count.busy),
    String(count.errors),
    ...[0.5, 0.99, 1].map((share) => at(probes, share)),
    spent.toFixed(0),
    loaded.toFixed(0),
    residentMb(pid).toFixed(0),
    anonymousMb(pid).toFixed(0),
    megabytesOfLog(),
  ];
}

function megabytesOfLog(): string {
  return (statSync(`${file}-wal`).size / 1024 ** 2).toFixed(0);
}

/** @param patience milliseconds after which the client leaves. */
function ask(address: string, patience: number | null = null): Promise<{ status: number | null; ms: number }> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const done = (status: number | null) => {
      clearTimeout(leaving);
      resolve({ status, ms: performance.now() - begun });
    };
    const request = get(address, { agent, headers: { accept: "text/html" } }, (response) => {
      response.resume();
      response.on("end", () => done(response.statusCode ?? null));
      response.on("error", () => done(null));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      // The server has closed a connection that was idle, as the request was on its way: browsers ask again.
      if (left || !request.reusedSocket || error.code !== "ECONNRESET") return done(null);
      clearTimeout(leaving);
      resolve(ask(address, patience));
    });
    let left = false;
    const leave = () => {
      left = true;
      request.destroy();
    };
    const leaving = patience === null ? undefined : setTimeout(leave, patience);
  });
}
