/**
 * Time and memory of actions, and how long a runner that writes at the same time has to wait for them. Every action runs on a copy.
 *
 *   npm run bench:actions -- [--size 1000000]
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, copyFileSync, fsyncSync, openSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { historyJson } from "../src/pynenc/history-json.ts";
import { tablePrefix } from "../src/pynenc/identifiers.ts";
import { externalCaller } from "../src/pynenc/rerun.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { connectStore } from "../src/stores/connect.ts";
import type { Actions } from "../src/stores/ports/actions.ts";
import { COMPONENTS } from "../src/stores/ports/common.ts";
import type { Store } from "../src/stores/ports/store.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { BULK_APP, BULK_NOW, bulkFile } from "./bulk-file.ts";

const RERUNS = 1_000;
/** As the service does it (services/rerun.ts). */
const BATCH = 100;
const EVENT_POLICY = { before: BULK_NOW - 86_400, max_events: 0, max_trigger_runs: 0 };
const EVENTS_ALL = { before: BULK_NOW + 1, max_events: 0, max_trigger_runs: 0 };
const DUE_ALL = {
  final_until: BULK_NOW + 86_400,
  executions_before: BULK_NOW + 86_400,
  max_executions: 1_000,
  with_open_parents: false,
};
const DUE_HALF = {
  final_until: BULK_NOW - 3.5 * 86_400,
  executions_before: BULK_NOW - 3_600,
  max_executions: 1_000,
  with_open_parents: false,
};

interface WriterReport {
  writes: number;
  errors: string[];
  longestMs: number;
}

type Run = (actions: Actions) => Promise<unknown>;

const PREVIEWS: readonly [string, Run][] = [
  ["purge all", (a) => a.purge(COMPONENTS)],
  ["auto-purge orchestrator, half due", (a) => a.autoPurgeOrchestrator(DUE_HALF)],
  ["auto-purge orchestrator, all due", (a) => a.autoPurgeOrchestrator(DUE_ALL)],
  ["auto-purge events, six of seven days", (a) => a.autoPurgeEvents(EVENT_POLICY)],
  ["auto-purge events, all", (a) => a.autoPurgeEvents(EVENTS_ALL)],
];

if (isMainThread) await measure();
else writeLikeARunner();

async function measure(): Promise<void> {
  const { values } = parseArgs({ options: { size: { type: "string", default: "1000000" } } });
  const source = bulkFile(Number(values.size));
  const ids = someIds(source);

  console.log("| preview | cold ms | warm ms |\n|---|---:|---:|");
  for (const [name, run] of [...PREVIEWS, [`rerun of ${RERUNS}`, rerunOf(ids)] as const]) {
    const store = await open(source);
    await store.apps();
    forget(source);
    const preview = () => store.app(BULK_APP).read((reads) => run(reads.preview));
    const cold = await timed(preview);
    const warm = await timed(preview);
    await store.close();
    console.log(`| ${name} | ${cold.toFixed(0)} | ${warm.toFixed(0)} |`);
  }

  console.log(
    "\n| action | ms | writes beside it | longest wait ms | errors | log after MB |\n|---|---:|---:|---:|---|---:|",
  );
  const copy = source.replace(/\.db$/, "-actions.db");
  const rerunAll: Run = async (actions) => {
    for (let n = 0; n < ids.length; n += BATCH) await rerunOf(ids.slice(n, n + BATCH))(actions);
  };
  for (const [name, run] of [...PREVIEWS, [`rerun of ${RERUNS} in batches of ${BATCH}`, rerunAll] as const]) {
    remove(copy);
    copyFileSync(source, copy);
    flush(copy);
    const writer = await startWriter(copy);
    const store = await open(copy);
    const took = await timed(() => run(store.app(BULK_APP).actions));
    const [file] = await store.app(BULK_APP).read((reads) => reads.layout.files());
    const report = await writer.stop();
    await store.close();
    const log = ((file?.log_bytes ?? 0) / 1e6).toFixed(0);
    console.log(
      `| ${name} | ${took.toFixed(0)} | ${report.writes} | ${report.longestMs.toFixed(0)} | ${report.errors.join("; ") || "none"} | ${log} |`,
    );
  }
  remove(copy);
  console.log(`\npeak memory ${(process.resourceUsage().maxRSS / 1e3).toFixed(0)} MB`);
}

function open(path: string): Promise<Store> {
  return connectStore({ kind: "sqlite", path, components: new Map() }, { threads: 1, lockWait: 30, readOnly: false });
}

function rerunOf(ids: readonly string[]): Run {
  return (actions) => actions.rerun(ids, { caller: externalCaller("bench", 1), force: false });
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** Drops the file from the page cache, where `dd` can do that. */
function forget(path: string): void {
  try {
    execFileSync("dd", [`if=${path}`, "iflag=nocache", "count=0", "status=none"]);
  } catch {
    console.error("dd cannot drop the page cache here: the figures called cold are warm.");
  }
}

/** Otherwise the first commit waits until the whole copy is on the disk. */
function flush(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

function remove(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

function someIds(path: string): string[] {
  const db = openDatabase(path, { mode: "read" });
  const ids = db
    .prepare(`SELECT invocation_id FROM ${tablePrefix(BULK_APP)}__orchestrator_invocations ORDER BY rowid DESC LIMIT ?`)
    .column(RERUNS) as string[];
  db.close();
  return ids;
}

async function startWriter(path: string): Promise<{ stop(): Promise<WriterReport> }> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { path, stop } });
  await once(worker, "message");
  return {
    async stop() {
      Atomics.store(stop, 0, 1);
      const [report] = (await once(worker, "message")) as [WriterReport];
      return report;
    },
  };
}

/** Status changes, each with its history entry, as a runner makes them; pauses of a few milliseconds in between. */
function writeLikeARunner(): void {
  const { path, stop } = workerData as { path: string; stop: Int32Array };
  const prefix = tablePrefix(BULK_APP);
  const db = openDatabase(path, { mode: "write", busyTimeoutMs: 30_000 });
  db.pragma("synchronous = NORMAL");
  const update = db.prepare(
    `UPDATE ${prefix}__orchestrator_invocations SET status = 'running', status_timestamp = ? WHERE invocation_id = ?`,
  );
  const insert = db.prepare(`INSERT OR REPLACE INTO ${prefix}__state_backend_history VALUES (?, ?, 'running', ?)`);
  const ids = someIds(path);
  const report: WriterReport = { writes: 0, errors: [], longestMs: 0 };
  const change = (id: string) => {
    const at = Date.now() / 1000;
    const iso = isoFromEpoch(at);
    update.run(at, id);
    insert.run(id, at, historyJson(id, "running", "r", "r", iso, iso, null));
  };
  parentPort?.postMessage("ready");
  while (Atomics.load(stop, 0) === 0) {
    const started = performance.now();
    try {
      inImmediateTransaction(db, () => change(ids[report.writes % ids.length] ?? ""));
      report.writes++;
    } catch (error) {
      report.errors.push(String(error));
    }
    report.longestMs = Math.max(report.longestMs, performance.now() - started);
    Atomics.wait(stop, 0, 0, 5);
  }
  db.close();
  parentPort?.postMessage(report);
}
