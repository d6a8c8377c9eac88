/** Context for the ports of one app during one read or action. */
import type { ComponentName } from "../../ports/common.ts";
import type { Document, Filter, FindLimits, MongoDb } from "../server/db.ts";
import type { AppCollections, CollectionOf } from "./names.ts";

/** The reads of `MongoDb` in one collection. */
export interface CollectionReads {
  readonly name: string;
  find(filter: Filter, limits: FindLimits): Promise<Document[]>;
  findOne(filter: Filter, limits?: Omit<FindLimits, "limit">): Promise<Document | null>;
  aggregate(stages: readonly Document[], limit: number): Promise<Document[]>;
  count(filter: Filter, most?: number): Promise<number>;
  indexedMembers(): Promise<ReadonlySet<string>>;
}

/** Walks of an app whose findings are remembered. */
const REMEMBERED = 200;

/** What a walk over a collection has found. */
export interface Walked {
  /** `_id`s, newest first, different texts, or numbers. */
  found: readonly unknown[];
  /** Of documents with a greater `_id`, some may be missing. */
  upTo: unknown;
  /** Times that were looked at; all of them if it has none. */
  span?: { low: Date | string; high: Date | string };
}

export class MongoReading {
  readonly appId: string;
  readonly names: AppCollections;
  readonly #dbOf: (component: ComponentName) => MongoDb;
  readonly #walked: Map<string, Walked>;
  readonly #once = new Map<unknown, Promise<unknown>>();

  /**
   * @param dbOf the database that keeps a component; usually the same for all five.
   * @param walked what earlier reads of the app have found by walks, by what was looked for.
   */
  constructor(
    appId: string,
    names: AppCollections,
    dbOf: (component: ComponentName) => MongoDb,
    walked: Map<string, Walked>,
  ) {
    this.appId = appId;
    this.names = names;
    this.#dbOf = dbOf;
    this.#walked = walked;
  }

  db(component: ComponentName): MongoDb {
    return this.#dbOf(component);
  }

  /** The collection of a component; one that does not exist reads as empty. */
  of<Component extends ComponentName>(component: Component, collection: CollectionOf<Component>): CollectionReads {
    const db = this.db(component);
    const name = this.names.name(component, collection);
    return {
      name,
      find: (filter, limits) => db.find(name, filter, limits),
      findOne: (filter, limits) => db.findOne(name, filter, limits),
      aggregate: (stages, limit) => db.aggregate(name, stages, limit),
      count: (filter, most) => db.count(name, filter, most),
      indexedMembers: () => db.indexedMembers(name),
    };
  }

  /** What was looked for before. */
  walked(key: string): Walked | undefined {
    return this.#walked.get(key);
  }

  remember(key: string, walked: Walked): void {
    this.#walked.delete(key);
    this.#walked.set(key, walked);
    for (const oldest of this.#walked.keys()) {
      if (this.#walked.size <= REMEMBERED) break;
      this.#walked.delete(oldest);
    }
  }

  /** `find`, of which all parts of a read share the answer. */
  once<T>(find: (reading: MongoReading) => Promise<T>): Promise<T> {
    const answer = this.#once.get(find) ?? find(this);
    this.#once.set(find, answer);
    return answer as Promise<T>;
  }
}
