/** Access to the database of a component: every read has a limit of rows and a time, and waits until the load on the server allows it. */
import type {
  Collection,
  Db,
  Document as Doc,
  FindOptions,
  Filter as MongoFilter,
  Sort as MongoSort,
  WithId,
} from "mongodb";
import { Requester } from "../../server/requester.ts";
import { loadedDriver } from "./client.ts";
import type { MongoConnection } from "./connection.ts";

/** A document as stored. Anyone may have written anything: read its members with `fields.ts`. */
export type Document = Readonly<Record<string, unknown>>;

export type Filter = Document;

/** Member and direction, in this order. */
export type Sort = Readonly<Record<string, 1 | -1>>;

export interface FindLimits {
  limit: number;
  skip?: number;
  sort?: Sort;
  /** Goes along the ids, also where the server would choose another index. */
  byId?: boolean;
  /** Members to return (1) or to leave out (0); all by default. */
  only?: Readonly<Record<string, 0 | 1>>;
  /** Stops after the document with which so many bytes are reached; `READ_BYTES` by default. */
  bytes?: number;
}

/** Most bytes of documents that one find reads. */
export const READ_BYTES = 100_000_000;

/** The server answers with at most this much at once. */
const REPLY_BYTES = 16_777_216;

/** A server stops a command this much before its connection would be closed for its lateness. */
const MARGIN_MS = 500;

/** Code of the server's error for a collection that does not exist. */
const NO_COLLECTION = 26;

export class MongoDb {
  readonly #connection: MongoConnection;
  readonly #requester: Requester;

  /** @param deadline, signal as of `Requester`. */
  constructor(connection: MongoConnection, deadline: number | null, signal?: AbortSignal) {
    this.#connection = connection;
    this.#requester = new Requester(connection.endpoint.location, deadline, signal);
  }

  get location(): string {
    return this.#connection.endpoint.location;
  }

  async find(collection: string, filter: Filter, limits: FindLimits): Promise<Document[]> {
    const { limit, skip, sort, byId = false, only, bytes = READ_BYTES } = limits;
    if (limit <= 0) return [];
    const options: FindOptions = {
      limit,
      batchSize: limit,
      ...(skip ? { skip } : {}),
      ...(sort === undefined ? {} : { sort: sort as MongoSort }),
      ...(byId ? { hint: { _id: 1 } } : {}),
      ...(only === undefined ? {} : { projection: only }),
      maxTimeMS: this.#maxTimeMs,
      raw: true,
    };
    return this.#read((db) => db.collection(collection).find(filter as MongoFilter<Doc>, options), bytes);
  }

  async findOne(collection: string, filter: Filter, limits: Omit<FindLimits, "limit"> = {}): Promise<Document | null> {
    const [found = null] = await this.find(collection, filter, { ...limits, limit: 1 });
    return found;
  }

  /** Stages of a pipeline; its result is cut to `limit` documents. */
  async aggregate(collection: string, stages: readonly Document[], limit: number): Promise<Document[]> {
    const pipeline = [...stages, { $limit: limit }] as Doc[];
    const options = { maxTimeMS: this.#maxTimeMs, batchSize: limit, raw: true };
    return this.#read((db) => db.collection(collection).aggregate(pipeline, options), READ_BYTES);
  }

  /** The number of documents that match, counted up to `most`. */
  async count(collection: string, filter: Filter, most?: number): Promise<number> {
    const command = {
      count: collection,
      query: filter,
      ...(most === undefined ? {} : { limit: most }),
      maxTimeMS: this.#maxTimeMs,
    };
    const { n } = await this.command(command);
    return Number(n) || 0;
  }

  /** One command that answers with one document. A command that is slow takes `maxTimeMS` of its own. */
  async command(command: Document): Promise<Document> {
    return this.#send(async (db) => {
      // Left to itself, the driver asks the primary.
      const value = await db.command(command as Doc, { readPreference: db.readPreference });
      return { value, commands: 1, bytes: 0 };
    });
  }

  /** The members that an index begins with or goes on with; none if there is no such collection. */
  async indexedMembers(collection: string): Promise<ReadonlySet<string>> {
    return this.#send(async (db) => {
      const indexes = await db
        .collection(collection)
        .listIndexes()
        .toArray()
        .catch((error: { code?: unknown }) => {
          if (error.code === NO_COLLECTION) return [];
          throw error;
        });
      const value = new Set(indexes.flatMap(({ key }) => Object.keys(key as Doc)));
      return { value, commands: 1, bytes: 0 };
    });
  }

  /** Names of the collections of the database that match. */
  async collections(name: RegExp): Promise<string[]> {
    return this.#send(async (db) => {
      const found = await db.listCollections({ name }, { nameOnly: true }).toArray();
      return { value: found.map((one) => one.name), commands: 1, bytes: 0 };
    });
  }

  /** A write, or a read with a form of its own. Only for actions, which have no deadline. */
  async perform<T>(collection: string, act: (collection: Collection) => Promise<T>): Promise<T> {
    return this.#send(async (db) => ({ value: await act(db.collection(collection)), commands: 1, bytes: 0 }));
  }

  get #maxTimeMs(): number {
    const most = this.#connection.endpoint.timeout * 1000 - MARGIN_MS;
    return Math.max(1, Math.floor(Math.min(most, this.#requester.remaining ?? most)));
  }

  #read(open: (db: Db) => RawCursor, most: number): Promise<Document[]> {
    return this.#send(async (db) => {
      const { BSON } = loadedDriver();
      const cursor = open(db);
      const value: Document[] = [];
      let bytes = 0;
      try {
        // By batches: iterating over the documents takes a third more processor time.
        while (bytes < most && (await cursor.hasNext())) {
          for (const raw of cursor.readBufferedDocuments() as unknown as Uint8Array[]) {
            if (bytes >= most) break;
            bytes += raw.length;
            // Texts of another encoding are shown with replacement characters.
            value.push(BSON.deserialize(raw, { validation: { utf8: false } }));
          }
        }
      } finally {
        await cursor.close();
      }
      return { value, commands: 1 + Math.floor(bytes / REPLY_BYTES), bytes };
    });
  }

  #send<T>(ask: (db: Db) => Promise<{ value: T; commands: number; bytes: number }>): Promise<T> {
    const connection = this.#connection;
    return this.#requester.send(connection.use, 1, async () => {
      const { value, commands, bytes } = await connection.run(ask);
      connection.count(commands, bytes, 1);
      return value;
    });
  }
}

/** A cursor whose documents are not decoded. */
interface RawCursor {
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): (WithId<Doc> | Doc)[];
  close(): Promise<void>;
}
