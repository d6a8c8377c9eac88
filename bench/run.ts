/**
 * Server time per page, memory and start-up on generated data. Prints a Markdown table; passes or fails nothing.
 *
 *   npm run bench -- [--size 100000] [--rounds 40] [--db path/to/existing.db]
 *
 * The server runs as users run it, in a process of its own; times are taken by a client over a socket, one request at a time.
 */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { packageRoot } from "../src/package-root.ts";
import { tablePrefix } from "../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { BULK_APP, BULK_NOW, bulkFile } from "./bulk-file.ts";

const PORT = 8765;

const { values: options } = parseArgs({
  options: {
    size: { type: "string", default: "100000" },
    rounds: { type: "string", default: "40" },
    db: { type: "string" },
  },
});
const size = Number(options.size);
const rounds = Number(options.rounds);
const path = options.db ?? bulkFile(size);

const ids = sampleIds(path);
const server = await startServer(path);
try {
  const pages = pagesOf(ids);
  print(["page", "status", "first ms", "p50 ms", "p95 ms", "kB"]);
  print(["---", "---", "---:", "---:", "---:", "---:"]);
  for (const page of pages) print(await measure(page));
  print(["/health while the slowest pages run", "200", "", ...(await healthUnderLoad(pages))]);
  const mb = (kb: number) => (kb / 1024).toFixed(0);
  console.log(
    `\nready after ${server.readyMs.toFixed(0)} ms; memory ${mb(server.idleKb)} MB idle, ${mb(residentKb(server.pid))} MB after; file ${mb(statSync(path).size / 1024)} MB`,
  );
} finally {
  process.kill(server.pid, "SIGTERM");
}

/** Things to look at: an old and a new invocation, a rare and a common task ... taken from the data. */
function sampleIds(file: string) {
  const db = new Database(file, { readonly: true });
  const prefix = tablePrefix(BULK_APP);
  const one = (sql: string) =>
    String(
      db
        .prepare(sql.replaceAll("$", `${prefix}__`))
        .pluck()
        .get() ?? "",
    );
  const found = {
    newest: one("SELECT invocation_id FROM $orchestrator_invocations ORDER BY rowid DESC LIMIT 1"),
    old: one("SELECT invocation_id FROM $orchestrator_invocations ORDER BY rowid LIMIT 1 OFFSET 1000"),
    task: one("SELECT task_id_key FROM $orchestrator_invocations ORDER BY rowid DESC LIMIT 1"),
    call: one("SELECT call_id_key FROM $orchestrator_invocations ORDER BY rowid DESC LIMIT 1"),
    runner: one("SELECT runner_id FROM $orchestrator_runner_heartbeats ORDER BY last_heartbeat DESC LIMIT 1"),
    workflow: one("SELECT workflow_id FROM $state_backend_workflows ORDER BY rowid DESC LIMIT 1"),
    event: one("SELECT event_id FROM $trg_events ORDER BY rowid DESC LIMIT 1"),
    triggered: one("SELECT event_id FROM $trg_event_triggered_invocations ORDER BY rowid DESC LIMIT 1"),
    triggerRun: one("SELECT trigger_run_id FROM $trg_trigger_runs ORDER BY rowid DESC LIMIT 1"),
    trigger: one("SELECT trigger_id FROM $trg_triggers LIMIT 1"),
    workflowType: one("SELECT workflow_type_key FROM $state_backend_workflows ORDER BY rowid DESC LIMIT 1"),
  };
  db.close();
  return found;
}

function pagesOf(found: ReturnType<typeof sampleIds>): string[] {
  const e = encodeURIComponent;
  const hourAgo = isoFromEpoch(BULK_NOW - 3600).slice(0, 19);
  return [
    "/",
    "/broker/",
    "/broker/queue",
    "/orchestrator/",
    "/runners/",
    "/runners/?show=all",
    `/runners/${e(found.runner)}`,
    "/tasks/",
    `/tasks/${e(found.task)}`,
    "/invocations/",
    "/invocations/?page=1000",
    "/invocations/?status=failed",
    "/invocations/?status=failed&status=retry&status=killed",
    `/invocations/?task_id=${e(found.task)}&status=failed`,
    "/invocations/?id_prefix=abc",
    `/invocations/?start_date=${hourAgo}`,
    `/invocations/?workflow_id=${e(found.workflow)}`,
    `/invocations/${e(found.newest)}`,
    `/invocations/${e(found.old)}`,
    `/invocations/${e(found.newest)}/history`,
    `/calls/?call_id_key=${e(found.call)}`,
    "/workflows/",
    "/workflows/runs",
    `/workflows/${e(found.workflowType)}`,
    `/workflows/runs/${e(found.workflow)}`,
    "/state-backend/",
    "/client-data-store/",
    "/events/",
    "/events/?matched=no&triggered=no",
    "/events/?page=400",
    `/events/${e(found.event)}`,
    `/events/${e(found.triggered)}/trace`,
    `/events/api/markers?start=${hourAgo}&end=${isoFromEpoch(BULK_NOW).slice(0, 19)}`,
    "/trigger-runs/",
    "/trigger-runs/?kind=status",
    `/trigger-runs/${e(found.triggerRun)}`,
    "/triggers/",
    `/triggers/${e(found.trigger)}`,
    "/runners/atomic-service/timeline",
    "/runners/atomic-service/scheduling",
  ];
}

async function startServer(file: string) {
  const started = performance.now();
  const bin = join(packageRoot(), "bin", "monitor.js");
  const args = [bin, "serve", "--db", file, "--app", BULK_APP, "--now", isoFromEpoch(BULK_NOW), "--port", String(PORT)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const readyMs = performance.now() - started;
  const pid = child.pid ?? 0;
  return { pid, readyMs, idleKb: residentKb(pid) };
}

function residentKb(pid: number): number {
  if (process.platform !== "linux")
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

async function timed(page: string): Promise<{ ms: number; status: number; bytes: number }> {
  const started = performance.now();
  const response = await fetch(`http://127.0.0.1:${PORT}${page}`, { headers: { accept: "text/html" } });
  const bytes = (await response.arrayBuffer()).byteLength;
  return { ms: performance.now() - started, status: response.status, bytes };
}

async function measure(page: string): Promise<string[]> {
  const first = await timed(page);
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push((await timed(page)).ms);
  const [p50, p95] = quantiles(times, [0.5, 0.95]);
  const shown = page.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{id}").replace(/[0-9a-f]{64}/g, "{hash}");
  return [`\`${shown}\``, String(first.status), ms(first.ms), ms(p50), ms(p95), (first.bytes / 1024).toFixed(0)];
}

/** Whether a cheap request is answered while dear ones run: p50 and p95 and the worst, in one cell each. */
async function healthUnderLoad(pages: readonly string[]): Promise<string[]> {
  let running = true;
  const load = (async () => {
    while (running) await Promise.all(pages.map((page) => timed(page)));
  })();
  const times: number[] = [];
  const until = performance.now() + 5_000;
  while (performance.now() < until) {
    times.push((await timed("/health")).ms);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  running = false;
  await load;
  const [p50, p95, p99] = quantiles(times, [0.5, 0.95, 0.99]);
  return [ms(p50), ms(p95), `p99 ${ms(p99)} ms`];
}

function quantiles(values: readonly number[], at: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return at.map((q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN);
}

function ms(value: number | undefined): string {
  return (value ?? Number.NaN).toFixed(1);
}

function print(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}
