/**
 * Time and memory of a trace over a large family: invocations three to ten levels deep, every tenth of which emitted an event.
 *
 *   npm run bench:trace -- [--size 10000]
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { effectiveSettings } from "../src/config/pynenc-sources.ts";
import { DemoWriter } from "../src/demo/writer.ts";
import { packageRoot } from "../src/package-root.ts";
import type { InvocationRecord } from "../src/pynenc/records.ts";
import { openedApp } from "../src/services/opened-app.ts";
import { trace } from "../src/services/trace.ts";
import { connectStore } from "../src/stores/connect.ts";

const APP_ID = "bench";
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;
const FAN_OUT = 6;
const ROUNDS = 15;

const { values } = parseArgs({ options: { size: { type: "string", default: "10000" } } });
const size = Number(values.size);
const path = write(size);

const store = connectStore(
  { kind: "sqlite", path, components: new Map() },
  { threads: 2, lockWait: 30, readOnly: true },
);
const settings = effectiveSettings({ cwd: packageRoot(), env: {}, configFile: null, appInfo: null });
const app = openedApp(store.app(APP_ID), settings, () => NOW);
const times: number[] = [];
let nodes = 0;
for (let i = 0; i < ROUNDS; i++) {
  const started = performance.now();
  const found = await trace(app, "invocation", id("i", 0), { direction: "down", limit: 20_000 });
  times.push(performance.now() - started);
  nodes = found.invocations.length + found.events.length + found.trigger_runs.length;
}
await store.close();
times.sort((a, b) => a - b);
const at = (q: number) => (times[Math.floor(ROUNDS * q)] ?? Number.NaN).toFixed(0);
console.log(
  `${nodes} nodes: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
);

function id(kind: string, n: number): string {
  return `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** A tree with the wanted number of nodes: ten invocations to one event. */
function write(wanted: number): string {
  const folder = join(packageRoot(), "bench", ".data");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `family-${wanted}.db`);
  if (existsSync(file)) rmSync(file);
  const db = new Database(file);
  const writer = new DemoWriter(db, APP_ID);
  const runner_id = "ExternalRunner@bench-1";
  const family: InvocationRecord[] = [];
  db.transaction(() => {
    writer.describeApp("bench");
    writer.storeRunnerContext({
      runner_id,
      runner_cls: "ExternalRunner",
      parent_ctx_id: null,
      pid: 1,
      hostname: "bench",
      thread_id: 1,
    });
    const invocations = Math.floor((wanted * 10) / 11);
    for (let n = 0; n < invocations; n++) {
      const parent = n === 0 ? undefined : family[Math.floor((n - 1) / FAN_OUT)];
      const call = {
        invocation_id: id("i", n),
        task_id_key: "bench.step",
        arguments: { n: String(n) },
        parent,
        enqueue: false,
      };
      const record = writer.register(call, runner_id, NOW - wanted + n);
      family.push(record);
      if (n % 10 === 0) {
        const event = {
          event_id: id("e", n),
          event_code: "bench.step",
          payload: {},
          matches: [],
          emitter: record,
          runner_id,
        };
        writer.recordEvent(event, NOW - wanted + n);
      }
    }
  })();
  db.close();
  return file;
}
