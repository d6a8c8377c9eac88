/**
 * Two builds of this program on one store, asked in turn: this one, and that of an earlier commit. Prints Markdown: for every page the median time, the
 * processor time, the weight and the SQL statements of both, while the store stays as it is and after each change of it; and the median time of the same
 * request made a second time at once. Passes or fails nothing.
 *
 *   npm run bench:compare -- --base <commit> [--size 20000 | --db path/to/existing.db] [--rounds 20] [--pages /,/broker/]
 *
 * The base is built once per commit, in the system's folder for temporary files. A file that is named is copied first: the changes are made in the copy.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { packageRoot } from "../src/package-root.ts";
import { tablePrefix } from "../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { BULK_APP, BULK_NOW, bulkFile } from "./bulk-file.ts";
import { InProcess } from "./in-process.ts";
import { pagesOf } from "./pages.ts";
import { quantile, row, Served, shownAddress } from "./served.ts";

const PORTS = { base: 8768, own: 8769 };
/** After a page has taken this many seconds it is not asked again. */
const ENOUGH_SECONDS = 20;

const { values: options } = parseArgs({
  options: {
    base: { type: "string" },
    size: { type: "string", default: "20000" },
    db: { type: "string" },
    rounds: { type: "string", default: "20" },
    pages: { type: "string" },
  },
});
if (options.base === undefined) throw new Error("--base: name the commit to compare with");
const rounds = Number(options.rounds);
const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-compare-"));
const db = join(folder, "app.db");
copyFileSync(options.db ?? bulkFile(Number(options.size)), db);
const writer = openDatabase(db, { mode: "write" });
const heartbeats = `"${tablePrefix(BULK_APP)}__orchestrator_runner_heartbeats"`;

const roots = { base: builtAt(options.base), own: packageRoot() };
const sides = ["base", "own"] as const;
type Side = (typeof sides)[number];

/** What one page costs on one side. */
interface Cost {
  ms: number[];
  /** Of the same request made again at once. */
  againMs: number[];
  processorMs: number;
  asked: number;
  kb: number;
  status: number;
}

try {
  const addresses = options.pages?.split(",") ?? (await addressesOf());
  const statements = { base: await countedOn("base", addresses), own: await countedOn("own", addresses) };
  const servers = { base: await serve("base"), own: await serve("own") };
  for (const side of sides) await settled(servers[side]);
  console.log(
    `base ${options.base}, ${(statSync(db).size / 1024 ** 2).toFixed(0)} MB, ${rounds} rounds, two builds in turn; base / this:\n`,
  );
  row([
    "page",
    "ms",
    "ratio",
    "processor ms",
    "ratio",
    "kB",
    "statements",
    "again: ms",
    "after a change: ms",
    "ratio",
    "processor ms",
    "ratio",
    "statements",
  ]);
  row(["---", ...Array.from({ length: 12 }, () => "---:")]);
  for (const address of addresses) {
    const still = await ask(servers, address, () => undefined);
    const changing = await ask(servers, address, change);
    row([
      `\`${shownAddress(address)}\``,
      ...compared(still),
      pair((side) => (still[side].status === 200 ? still[side].kb.toFixed(0) : `status ${still[side].status}`)),
      pair((side) => String(statements[side].get(address)?.still)),
      pair((side) => quantile(still[side].againMs, 0.5).toFixed(1)),
      ...compared(changing),
      pair((side) => String(statements[side].get(address)?.changed)),
    ]);
  }
  const ready = pair((side) => servers[side].readyMs.toFixed(0));
  const memory = pair((side) => servers[side].residentMb.toFixed(0));
  const anonymous = pair((side) => servers[side].anonymousMb.toFixed(0));
  console.log(`\nready after ${ready} ms; memory after all pages ${memory} MB, without mapped files ${anonymous} MB`);
  for (const side of sides) servers[side].stop();
} finally {
  writer.close();
  rmSync(folder, { recursive: true, force: true });
}

function pair(of: (side: Side) => string): string {
  return sides.map(of).join(" / ");
}

