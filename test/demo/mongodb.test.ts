/** The demo in a MongoDB server compared with the demo in a file, through the ports of both stores. */
import { join } from "node:path";
import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startLive } from "../../src/demo/live.ts";
import { createMongoDemo } from "../../src/demo/mongo-demo.ts";
import { DEMO_APP_ID, SECOND_APP_ID } from "../../src/demo/story/story.ts";
import { SERVER_LAYOUT } from "../../src/demo/writer/server-writer.ts";
import { RefusedError } from "../../src/errors.ts";
import type { InvocationRecord } from "../../src/pynenc/records.ts";
import { connectStore } from "../../src/stores/connect.ts";
import type { Store } from "../../src/stores/ports/store.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { mongoPrefix } from "../support/mongodb-data.ts";
import { describeWithMongo, type MongoServer, startMongo } from "../support/mongodb-server.ts";
import { mongoStoreOn } from "../support/mongodb-store.ts";
import { QUESTIONS } from "./questions.ts";
import { NOW } from "./support.ts";

const PREFIX = mongoPrefix(DEMO_APP_ID);

/** The root of a workflow. */
const ROOT: InvocationRecord = {
  invocation_id: "root",
  call_id_key: "shop.orders.create:a",
  task_id_key: "shop.orders.create",
  arguments_id: "a",
  serialized_arguments: "{}",
  parent_invocation_id: null,
  parent_event_id: null,
  workflow_id: "root",
  workflow_type_key: "shop.orders.create",
  parent_workflow_id: null,
};

describeWithMongo("the demo in a MongoDB server", () => {
  let server: MongoServer;
  let client: MongoClient;
  beforeAll(async () => {
    server = await startMongo();
    client = await MongoClient.connect(server.url);
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  const create = (database: string, seed: number, size?: number) =>
    createMongoDemo({
      endpoint: { url: server.url, database, location: `${server.url}${database}`, connectTimeout: 5, timeout: 120 },
      now: NOW,
      seed,
      ...(size && { size }),
    });

  const write = async (database: string, seed: number, size?: number) => (await create(database, seed, size)).close();

  describe.each([
    ["the story", undefined],
    ["bulk data", 600],
  ])("%s", (_, size) => {
    const folder = temporaryFolder();
    const path = join(folder.path, "demo.db");
    let file: Store;
    let mongo: Store;
    beforeAll(async () => {
      createDemo({ path, now: NOW, seed: 1, layout: SERVER_LAYOUT, ...(size && { size }) });
      const database = `demo_${size ?? "story"}`;
      await write(database, 1, size);
      file = await connectStore(
        { kind: "sqlite", path, components: new Map() },
        { threads: 0, lockWait: 1, readOnly: false },
      );
      mongo = mongoStoreOn({ url: server.url, database }, { timeout: 120 });
    });
    afterAll(async () => {
      await file.close();
      await mongo.close();
      folder.remove();
    });

    it("has the same apps in MongoDB as in a file", async () => {
      const ids = async (store: Store) => (await store.apps()).map(({ app_id, phantom }) => [app_id, phantom]);
      expect(await ids(mongo)).toEqual(await ids(file));
    });

    it.each(Object.keys(QUESTIONS))("has the same %s in MongoDB as in a file", async (name) => {
      const ask = QUESTIONS[name] ?? (() => Promise.reject(new Error(name)));
      const apps = size === undefined ? [DEMO_APP_ID, SECOND_APP_ID] : [DEMO_APP_ID];
      for (const app of apps)
        expect(inMilliseconds(await mongo.app(app).read(ask))).toEqual(inMilliseconds(await file.app(app).read(ask)));
    });
  });

  describe("in a database with other apps", () => {
    let db: Db;
    beforeEach(async () => {
      db = client.db("with_others");
      await db.dropDatabase();
      await db.collection("demo_shop_2_0123abcd_state_backend_invocations").insertOne({ invocation_id: "a" });
    });

    const counts = async () => {
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
      return Promise.all(names.map(async (name) => [name, await db.collection(name).countDocuments()] as const));
    };

    it("replaces an earlier demo and nothing else", async () => {
      await write("with_others", 1, 60);
      const first = await counts();
      await write("with_others", 2, 12);
      const second = new Map(await counts());
      expect(second.get(`${PREFIX}_state_backend_invocations`)).toBe(12);
      expect(second.get("demo_shop_2_0123abcd_state_backend_invocations")).toBe(1);
      await write("with_others", 1, 60);
      expect(await counts()).toEqual(first);
    });

    it.each([
      ["an app of the same id", "state_backend_app_info", { app_id: DEMO_APP_ID, app_info_json: '{"module": "mine"}' }],
      ["documents without a registration", "broker_message_queue", { invocation_id: "x" }],
    ])("leaves %s alone", async (_, name, document) => {
      await db.collection(`${PREFIX}_${name}`).insertOne({ ...document });
      const before = await counts();
      await expect(write("with_others", 1, 12)).rejects.toThrow(RefusedError);
      expect(await counts()).toEqual(before);
    });
  });

  it("writes a workflow once whose root starts in two batches of bulk data", async () => {
    const writer = await create("batches", 1, 12);
    try {
      for (const _ of ["first", "second"]) {
        writer.recordWorkflowStart(ROOT);
        await writer.outbox.flush();
        writer.forget();
      }
      const runs = client.db("batches").collection(`${PREFIX}_state_backend_workflows`);
      expect(await runs.countDocuments({ workflow_id: ROOT.workflow_id })).toBe(1);
    } finally {
      await writer.close();
    }
  });

  it("has all its indexes where their usual names are longer than MongoDB 3.6 allows", async () => {
    const database = "d".repeat(45);
    await write(database, 1, 12);
    const subInvocations = client.db(database).collection(`${PREFIX}_state_backend_workflow_sub_invocations`);
    const indexes = await subInvocations.listIndexes().toArray();
    expect(indexes.map(({ key }) => Object.keys(key))).toContainEqual(["parent_workflow_id", "sub_invocation_id"]);
  });

  it("goes on when it is kept alive, and takes over what others have changed", async () => {
    let now = NOW;
    const writer = await create("living", 1);
    const live = await startLive(writer, { clock: () => now, intervalMs: 3_600_000, seed: 5 });
    try {
      const invocations = client.db("living").collection(`${PREFIX}_orchestrator_invocations`);
      const messages = client.db("living").collection(`${PREFIX}_broker_message_queue`);
      const before = await invocations.countDocuments();
      await messages.deleteMany({});
      for (let tick = 0; tick < 8; tick++) {
        now += 3;
        await live.tick();
      }
      expect(await invocations.countDocuments()).toBeGreaterThan(before);
      expect(writer.messages().length).toBe(await messages.countDocuments());
    } finally {
      await live.stop();
      await writer.close();
    }
  });
});

/** MongoDB keeps instants to the millisecond. */
function inMilliseconds(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? value : Math.floor(value * 1000 + 1e-3) / 1000;
  if (Array.isArray(value)) return value.map(inMilliseconds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inMilliseconds(member)]));
}
