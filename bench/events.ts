/**
 * Time of event and trigger-run lists on a store with as many events as wanted, each of which started a trigger run.
 *
 *   npm run bench:events -- [--size 100000]
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { effectiveSettings } from "../src/config/pynenc-sources.ts";
import { eventContext, onEvent, validCondition } from "../src/demo/writer/conditions.ts";
import { DemoWriter } from "../src/demo/writer/writer.ts";
import { packageRoot } from "../src/package-root.ts";
import { isoFromEpoch } from "../src/pynenc/time.ts";
import { eventCounters } from "../src/services/app/counts.ts";
import { openedApp } from "../src/services/app/opened-app.ts";
import type { RawInput } from "../src/services/input/input.ts";
import { eventDetail } from "../src/services/triggers/event-detail.ts";
import { eventMarkers } from "../src/services/triggers/event-markers.ts";
import { listEvents, parseEventInput } from "../src/services/triggers/events.ts";
import { listTriggerRuns } from "../src/services/triggers/trigger-runs.ts";
import { connectStore } from "../src/stores/connect.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";

const APP_ID = "bench";
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;
const CODES = ["order.created", "order.paid", "stock.low", "mail.bounced"];
const ROUNDS = 20;

const { values } = parseArgs({ options: { size: { type: "string", default: "100000" } } });
const size = Number(values.size);
const path = write(size);

const store = await connectStore(
  { kind: "sqlite", path, components: new Map() },
  { threads: 2, lockWait: 30, readOnly: true },
);
const settings = effectiveSettings({ cwd: packageRoot(), env: {}, configFile: null, appInfo: null });
const app = openedApp(store.app(APP_ID), settings, () => NOW);
const events = (raw: RawInput) => () => listEvents(app, parseEventInput(raw, NOW));
const hour = { from: [isoFromEpoch(NOW - 3600)], to: [isoFromEpoch(NOW)] };
const cases: [string, () => Promise<unknown>][] = [
  ["event counters, counted anew", () => store.app(APP_ID).read((reads) => reads.trigger.eventCounters())],
  ["event counters, remembered", () => eventCounters(app)],
  ["events, newest 25", events({})],
  ["events of one code", events({ event_code: ["stock.low"] })],
  ["events that triggered", events({ triggered: ["yes"] })],
  ["events that did not", events({ triggered: ["no"] })],
  ["events, page 1,000", events({ page: ["1000"] })],
  ["event", () => eventDetail(app, id("e", size - 1))],
  ["markers of an hour", () => eventMarkers(app, hour)],
  ["trigger runs, newest 50", () => listTriggerRuns(app, {})],
  ["trigger runs of one task", () => listTriggerRuns(app, { task: ["bench.on_stock_low"] })],
];
for (const [name, run] of cases) {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (q: number) => (times[Math.floor(ROUNDS * q)] ?? Number.NaN).toFixed(1);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} |`);
}
await store.close();
console.log(`memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);

function id(kind: string, n: number): string {
  return `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function write(wanted: number): string {
  const folder = join(packageRoot(), "bench", ".data");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `events-${wanted}.db`);
  if (existsSync(file)) return file;
  const db = openDatabase(file, { mode: "create" });
  const writer = new DemoWriter(db, APP_ID);
  db.pragma("synchronous = OFF");
  inImmediateTransaction(db, () => {
    writer.describeApp("bench");
    const triggers = CODES.map((code) => {
      const condition = onEvent(code);
      const task_id_key = `bench.on_${code.replace(".", "_")}`;
      return {
        code,
        condition,
        trigger: writer.defineTrigger({
          task_id_key,
          logic: "or",
          conditions: [condition],
          argument_provider_json: null,
        }),
      };
    });
    for (let n = 0; n < wanted; n++) {
      const at = NOW - (wanted - n) * 0.5;
      const chosen = triggers[n % triggers.length];
      if (chosen === undefined) continue;
      const payload = { n: String(n) };
      const met = validCondition(chosen.condition, eventContext(id("e", n), chosen.code, payload, at));
      writer.recordEvent(
        { event_id: id("e", n), event_code: chosen.code, payload, matches: [met], runner_id: "r" },
        at,
      );
      writer.clearValidCondition(met.valid_condition_id);
      const service = { atomic_service_run_id: id("s", Math.floor(n / 100)), runner_id: "r" };
      const times = { claimed_at: at + 0.1, executed_at: at + 0.2 };
      writer.recordTriggerRun({
        trigger: chosen.trigger,
        participants: [met],
        triggered_invocation_id: id("i", n),
        service,
        ...times,
      });
    }
  });
  db.close();
  return file;
}
