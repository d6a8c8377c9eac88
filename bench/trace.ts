/**
 * Time and memory of a trace over a large family: invocations three to ten levels deep, every tenth of which emitted an event.
 *
 *   npm run bench:trace -- [--size 10000]
 */
import { parseArgs } from "node:util";
import { effectiveSettings } from "../src/config/pynenc-sources.ts";
import { packageRoot } from "../src/package-root.ts";
import { openedApp } from "../src/services/app/opened-app.ts";
import { trace } from "../src/services/causes/trace.ts";
import { connectStore } from "../src/stores/connect.ts";
import { APP_ID, id, NOW, writeFamily } from "./family.ts";

const FAN_OUT = 6;
const ROUNDS = 15;

const { values } = parseArgs({ options: { size: { type: "string", default: "10000" } } });
const size = Number(values.size);
const path = writeFamily(size, FAN_OUT);

const store = await connectStore(
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
