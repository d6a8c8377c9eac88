/**
 * What verdicts find: each planted situation beside so much healthy noise, and its twin, in a file and in a Redis server. Prints a Markdown table:
 * whether it was found, whether first, what else was reported, what was reported of the twin, and the times; passes or fails nothing.
 *
 *   npm run bench:verdicts -- [--sizes 1000,10000,100000] [--stores sqlite,redis] [--seed 9000]
 *
 * Seeds are others than those of the tests. With a store that is there, nothing is planted: how long the verdicts on it and on things of it take,
 * at the instant of its newest entry.
 *
 *   npm run bench:verdicts -- --url redis://127.0.0.1:6379/0 (or --db file) [--max-commands 200000]
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type OptionFlags, resolveConfiguration } from "../src/config/options.ts";
import { RedisOutbox } from "../src/demo/writer/redis-outbox.ts";
import { RedisWriter } from "../src/demo/writer/redis-writer.ts";
import { DemoWriter } from "../src/demo/writer/writer.ts";
import { Workspace } from "../src/services/app/workspace.ts";
import { rollupsOfCommand } from "../src/services/rollups/rollup-source.ts";
import { trendFacts } from "../src/services/verdicts/read-trends.ts";
import { findVerdicts } from "../src/services/verdicts/verdicts.ts";
import { why } from "../src/services/why/why.ts";
import type { AppReads } from "../src/stores/ports/store.ts";
import { RedisConnection } from "../src/stores/redis/server/connection.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { healthyNoise, type NoiseTimes, PLANTED_NOW, Planter, SITUATIONS } from "../test/support/planted.ts";
import { startRedis } from "../test/support/redis-server.ts";
import { quantile, row } from "./served.ts";

const ROUNDS = 5;

/** Of each question to a store that is there. */
const STORE_ROUNDS = 20;

/** Milliseconds in which all figures over time are read. */
const PATIENCE = 600_000;

type Plant = (planter: Planter) => void;
type Place = { db: string } | { url: string };

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,10000,100000" },
    stores: { type: "string", default: "sqlite,redis" },
    seed: { type: "string", default: "9000" },
    db: { type: "string" },
    url: { type: "string" },
    app: { type: "string" },
    "max-commands": { type: "string" },
  },
});
let seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-verdicts-"));

interface Found {
  codes: string[];
  figures_ms: number;
  verdicts_ms: number;
}

function connect(flags: OptionFlags, clock: () => number): Promise<Workspace> {
  const configuration = resolveConfiguration({ flags: { ...flags, readOnly: true }, env: {}, cwd: folder });
  return Workspace.connect({ configuration, env: {}, cwd: folder, threads: 0, rollups: rollupsOfCommand(null), clock });
}

/** Verdicts on a store that is there, without and with figures over time, and on one thing of each kind. */
async function timedIn(flags: OptionFlags): Promise<void> {
  let now = Date.now() / 1000;
  const workspace = await connect(flags, () => now);
  try {
    const app = await workspace.openOnly();
    const span = await app.store.read((reads) => reads.state_backend.historySpan());
    if (span !== null) now = span.last;
    row(["what", "first ms", "median ms", "longest ms", "reported"]);
    row(["---", "---:", "---:", "---:", "---"]);
    const codes = (verdicts: readonly { code: string }[]) => verdicts.map(({ code }) => code).join(" ");
    await timed("the app, right after the start, without figures over time", () =>
      app.store.read(async (reads) => codes(await findVerdicts(app, reads, null))),
    );
    const start = performance.now();
    const trends = await trendFacts(app, PATIENCE);
    console.error(`Figures over time read in ${((performance.now() - start) / 1e3).toFixed(1)} s.`);
    await timed("the app, with figures over time", () =>
      app.store.read(async (reads) => codes(await findVerdicts(app, reads, trends))),
    );
    await timed("`monitor why`", async () => {
      const { verdict, others } = await why(app, { id: [""] });
      return codes([verdict ?? [], others].flat());
    });
    for (const [name, id] of Object.entries(await app.store.read(someThings))) {
      if (id !== undefined)
        await timed(`\`monitor why\`, ${name}`, async () =>
          codes([(await why(app, { id: [id] })).verdict ?? []].flat()),
        );
    }
  } finally {
    await workspace.close();
  }
}

async function someThings({
  orchestrator,
  state_backend,
  trigger,
}: AppReads): Promise<Record<string, string | undefined>> {
  const one = { limit: 1, offset: 0 };
  const [[event], [definition], [run], [workflow], [runner]] = await Promise.all([
    trigger.listEvents({}, one),
    trigger.triggers({}, one),
    trigger.listTriggerRuns({}, one),
    state_backend.workflowRuns(one),
    state_backend.listRunnerContexts(one),
  ]);
  const invocations = await Promise.all(
    (["failed", "success", "running", "registered", "paused"] as const).map(async (status) => {
      const [found] = await orchestrator.listInvocations({ statuses: [status] }, one);
      return [`an invocation that is ${status}`, found?.invocation_id] as const;
    }),
  );
  return {
    ...Object.fromEntries(invocations),
    "an event": event?.event_id,
    "a trigger": definition?.trigger_id,
    "a trigger run": run?.trigger_run_id,
    "a workflow run": workflow?.workflow_id,
    "a runner": runner?.runner_id,
  };
}

