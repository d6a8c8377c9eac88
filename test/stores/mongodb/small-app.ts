/** An app on a MongoDB server of a test's own, with nothing but the documents that the test writes. */
import { type Collection, type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll } from "vitest";
import type { AppReads, AppStore } from "../../../src/stores/ports/store.ts";
import { mongoPrefix } from "../../support/mongodb-data.ts";
import { type MongoServer, startMongo } from "../../support/mongodb-server.ts";
import { type MongoPlace, mongoStoreOn } from "../../support/mongodb-store.ts";

const APP = "small";

export interface SmallApp {
  app: AppStore;
  place: MongoPlace;
  read<T>(fn: (reads: AppReads) => Promise<T>): Promise<T>;
  /** @param name without the prefix of the app. */
  collection(name: string): Collection;
  close(): Promise<void>;
}

/** Call it inside `describe`: the server lives as long as its tests. */
export function smallApps(): () => SmallApp {
  let server: MongoServer;
  let client: MongoClient;
  let made = 0;
  beforeAll(async () => {
    server = await startMongo();
    client = await MongoClient.connect(server.url);
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });
  return () => {
    const database = `small_${made++}`;
    const db: Db = client.db(database);
    const store = mongoStoreOn({ url: server.url, database });
    const app = store.app(APP);
    return {
      app,
      place: { url: server.url, database },
      read: (fn) => app.read(fn),
      collection: (name) => db.collection(`${mongoPrefix(APP)}_${name}`),
      async close() {
        await store.close();
        await db.dropDatabase();
      },
    };
  };
}
