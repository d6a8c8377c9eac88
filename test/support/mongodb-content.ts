/** All documents of a database with the indexes of their collections: in memory, on a server, or as the text of a fixture. */
import { readFileSync } from "node:fs";
import { BSON, type Db, type Document } from "mongodb";
import { type CollectionIndex, createIndexes } from "../../src/demo/writer/mongo-collections.ts";

export interface MongoCollection {
  indexes: readonly CollectionIndex[];
  documents: Document[];
}

/** Collections by their full names. */
export type MongoContent = Map<string, MongoCollection>;

export async function writeContent(db: Db, content: MongoContent): Promise<void> {
  for (const [name, { indexes, documents }] of content) {
    await db.createCollection(name);
    await createIndexes(db, name, indexes);
    if (documents.length > 0) await db.collection(name).insertMany([...documents]);
  }
}

/** Collection by collection: what is written meanwhile may be in one and not in another. */
export async function readContent(db: Db): Promise<MongoContent> {
  const content: MongoContent = new Map();
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  for (const name of names) {
    const indexes = (await db.collection(name).listIndexes().toArray()).filter((index) => index.name !== "_id_");
    content.set(name, {
      indexes: indexes.map(({ key, unique = false }) => ({
        fields: Object.entries(key).map(([field, direction]) => (direction === -1 ? `-${field}` : field)),
        unique,
      })),
      documents: await db.collection(name).find().sort({ _id: 1 }).toArray(),
    });
  }
  return content;
}

/** Extended JSON, in which every type survives. @param clean changes texts on their way. */
export function contentText(content: MongoContent, clean: (text: string) => string): string {
  const plain: unknown = BSON.EJSON.serialize(Object.fromEntries(content), { relaxed: false });
  return `${JSON.stringify(plain, (_, value) => (typeof value === "string" ? clean(value) : value), 1)}\n`;
}

/** @param path of a fixture that the lab has recorded. */
export function recordedContent(path: string): MongoContent {
  return new Map(Object.entries(BSON.EJSON.parse(readFileSync(path, "utf8"), { relaxed: false }) as object));
}