async function timed(name: string, ask: () => Promise<string>): Promise<void> {
  const times: number[] = [];
  let reported = "";
  for (let round = 0; round < STORE_ROUNDS; round++) {
    const from = performance.now();
    reported = await ask();
    times.push(performance.now() - from);
  }
  const figures = [times[0] ?? Number.NaN, quantile(times, 0.5), Math.max(...times)];
  row([name, ...figures.map((figure) => figure.toFixed(1)), reported]);
}

async function judged(place: Place): Promise<Found> {
  const workspace = await connect({ ...place, app: "shop" }, () => PLANTED_NOW);
  try {
    const app = await workspace.openOnly();
    const start = performance.now();
    const trends = await trendFacts(app, PATIENCE);
    const figures_ms = performance.now() - start;
    const times: number[] = [];
    let codes: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const from = performance.now();
      const verdicts = await app.store.read((reads) => findVerdicts(app, reads, trends));
      times.push(performance.now() - from);
      codes = verdicts.map(({ code }) => code);
    }
    return { codes, figures_ms, verdicts_ms: quantile(times, 0.5) };
  } finally {
    await workspace.close();
  }
}

function plantedIn(path: string, plant: Plant): void {
  const db = openDatabase(path, { mode: "create" });
  inImmediateTransaction(db, () => plant(new Planter(new DemoWriter(db, "shop"), ++seed)));
  db.close();
}

/** A file of the noise alone is written once, and copied. */
function inFile(size: number): (plant: Plant, times: NoiseTimes | undefined) => Promise<Found> {
  const noise = new Map<NoiseTimes | undefined, string>();
  return async (plant, times) => {
    const healthy = noise.get(times) ?? join(folder, `${size}-${noise.size}.db`);
    if (!noise.has(times)) plantedIn(healthy, (planter) => healthyNoise(planter, size, times));
    noise.set(times, healthy);
    const path = join(folder, "planted.db");
    copyFileSync(healthy, path);
    try {
      plantedIn(path, plant);
      return await judged({ db: path });
    } finally {
      for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    }
  };
}

async function plantedAt(server: Awaited<ReturnType<typeof startRedis>>, plant: Plant): Promise<void> {
  const connection = new RedisConnection(server.endpoint);
  try {
    const writer = new RedisWriter(new RedisOutbox(connection), "shop");
    plant(new Planter(writer, ++seed));
    await writer.outbox.flush();
  } finally {
    await connection.close();
  }
}

/** A server's data of the noise alone is saved once, and is what others begin with. */
function inServer(size: number): (plant: Plant, times: NoiseTimes | undefined) => Promise<Found> {
  const noise = new Map<NoiseTimes | undefined, string>();
  return async (plant, times) => {
    const rdb = noise.get(times) ?? join(folder, `${size}-${noise.size}.rdb`);
    if (!noise.has(times)) {
      const healthy = await startRedis();
      await plantedAt(healthy, (planter) => healthyNoise(planter, size, times));
      const [answer] = await healthy.exchange([["CONFIG", "GET", "dir"], ["SAVE"]]);
      copyFileSync(join(String((answer as string[])[1]), "dump.rdb"), rdb);
      await healthy.close();
    }
    noise.set(times, rdb);
    const server = await startRedis({ rdb });
    try {
      await plantedAt(server, plant);
      return await judged({ url: server.url });
    } finally {
      await server.close();
    }
  };
}

try {
  const { db, url, app, "max-commands": maxCommands } = values;
  if (db === undefined && url === undefined) await plantedEverywhere();
  else await timedIn({ db, url, app, maxCommands });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function plantedEverywhere(): Promise<void> {
  row([
    "store",
    "noise",
    "situation",
    "found",
    "first",
    "also reported",
    "reported of the twin",
    "figures ms",
    "verdicts ms",
  ]);
  row(["---", "---:", "---", "---", "---", "---", "---", "---:", "---:"]);
  for (const store of values.stores.split(",")) {
    for (const size of values.sizes.split(",").map(Number)) {
      const find = store === "redis" ? inServer(size) : inFile(size);
      const shown = [store, String(size)];
      const healthy = await find((planter) => void planter.runner("ThreadRunner"), undefined);
      row([...shown, "nothing", "", "", healthy.codes.join(" "), "", ...timesOf(healthy)]);
      for (const { name, code, plant, twin, instead, noise, named, timed, removes } of SITUATIONS) {
        if (store === "redis" && (named || timed || removes)) continue;
        const [found, almost] = [await find(plant, noise), await find(twin, noise)];
        const others = found.codes.filter((other) => other !== code);
        const falsely = almost.codes.filter((other) => other !== instead);
        const first = found.codes[0] === code ? "yes" : "NO";
        const there = found.codes.includes(code) ? "yes" : "NO";
        row([...shown, `${code}: ${name}`, there, first, others.join(" "), falsely.join(" "), ...timesOf(found)]);
      }
    }
  }
}

function timesOf({ figures_ms, verdicts_ms }: Found): string[] {
  return [figures_ms.toFixed(0), verdicts_ms.toFixed(1)];
}
