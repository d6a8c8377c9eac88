/**
 * What verdicts find: each planted situation beside so much healthy noise, and its twin, in a file and in a Redis server. Prints a Markdown table:
 * whether it was found, whether first, what else was told, what was told of the twin, and the times; passes or fails nothing.
 *
 *   npm run bench:verdicts -- [--sizes 1000,10000,100000] [--stores sqlite,redis] [--seed 9000]
 *
 * Seeds are others than those of the tests.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { resolveConfiguration } from "../src/config/options.ts";
import { RedisOutbox } from "../src/demo/writer/redis-outbox.ts";
import { RedisWriter } from "../src/demo/writer/redis-writer.ts";
import { DemoWriter } from "../src/demo/writer/writer.ts";
import { Workspace } from "../src/services/app/workspace.ts";
import { rollupsOfCommand } from "../src/services/rollups/rollup-source.ts";
import { trendFacts } from "../src/services/verdicts/read-trends.ts";
import { findVerdicts } from "../src/services/verdicts/verdicts.ts";
import { RedisConnection } from "../src/stores/redis/server/connection.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { healthyNoise, type NoiseTimes, PLANTED_NOW, Planter, SITUATIONS } from "../test/support/planted.ts";
import { startRedis } from "../test/support/redis-server.ts";
import { quantile, row } from "./served.ts";

const ROUNDS = 5;

/** Milliseconds in which all figures over time are read. */
const PATIENCE = 120_000;

type Plant = (planter: Planter) => void;
type Place = { db: string } | { url: string };

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,10000,100000" },
    stores: { type: "string", default: "sqlite,redis" },
    seed: { type: "string", default: "9000" },
  },
});
let seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-verdicts-"));

interface Found {
  codes: string[];
  figures_ms: number;
  verdicts_ms: number;
}

async function judged(place: Place): Promise<Found> {
  const flags = { ...place, app: "shop", readOnly: true };
  const configuration = resolveConfiguration({ flags, env: {}, cwd: folder });
  const workspace = await Workspace.connect({
    configuration,
    env: {},
    cwd: folder,
    threads: 0,
    rollups: rollupsOfCommand,
    clock: () => PLANTED_NOW,
  });
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
  row([
    "store",
    "noise",
    "situation",
    "found",
    "first",
    "told beside it",
    "told of the twin",
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
        const others = found.codes.filter((told) => told !== code);
        const falsely = almost.codes.filter((told) => told !== instead);
        const first = found.codes[0] === code ? "yes" : "NO";
        const there = code !== null && found.codes.includes(code) ? "yes" : "NO";
        row([...shown, `${code}: ${name}`, there, first, others.join(" "), falsely.join(" "), ...timesOf(found)]);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function timesOf({ figures_ms, verdicts_ms }: Found): string[] {
  return [figures_ms.toFixed(0), verdicts_ms.toFixed(1)];
}
