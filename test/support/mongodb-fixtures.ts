/** The fixtures as documents on one server for all tests of a file, each in a database of its own. */
import { type Db, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect } from "vitest";
import { copyFixture, type FixtureName, temporaryFolder } from "./fixtures.ts";
import { type MongoContent, readContent, writeContent } from "./mongodb-content.ts";
import { mongoContentOf } from "./mongodb-data.ts";
import { type MongoServer, startMongo } from "./mongodb-server.ts";

/** What lies in the same database and is nobody's business here: names that a careless prefix or suffix would take along. */
const FOREIGN: Readonly<Record<string, Document>> = {
  orchestrator_invocations: { invocation_id: "of an app whose collections have no prefix", status: "running" },
  kitchen_sink_orchestrator_invocations: { invocation_id: "without a hash", status: "running" },
  kitchen_sink_2_0123abcd_orchestrator_invocations: { invocation_id: "of another app", status: "running" },
  users: { name: "of another program" },
};

export interface MongoFixture {
  url: string;
  database: string;
  /** For looking at the documents and for preparing them. */
  db: Db;
  /** Drops the database, once what was not ours in it is found to be as it was. */
  close(): Promise<void>;
}

/** Call it inside `describe`: the server lives as long as its tests. */
export function mongoFixtures(): (fixture: FixtureName) => Promise<MongoFixture> {
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
  return async (fixture) => {
    const database = `${fixture.replace(".db", "")}_${made++}`;
    const db = client.db(database);
    await writeContent(db, contentOf(fixture));
    for (const [name, document] of Object.entries(FOREIGN)) await db.collection(name).insertOne({ ...document });
    return {
      url: server.url,
      database,
      db,
      async close() {
        for (const [name, document] of Object.entries(FOREIGN))
          expect(
            await db
              .collection(name)
              .find({}, { projection: { _id: 0 } })
              .toArray(),
          ).toEqual([document]);
        await db.dropDatabase();
      },
    };
  };
}

/** Every document by collection, to compare before and after. */
export async function allDocuments(db: Db): Promise<ReadonlyMap<string, unknown>> {
  return new Map([...(await readContent(db))].map(([name, { documents }]) => [name, documents]));
}

const contents = new Map<FixtureName, MongoContent>();

function contentOf(fixture: FixtureName): MongoContent {
  const known = contents.get(fixture);
  if (known !== undefined) return known;
  const folder = temporaryFolder();
  try {
    const content = mongoContentOf(copyFixture(fixture, folder.path));
    contents.set(fixture, content);
    return content;
  } finally {
    folder.remove();
  }
}
