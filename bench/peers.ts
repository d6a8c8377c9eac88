/**
 * pynmon, pynenc's own monitor, and this program on one file of generated data, asked in turn: medians of the pages that both have, memory, and time until
 * the first answer. Prints a Markdown table; passes or fails nothing. Installs pynmon as the lab does (test/lab/README.md).
 *
 *   npm run bench:peers -- [--size 10000] [--rounds 20]
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { TASKS } from "../src/demo/bulk-app.ts";
import { packageRoot } from "../src/package-root.ts";
import { environmentOf, findPython } from "../test/lab/python.ts";
import { NEWEST } from "../test/lab/releases.ts";
import { BULK_APP, bulkFile } from "./bulk-file.ts";
import { InProcess } from "./in-process.ts";
import { pagesOf } from "./pages.ts";
import { quantile, residentMb, row, Served, shownAddress } from "./served.ts";

const PORT = 8766;
const PEER_PORT = 8767;

/** Milliseconds after which a page of the peer counts as not answered. */
const PATIENCE = 60_000;

const { values: options } = parseArgs({
  options: { size: { type: "string", default: "10000" }, rounds: { type: "string", default: "20" } },
});
const db = bulkFile(Number(options.size));
const rounds = Number(options.rounds);

const python = findPython();
if (python === null) throw new Error("pynmon needs Python 3.12");
const beside = await InProcess.open({ db });
const pages = await pagesOf(beside.workspace.store);
const modules = [...new Set(TASKS.map((task) => task.slice(0, task.lastIndexOf("."))))];
await beside.close();

interface Peer {
  pid: number;
  port: number;
  readyMs: number;
  stop(): void;
}

const ours = await Served.start(["--db", db], PORT);
const peer = await pynmon(await environmentOf(`pynenc-${NEWEST}`, python));
try {
  row(["page", "pynmon ms", "kB", "this ms", "kB", "ratio"]);
  row(["---", "---:", "---:", "---:", "---:", "---:"]);
  for (const page of pages) await compare(page);
  console.log(
    `\nready after: pynmon ${peer.readyMs.toFixed(0)} ms, this ${ours.readyMs.toFixed(0)} ms; memory after it: pynmon ${residentMb(peer.pid).toFixed(0)} MB, this ${ours.residentMb.toFixed(0)} MB`,
  );
} finally {
  ours.stop();
  peer.stop();
}

/** In turn, so that what else the machine does meets both. */
async function compare(page: string): Promise<void> {
  const theirs: number[] = [];
  const own: number[] = [];
  let bytes = { theirs: 0, own: 0 };
  for (let i = 0; i < rounds; i++) {
    const answer = await askPeer(page);
    if (typeof answer === "string") return row([`\`${shownAddress(page)}\``, answer, "", "", "", ""]);
    const mine = await ours.ask(page);
    theirs.push(answer.ms);
    own.push(mine.ms);
    bytes = { theirs: answer.bytes, own: mine.bytes };
    // What takes seconds needs no twenty rounds.
    if (answer.ms > 5_000 && i >= 2) break;
  }
  const [a, b] = [quantile(theirs, 0.5), quantile(own, 0.5)];
  const kb = (size: number) => (size / 1024).toFixed(0);
  row([`\`${shownAddress(page)}\``, a.toFixed(1), kb(bytes.theirs), b.toFixed(1), kb(bytes.own), (b / a).toFixed(2)]);
}

/** Text where the peer has no such page, or does not answer. */
async function askPeer(page: string): Promise<{ ms: number; bytes: number } | string> {
  const started = performance.now();
  try {
    const response = await fetch(`http://127.0.0.1:${peer.port}${page}`, {
      headers: { accept: "text/html" },
      signal: AbortSignal.timeout(PATIENCE),
    });
    const bytes = (await response.arrayBuffer()).byteLength;
    return response.ok ? { ms: performance.now() - started, bytes } : `status ${response.status}`;
  } catch {
    return `no answer in ${PATIENCE / 1_000} s`;
  }
}

async function pynmon(program: string): Promise<Peer> {
  const components = ["Orchestrator", "Broker", "StateBackend", "ClientDataStore", "Trigger"];
  const classes = components.map((name) => {
    const variable = name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
    return [`PYNENC__${variable}_CLS`, `SQLite${name}`];
  });
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: join(packageRoot(), "test", "lab", "apps"),
    LAB_TASK_MODULES: modules.join(","),
    PYNENC__APP_ID: BULK_APP,
    PYNENC__SQLITE_DB_PATH: db,
    ...Object.fromEntries(classes),
  };
  const started = performance.now();
  const args = [
    "-m",
    "pynenc",
    "--app",
    "any_task.app",
    "monitor",
    "--port",
    String(PEER_PORT),
    "--log-level",
    "error",
  ];
  const child = spawn(program, args, { env, stdio: "ignore" });
  for (;;) {
    if (child.exitCode !== null) throw new Error("pynmon ended");
    const up = await fetch(`http://127.0.0.1:${PEER_PORT}/health`).catch(() => null);
    if (up !== null) break;
    await sleep(50);
  }
  const readyMs = performance.now() - started;
  return { pid: child.pid ?? 0, port: PEER_PORT, readyMs, stop: () => child.kill("SIGKILL") };
}
