/** The fixtures spread over several kinds of store: each has nothing but the components that it keeps. */
import { MongoClient } from "mongodb";
import { CLASS_ENDINGS, type StoreKind } from "../../src/config/setting-sources.ts";
import { AppCollections, COLLECTIONS, type CollectionOf } from "../../src/stores/mongodb/collections/names.ts";
import { COMPONENTS, type ComponentName } from "../../src/stores/ports/common.ts";
import { AppKeys, REGISTRY, SECTIONS } from "../../src/stores/redis/keys/keys.ts";
import { RedisConnection } from "../../src/stores/redis/server/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, FACTS, type FixtureName, temporaryFolder } from "./fixtures.ts";
import { mongoFixtures } from "./mongodb-fixtures.ts";
import { redisFixtures } from "./redis-fixtures.ts";

/** The kind of store of each component. */
export type MixedKinds = Readonly<Record<ComponentName, StoreKind>>;

/** What pynenc's settings say of an app that is spread so. */
export interface MixedFixture {
  env: Record<string, string>;
  close(): Promise<void>;
}

const CLASSES: Readonly<Record<ComponentName, string>> = {
  broker: "Broker",
  orchestrator: "Orchestrator",
  state_backend: "StateBackend",
  client_data_store: "ClientDataStore",
  trigger: "Trigger",
};

/** Parts of the names of SQLite's tables. */
const TABLES: Readonly<Record<ComponentName, string>> = {
  broker: "__broker_",
  orchestrator: "__orchestrator_",
  state_backend: "__state_backend_",
  client_data_store: "__client_data",
  trigger: "__trg_",
};

/** Call it inside `describe`: the servers live as long as its tests. */
export function mixedFixtures(
  used: readonly StoreKind[],
): (fixture: FixtureName, kinds: MixedKinds) => Promise<MixedFixture> {
  const onMongo = used.includes("mongodb") ? mongoFixtures() : null;
  const onRedis = used.includes("redis") ? redisFixtures() : null;
  return async (fixture, kinds) => {
    const env: Record<string, string> = {};
    const closing: (() => unknown)[] = [];
    for (const one of COMPONENTS)
      env[`PYNENC__${one.toUpperCase()}_CLS`] = `${CLASS_ENDINGS[kinds[one]]}${CLASSES[one]}`;
    const elsewhere = (kind: StoreKind) => COMPONENTS.filter((one) => kinds[one] !== kind);
    const apps = Object.keys(FACTS[fixture]);
    const inUse = new Set(Object.values(kinds));
    if (inUse.has("sqlite")) {
      const folder = temporaryFolder();
      closing.push(folder.remove);
      env.PYNENC__SQLITE_DB_PATH = copyFixture(fixture, folder.path);
      dropTables(env.PYNENC__SQLITE_DB_PATH, elsewhere("sqlite"));
    }
    if (inUse.has("mongodb") && onMongo !== null) {
      const { url, database, close } = await onMongo(fixture);
      closing.push(close);
      Object.assign(env, { PYNENC__MONGO_URL: url, PYNENC__MONGO_DB: database });
      await dropCollections(url, database, apps, elsewhere("mongodb"));
    }
    if (inUse.has("redis") && onRedis !== null) {
      const { endpoint, close } = await onRedis(fixture);
      closing.push(close);
      env.PYNENC__REDIS_URL = endpoint.url;
      const connection = new RedisConnection(endpoint);
      await deleteKeys(connection, apps, elsewhere("redis"));
      await connection.close();
    }
    return {
      env,
      async close() {
        for (const close of closing) await close();
      },
    };
  };
}

function dropTables(path: string, components: readonly ComponentName[]): void {
  const db = openDatabase(path, { mode: "write" });
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").column() as string[];
  for (const name of names.filter((one) => components.some((component) => one.includes(TABLES[component])))) {
    db.prepare(`DROP TABLE "${name}"`).run();
  }
  db.close();
}

async function dropCollections(
  url: string,
  database: string,
  apps: readonly string[],
  components: readonly ComponentName[],
): Promise<void> {
  const client = await MongoClient.connect(url);
  const there = new Set((await client.db(database).collections()).map(({ collectionName }) => collectionName));
  for (const app of apps) {
    for (const component of components) {
      for (const collection of Object.keys(COLLECTIONS[component])) {
        const name = new AppCollections(app).name(component, collection as CollectionOf<typeof component>);
        if (there.has(name)) await client.db(database).dropCollection(name);
      }
    }
  }
  await client.close();
}

async function deleteKeys(
  connection: RedisConnection,
  apps: readonly string[],
  components: readonly ComponentName[],
): Promise<void> {
  for (const app of apps) {
    const keys = components.includes("state_backend") ? [`${REGISTRY}${app}`] : [];
    for (const section of components.flatMap((component) => SECTIONS[component])) {
      const [found] = await connection.exchange([["KEYS", new AppKeys(app).pattern(section, "")]]);
      keys.push(...(found as string[]));
    }
    await connection.exchange([["UNLINK", "-", ...keys]]);
  }
}