/** Median times and processor times of both, each with their ratio. */
function compared(costs: Record<Side, Cost>): string[] {
  const cells = (of: (cost: Cost) => number) => [
    pair((side) => of(costs[side]).toFixed(1)),
    (of(costs.own) / of(costs.base)).toFixed(2),
  ];
  return [...cells((cost) => quantile(cost.ms, 0.5)), ...cells((cost) => cost.processorMs / cost.asked)];
}

/** Both in turn, so that what else the machine does meets both. The first answer of each is not counted. */
async function ask(servers: Record<Side, Served>, address: string, before: () => void): Promise<Record<Side, Cost>> {
  const costs = { base: noCost(), own: noCost() };
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) {
      before();
      const started = servers[side].processorMs;
      const etag = `"${round}"`;
      const answer = await servers[side].ask(address, etag);
      const spent = servers[side].processorMs - started;
      const again = await servers[side].ask(address, etag);
      const cost = costs[side];
      cost.kb = answer.bytes / 1024;
      cost.status = answer.status;
      if (round === 0) continue;
      cost.ms.push(answer.ms);
      cost.againMs.push(again.ms);
      cost.processorMs += spent;
      cost.asked++;
    }
    if (costs.base.ms.reduce((total, ms) => total + ms, 0) > ENOUGH_SECONDS * 1_000) break;
  }
  return costs;
}

function noCost(): Cost {
  return { ms: [], againMs: [], processorMs: 0, asked: 0, kb: 0, status: 0 };
}

/** A write that leaves every row as it is. */
function change(): void {
  writer.exec(
    `UPDATE ${heartbeats} SET last_heartbeat = last_heartbeat WHERE rowid = (SELECT max(rowid) FROM ${heartbeats})`,
  );
}

function serve(side: Side, env: Record<string, string> = {}): Promise<Served> {
  return Served.start(["--db", db], PORTS[side], { root: roots[side], env });
}

/** Waits until what a start does in the background has ended, at most ten minutes. */
async function settled(server: Served): Promise<void> {
  for (let look = 0; look < 300; look++) {
    const before = server.processorMs;
    await sleep(2_000);
    if (server.processorMs - before < 100) return;
  }
}

async function addressesOf(): Promise<string[]> {
  const beside = await InProcess.open({ db });
  const pages = await pagesOf(beside.workspace.store);
  await beside.close();
  const timeline = (seconds: number) =>
    `/invocations/timeline?start_date=${isoFromEpoch(BULK_NOW - seconds).slice(0, 19)}&end_date=${isoFromEpoch(BULK_NOW).slice(0, 19)}`;
  return [...pages, ...[10, 60, 3_600, 86_400].map(timeline)];
}

/** Statements of each page when nothing changed since it was asked, and after a change. */
async function countedOn(side: Side, addresses: readonly string[]) {
  const file = join(folder, `statements-${side}`);
  writeFileSync(file, "");
  const env = {
    BENCH_STATEMENTS: file,
    NODE_OPTIONS: `--require ${join(packageRoot(), "bench", "statement-counter.cjs")}`,
  };
  const server = await serve(side, env);
  const counts = new Map<string, { still: number; changed: number }>();
  const taken = async (address: string) => {
    const before = statSync(file).size;
    await server.ask(address);
    return statSync(file).size - before;
  };
  for (const address of addresses) {
    await taken(address);
    change();
    const changed = await taken(address);
    counts.set(address, { changed, still: await taken(address) });
  }
  server.stop();
  return counts;
}

/** The folder of a build of this commit. */
function builtAt(commit: string): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: packageRoot(), encoding: "utf8" }).trim();
  const hash = git("rev-parse", "--short", commit);
  const root = join(tmpdir(), `pynenc-monitor-${hash}`);
  if (!existsSync(root)) {
    const archive = join(folder, `${hash}.tar`);
    git("archive", "--output", archive, hash);
    mkdirSync(root);
    execFileSync("tar", ["-xf", archive, "-C", root]);
  }
  execFileSync(process.execPath, [join("scripts", "setup.mjs")], { cwd: root, stdio: ["ignore", 2, "inherit"] });
  return root;
}
