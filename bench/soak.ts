/**
 * A monitor watched in every way at once while an app writes: a server with three live browsers and a scraper, and `monitor top` on a
 * terminal. Prints Markdown: the writer's commits without and with the monitor, what was read and what failed, and memory, processor time,
 * answers and the write-ahead log minute by minute. Exits with 1 if a read failed.
 *
 *   npm run bench:soak -- [--minutes 30] [--alone 3] [--rate 500]
 *
 * Needs Linux, Chromium and `script` of util-linux. The writer runs alone before and after, because commits grow slower with the file.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { packageRoot } from "../src/package-root.ts";
import { processorSeconds, quantile, residentMb } from "./served.ts";

const PAGES = ["/", "/invocations/", "/invocations/timeline?range=5m"];
const SCRAPE_SECONDS = 5;
const PROBE_SECONDS = 1;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    alone: { type: "string", default: "3" },
    rate: { type: "string", default: "500" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-soak-"));
const file = join(folder, "soak.db");
const bin = join(packageRoot(), "bin", "monitor.js");
const children: ChildProcess[] = [];
const failures: string[] = [];
const reads = { pages: 0, scrapes: 0, probes: 0, frames: 0 };
let stopping = false;
/** Since the last row. */
let commits: number[] = [];
let probes: number[] = [];
let written = { changes: 0, behind: 0 };

try {
  const writer = started(process.execPath, [join(packageRoot(), "dist", "bench", "soak-writer.js"), file, values.rate]);
  createInterface({ input: writer.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const { commit_ms, ...rest } = JSON.parse(line) as { commit_ms: number[]; changes: number; behind: number };
    commits.push(...commit_ms);
    written = rest;
  });
  await after(2000);
  const before = await alone();
  const during = await watched();
  const afterwards = await alone();

  console.log("\n| writer | commits | median ms | p95 ms | p99 ms | max ms |\n|---|---:|---:|---:|---:|---:|");
  for (const [name, list] of Object.entries({ "alone, before": before, watched: during, "alone, after": afterwards })) {
    const at = [quantile(list, 0.5), quantile(list, 0.95), quantile(list, 0.99), quantile(list, 1)];
    console.log(`| ${name} | ${list.length} | ${at.map((ms) => ms.toFixed(2)).join(" | ")} |`);
  }
  console.log(`\nReads: ${JSON.stringify(reads)}; ${failures.length} failed`);
  for (const failure of failures.slice(0, 20)) console.log(`- ${failure}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  stopping = true;
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function alone(): Promise<number[]> {
  commits = [];
  await after(Number(values.alone) * 60_000);
  return commits.splice(0);
}

async function watched(): Promise<number[]> {
  const all: number[] = [];
  const server = started(process.execPath, [bin, "serve", "--db", file, "--port", "auto", "--no-cache"]);
  const [address] = (await once(server.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const serverPid = server.pid ?? 0;
  const origin = String(address).trim().replace(/\/$/, "");
  const top = onTerminal(`${process.execPath} ${bin} top --db ${file}`);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  for (const address of PAGES) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on("response", (response) => {
      reads.pages += 1;
      if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
    });
    page.on("requestfailed", (request) => {
      // A page gives up on a request of its own when a newer one takes its place.
      const { errorText = "" } = request.failure() ?? {};
      if (!errorText.includes("ERR_ABORTED")) failures.push(`${errorText} ${request.url()}`);
    });
    page.on("pageerror", (error) => failures.push(`script: ${error.message}`));
    await page.goto(origin + address, { timeout: 120_000 });
  }
  const scraper = setInterval(() => void read("scrapes", `${origin}/metrics`), SCRAPE_SECONDS * 1000);
  const prober = setInterval(() => void read("probes", `${origin}/health`), PROBE_SECONDS * 1000);

  console.log(
    "| minute | changes | behind | server MB | server CPU % | top MB | top CPU % | commit p99 ms | commit max ms | /health median ms | /health max ms | WAL MB | file MB |",
  );
  console.log("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  commits = [];
  probes = [];
  let spent = [processorSeconds(serverPid), processorSeconds(top.pid())];
  for (let minute = 1; minute <= Number(values.minutes); minute++) {
    await after(60_000);
    const now = [processorSeconds(serverPid), processorSeconds(top.pid())];
    const shares = now.map((seconds, n) => (((seconds - (spent[n] ?? 0)) / 60) * 100).toFixed(1));
    spent = now;
    const cells = [
      minute,
      written.changes,
      written.behind,
      residentMb(serverPid).toFixed(0),
      shares[0],
      residentMb(top.pid()).toFixed(0),
      shares[1],
      quantile(commits, 0.99).toFixed(1),
      quantile(commits, 1).toFixed(0),
      quantile(probes, 0.5).toFixed(1),
      quantile(probes, 1).toFixed(0),
      megabytes(`${file}-wal`),
      megabytes(file),
    ];
    console.log(`| ${cells.join(" | ")} |`);
    all.push(...commits.splice(0));
    probes = [];
  }
  clearInterval(scraper);
  clearInterval(prober);
  await browser.close();
  reads.frames = top.frames();
  stopping = true;
  top.stop();
  server.kill("SIGTERM");
  const [code] = (await once(server, "close")) as [number | null];
  stopping = false;
  if (code !== 0) failures.push(`the server ended with exit code ${code}`);
  return all;
}

async function read(kind: "scrapes" | "probes", address: string): Promise<void> {
  const begun = performance.now();
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    reads[kind] += 1;
    if (kind === "probes") probes.push(performance.now() - begun);
    if (response.status !== 200) failures.push(`${response.status} ${address}`);
    else if (kind === "scrapes" && !/^pynenc_store_up\{[^}]*\} 1$/m.test(text))
      failures.push("a scrape could not read the store");
  } catch (error) {
    failures.push(`${String(error)} ${address}`);
  }
}

function started(command: string, args: readonly string[]): ChildProcess {
  // A terminal whose input has ended ends `top`.
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    process.stderr.write(text);
    if (/error|warn/i.test(text)) failures.push(`stderr: ${text.trim().slice(0, 200)}`);
  });
  child.on("exit", (code) => {
    if (!stopping) failures.push(`${args.join(" ")} ended by itself with exit code ${code}`);
  });
  children.push(child);
  return child;
}

/** A program on a terminal of its own. A frame begins where the cursor goes to the first line. */
function onTerminal(command: string) {
  const child = started("script", ["-qefc", `stty rows 40 cols 120; echo pid=$$; exec ${command}`, "/dev/null"]);
  let frames = 0;
  let head = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (head.length < 1000) head += text;
    frames += text.split("\u001b[H").length - 1;
    const trouble = /cannot be read|could not be read|not reachable|is locked/i.exec(text);
    if (trouble) failures.push(`top: ${trouble[0]}`);
  });
  const pid = () => Number(/pid=(\d+)/.exec(head)?.[1] ?? 0);
  return { pid, frames: () => frames, stop: () => process.kill(pid(), "SIGTERM") };
}

function megabytes(path: string): string {
  return (statSync(path).size / 1_048_576).toFixed(1);
}
