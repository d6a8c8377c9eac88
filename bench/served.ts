/** A monitor in a process of its own, as users run it, and what a client sees of it over a socket. */
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/package-root.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { BULK_APP, BULK_NOW } from "./bulk-file.ts";

/** Ticks per second of the clock in which Linux reports processor time. */
const TICKS = 100;

/** An answer: milliseconds until its last byte, and its size. */
interface Timed {
  ms: number;
  status: number;
  bytes: number;
}

/** Requests so far. */
let asked = 0;

export class Served {
  readonly readyMs: number;
  readonly #port: number;
  readonly #pid: number;

  private constructor(port: number, pid: number, readyMs: number) {
    this.#port = port;
    this.#pid = pid;
    this.readyMs = readyMs;
  }

  /**
   * @param store names it: `--db path` or `--url redis://...`, and options of the server.
   * @param other another build of the monitor, and what its environment has besides.
   */
  static async start(
    store: readonly string[],
    port: number,
    other: { root?: string; env?: Record<string, string> } = {},
  ): Promise<Served> {
    const started = performance.now();
    const bin = join(other.root ?? packageRoot(), "bin", "monitor.js");
    const args = [bin, "serve", ...store, "--app", BULK_APP, "--now", isoFromEpoch(BULK_NOW), "--port", String(port)];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...other.env },
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    return new Served(port, child.pid ?? 0, performance.now() - started);
  }

  /** @param etag of what the client has. Clients that have different things get no answer that was made for another and remembered. */
  async ask(address: string, etag = `"${++asked}"`): Promise<Timed> {
    const started = performance.now();
    const headers = { accept: "text/html", "if-none-match": etag };
    const response = await fetch(`http://127.0.0.1:${this.#port}${address}`, { headers });
    const bytes = (await response.arrayBuffer()).byteLength;
    return { ms: performance.now() - started, status: response.status, bytes };
  }

  get residentMb(): number {
    return residentMb(this.#pid);
  }

  get anonymousMb(): number {
    return anonymousMb(this.#pid);
  }

  get processorSeconds(): number {
    return processorSeconds(this.#pid);
  }

  /** Milliseconds of processor time of all threads that live now, to the nanosecond; only known on Linux. */
  get processorMs(): number {
    const folder = `/proc/${this.#pid}/task`;
    const ns = readdirSync(folder).map((thread) =>
      Number(readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return ns.reduce((total, each) => total + each, 0) / 1e6;
  }

  /** Since the start; the present figure if the system does not report a peak. */
  get peakMb(): number {
    return memory(this.#pid, "VmHWM");
  }

  stop(): void {
    process.kill(this.#pid, "SIGTERM");
  }
}

/** Memory that a process holds now, in megabytes. */
export function residentMb(pid: number): number {
  return memory(pid, "VmRSS");
}

/** The part of it that is not mapped from files, such as the code of Node. */
export function anonymousMb(pid: number): number {
  return memory(pid, "RssAnon");
}

/** Seconds of processor time of a process since its start; NaN if the system does not report it. */
export function processorSeconds(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function memory(pid: number, name: "VmRSS" | "RssAnon" | "VmHWM"): number {
  const kb =
    process.platform === "linux"
      ? new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kb ?? 0) / 1024;
}

/** The value below which this share of them is. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

/** An address without the ids in it. */
export function shownAddress(page: string): string {
  return page.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{id}").replace(/[0-9a-f]{64}/g, "{hash}");
}

/** A row of a Markdown table. */
export function row(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}
