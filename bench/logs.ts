/**
 * Time of the log explorer: lines with many distinct references against a store with many invocations, and the parser alone on large and
 * pathological logs.
 *
 *   npm run bench:logs -- [--size 100000] [--lines 10000] [--references 5000] [--db path/to/existing.db]
 */
import { parseArgs } from "node:util";
import { effectiveSettings } from "../src/config/pynenc-sources.ts";
import { packageRoot } from "../src/package-root.ts";
import { tablePrefix } from "../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { openedApp } from "../src/services/app/opened-app.ts";
import { readLog } from "../src/services/logs/log-entries.ts";
import { exploreLog, parseLogInput } from "../src/services/logs/log-explorer.ts";
import { connectStore } from "../src/stores/connect.ts";
import { openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { BULK_APP, BULK_NOW, bulkFile } from "./bulk-file.ts";

const ROUNDS = 10;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "100000" },
    lines: { type: "string", default: "10000" },
    references: { type: "string", default: "5000" },
    db: { type: "string" },
  },
});
const path = values.db ?? bulkFile(Number(values.size));
const log = writtenLog(path, Number(values.lines), Number(values.references));

const store = await connectStore(
  { kind: "sqlite", path, components: new Map() },
  { threads: 2, lockWait: 30, readOnly: true },
);
const settings = effectiveSettings({ cwd: packageRoot(), env: {}, configFile: null, appInfo: null });
const app = openedApp(store.app(BULK_APP), settings, () => BULK_NOW);
const explored = await exploreLog(app, parseLogInput({ log: [log] }));
const distinct = explored.references.reduce((sum, group) => sum + group.count, 0);
const unknown = explored.references.reduce((sum, group) => sum + group.unknown, 0);
console.log(`${explored.totals.entries} entries, ${distinct} distinct references, ${unknown} of them unknown`);
console.log("| what | p50 ms | worst ms | longest pause of others ms |\n|---|---:|---:|---:|");
await measured("explore", () => exploreLog(app, parseLogInput({ log: [log] })));
await store.close();

const line = log.slice(0, log.indexOf("\n") + 1);
for (const [name, text] of Object.entries({
  "parse the log": log,
  "parse 10 MB of lines": line.repeat(Math.floor((10 * MEGABYTE) / line.length)),
  "parse one line of 1 MB": line.trimEnd() + " word:value".repeat(MEGABYTE / 11),
  "parse 10 MB of colons": ":".repeat(10 * MEGABYTE),
  "parse 10 MB of open brackets": `${line.trimEnd()}${"[A(".repeat((10 * MEGABYTE) / 3)}`,
  "parse 10 MB of short lines": "a\n".repeat(5 * MEGABYTE),
})) {
  await measured(name, () => readLog(text));
}
console.log(`memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);

/** A late tick shows for how long nobody else was answered. */
async function measured(name: string, run: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  let pause = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    pause = Math.max(pause, performance.now() - last - 1);
    last = performance.now();
  }, 1);
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
    await new Promise((resolve) => setImmediate(resolve));
  }
  clearInterval(timer);
  times.sort((a, b) => a - b);
  const shown = [times[Math.floor(ROUNDS / 2)], times.at(-1), pause].map((ms) => (ms ?? Number.NaN).toFixed(0));
  console.log(`| ${name} | ${shown.join(" | ")} |`);
}

/** Lines as runners write them, about invocations spread over the whole store, their tasks and runners. */
function writtenLog(file: string, lines: number, references: number): string {
  const db = openDatabase(file, { mode: "read" });
  const prefix = `${tablePrefix(BULK_APP)}__`;
  const invocations = `"${prefix}orchestrator_invocations"`;
  const last = db.prepare(`SELECT max(rowid) FROM ${invocations}`).value() as number;
  const find = db.prepare(
    `SELECT invocation_id AS id, task_id_key AS task, status, status_timestamp AS at FROM ${invocations} WHERE rowid >= ? LIMIT 1`,
  );
  const runners = db
    .prepare(`SELECT runner_id FROM "${prefix}state_backend_runner_contexts" LIMIT 200`)
    .column() as string[];
  const chosen = Array.from({ length: references }, (_, n) => find.get(1 + Math.floor((n * last) / references))) as {
    id: string;
    task: string;
    status: string;
    at: number;
  }[];
  db.close();
  return Array.from({ length: lines }, (_, n) => {
    const { id, task, status, at } = chosen[n % chosen.length] ?? { id: "", task: "", status: "", at: BULK_NOW };
    const runner = runners[n % runners.length]?.slice(0, 8);
    const time = isoFromEpoch(at)
      .replace("T", " ")
      .replace(/\d{3}\+/, "+");
    return `${time} INFO     pynenc.${BULK_APP} [TR(${runner})${id}:${task}] invocation:${id} status:${status}\n`;
  }).join("");
}
