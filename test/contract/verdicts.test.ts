/** What is wrong is found in the stores as pynenc writes them, first among all, and its twin, one row away, has nothing wrong. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppVerdictCode } from "../../src/api/verdicts.ts";
import { effectiveSettings } from "../../src/config/pynenc-sources.ts";
import { RedisOutbox } from "../../src/demo/writer/redis-outbox.ts";
import { RedisWriter } from "../../src/demo/writer/redis-writer.ts";
import { DemoWriter } from "../../src/demo/writer/writer.ts";
import { openedApp } from "../../src/services/app/opened-app.ts";
import { rollupsHere } from "../../src/services/rollups/rollup-source.ts";
import { trendFacts } from "../../src/services/verdicts/read-trends.ts";
import { findVerdicts } from "../../src/services/verdicts/verdicts.ts";
import { connectStore } from "../../src/stores/connect.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { Store } from "../../src/stores/ports/store.ts";
import { RedisConnection } from "../../src/stores/redis/server/connection.ts";
import { inImmediateTransaction, openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { healthyNoise, type NoiseTimes, PLANTED_NOW, Planter, SITUATIONS } from "../support/planted.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const CONNECTING = { threads: 0, lockWait: 1, readOnly: false };

/** Milliseconds in which all figures over time are read. */
const PATIENCE = 600_000;

type Plant = (planter: Planter) => void;

/** Codes of what is told of an app with this noise in which this was planted. */
type Judge = (noise: number, plant: Plant, times?: NoiseTimes) => Promise<string[]>;

async function codesOf(store: Store, appId: string): Promise<string[]> {
  const inStore = store.app(appId);
  const appInfo = await inStore.read((reads) => reads.state_backend.appInfo());
  // What the app itself has stored, and no file beside it.
  const settings = effectiveSettings({
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: {},
    configFile: null,
    appInfo,
  });
  const now = () => PLANTED_NOW;
  const app = openedApp(inStore, settings, now, {
    clock: () => 0,
    rollups: rollupsHere(inStore, now, undefined, () => 0),
  });
  const trends = await trendFacts(app, PATIENCE);
  const verdicts = await app.store.read((reads) => findVerdicts(app, reads, trends));
  return verdicts.map(({ severity, code }) => `${severity} ${code}`);
}

let made = 0;

/** @param beside invocations of the healthy app around what is planted */
function situations(judge: Judge, beside: number, { file }: { file: boolean }): void {
  const some = SITUATIONS.filter(
    ({ named, timed, removes }) => file || (named === undefined && timed === undefined && removes === undefined),
  );

  it("there is no verdict about healthy noise alone", async () => {
    expect(await judge(300, (planter) => planter.runner("ThreadRunner"))).toEqual([]);
  });

  describe.each(some)("$name", ({ code, plant, twin, instead, noise, trends }) => {
    it("is the first verdict in an app whose other invocations are healthy", async () => {
      const [first] = await judge(trends === undefined ? beside : 20, plant, noise);
      expect(first?.split(" ")[1]).toBe(code);
    });

    // What is found depends on the reads, which are compared with those of a file: once is enough.
    it.runIf(file)("is not reported for a similar healthy app, nor is anything else", async () => {
      expect((await judge(50, twin, noise)).filter((told) => told !== `warning ${instead}`)).toEqual([]);
    });
  });
}

it("this file has a case for every verdict on an app", () => {
  const planted = SITUATIONS.map(({ code }) => code);
  // Nothing in a file or a Redis server makes the one: test/http/rabbit-broker.test.ts has an app whose RabbitMQ is away, and one whose is there. The other
  // compares an hour with days before: test/services/verdicts/trends.test.ts, and test/services/verdicts/cases-slow-fixtures.test.ts on recorded runs.
  expect(new Set([...planted, "unreachable_queue", "task_slower"])).toEqual(new Set(AppVerdictCode.options));
});

describe("verdicts in SQLite", () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  situations(
    async (noise, plant, times) => {
      const path = join(folder.path, `${++made}.db`);
      const db = openDatabase(path, { mode: "create" });
      const planter = new Planter(new DemoWriter(db, "shop"), made);
      inImmediateTransaction(db, () => {
        healthyNoise(planter, noise, times);
        plant(planter);
      });
      db.close();
      const store = await connectStore({ kind: "sqlite", path, components: new Map() }, CONNECTING);
      try {
        return await codesOf(store, "shop");
      } finally {
        await store.close();
      }
    },
    200,
    { file: true },
  );
});

describeWithRedis("verdicts in a Redis server", () => {
  let server: RedisServer;
  let store: Store;
  beforeAll(async () => {
    server = await startRedis();
    const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, server.endpoint]));
    store = await connectStore({ kind: "redis", endpoints: endpoints as never }, CONNECTING);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  situations(
    async (noise, plant, times) => {
      const connection = new RedisConnection(server.endpoint);
      const appId = `shop-${++made}`;
      try {
        const writer = new RedisWriter(new RedisOutbox(connection), appId);
        const planter = new Planter(writer, made);
        healthyNoise(planter, noise, times);
        plant(planter);
        await writer.outbox.flush();
      } finally {
        await connection.close();
      }
      return codesOf(store, appId);
    },
    20,
    { file: false },
  );
});
