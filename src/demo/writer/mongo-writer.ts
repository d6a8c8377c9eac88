import type { AnyBulkWriteOperation, Document } from "mongodb";
import { rowsBy } from "../../pynenc/groups.ts";
import { pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { AppCollections } from "../../stores/mongodb/collections/names.ts";
import type { MongoConnection } from "../../stores/mongodb/server/connection.ts";
import { inChunks } from "../../stores/server/chunks.ts";
import type { Connection } from "../../stores/sqlite/file/connection.ts";
import { COLLECTION_NAMES, createIndexes, indexesOf } from "./mongo-collections.ts";
import { type Change, removedRow, writtenRow } from "./mongo-documents.ts";
import type { TableKey } from "./schema.ts";
import { type Outbox, ServerWriter, type StoredInvocation, type StoredMessage } from "./server-writer.ts";
import type { Row } from "./table-writer.ts";

/** Changes in one request to the server. */
const BATCH = 5_000;

/** Queued changes of documents, in order. Their collections are named in full. */
export class MongoOutbox implements Outbox {
  readonly connection: MongoConnection;
  #changes: Change[] = [];
  /** Documents that `flush` has inserted and that may change again. */
  readonly #flushed = new Set<string>();
  /** Of the apps, and whether their collections are there. */
  readonly #prefixes = new Map<string, boolean>();

  constructor(connection: MongoConnection) {
    this.connection = connection;
  }

  add(prefix: string, changes: readonly Change[]): void {
    if (!this.#prefixes.has(prefix)) this.#prefixes.set(prefix, false);
    for (const change of changes) this.#changes.push({ ...change, collection: `${prefix}_${change.collection}` });
  }

  /** Creates the collections of the apps that are missing, with their indexes. */
  async #prepare(): Promise<void> {
    for (const [prefix, done] of this.#prefixes) {
      if (!done) await this.#createCollections(prefix);
      this.#prefixes.set(prefix, true);
    }
  }

  #createCollections(prefix: string): Promise<void> {
    return this.connection.run(async (db) => {
      const present = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
      for (const name of COLLECTION_NAMES) {
        const full = `${prefix}_${name}`;
        if (!present.has(full)) await createIndexes(db, full, indexesOf(name));
      }
    });
  }

  /** As documents that are complete, into collections that only `flush` has written to: servers without indexes would search for each change. */
  async flush(): Promise<void> {
    await this.#prepare();
    const complete = new Map<string, Change>();
    for (const change of this.#take()) {
      const place = placeOf(change);
      const before = complete.get(place);
      complete.set(place, before === undefined ? change : joined(before, change));
    }
    const changes = [...complete].map(([place, change]): Change => {
      if (change.kind !== "write") return change;
      const isNew = !this.#flushed.has(place);
      this.#flushed.add(place);
      return isNew ? { ...change, kind: "insert" } : change;
    });
    for (const [collection, own] of rowsBy(changes, (change) => change.collection)) await this.#write(collection, own);
  }

  /** One after the other, since there are no transactions: a reader sees what pynenc itself leaves between two of its writes. */
  async commit(): Promise<void> {
    await this.#prepare();
    const changes = this.#take();
    for (let from = 0, to = 1; from < changes.length; to++) {
      const collection = changes[from]?.collection ?? "";
      if (changes[to]?.collection === collection) continue;
      await this.#write(collection, changes.slice(from, to));
      from = to;
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #write(collection: string, changes: readonly Change[]): Promise<void> {
    for (const some of inChunks(changes, BATCH)) {
      await this.connection.run((db) => db.collection(collection).bulkWrite(some.map(operationOf)));
    }
  }

  #take(): Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }
}

function placeOf({ collection, key }: Change): string {
  return `${collection} ${JSON.stringify(key)}`;
}

/** Two changes of a document as one. */
function joined(before: Change, after: Change): Change {
  if (before.kind === "delete" || after.kind === "delete") return after;
  const members: Document = { ...before.members, ...after.members };
  const { joins } = after;
  if (joins !== undefined) members[joins.list] = [...new Set([...(members[joins.list] ?? []), joins.text])];
  return { ...before, members };
}

function operationOf({ key, kind, members, joins }: Change): AnyBulkWriteOperation<Document> {
  if (kind === "insert") return { insertOne: { document: { ...key, ...members } } };
  if (kind === "delete") return { deleteOne: { filter: key } };
  const update = { $set: members, ...(joins !== undefined && { $addToSet: { [joins.list]: joins.text } }) };
  return { updateOne: { filter: key, update, upsert: joins === undefined } };
}

/** Each change of a row becomes changes of documents in the outbox. */
export class MongoWriter extends ServerWriter {
  override readonly brokerClass = "MongoBroker";
  readonly outbox: MongoOutbox;
  readonly #collections: AppCollections;

  constructor(outbox: MongoOutbox, appId: string, memory?: Connection) {
    super(appId, memory);
    this.outbox = outbox;
    this.#collections = new AppCollections(appId);
  }

  override forApp(appId: string): MongoWriter {
    return new MongoWriter(this.outbox, appId, this.db);
  }

  protected override written(table: TableKey, row: Row): void {
    this.#queue(writtenRow(table, row, "write", this.#others));
  }

  protected override inserted(table: TableKey, row: Row): void {
    this.#queue(writtenRow(table, row, "insert", this.#others));
  }

  protected override removed(table: TableKey, row: Row): void {
    this.#queue(removedRow(table, row, this.#others));
  }

  protected override async storedMessages(limit: number): Promise<StoredMessage[]> {
    const found = await this.#find("broker_message_queue", {}, limit);
    return found
      .map(({ invocation_id, created_at }) => ({ invocation_id: String(invocation_id), at: secondsOf(created_at) }))
      .sort((a, b) => a.at - b.at);
  }

  protected override async storedInvocations(ids: readonly string[]): Promise<Map<string, StoredInvocation>> {
    const filter = { invocation_id: { $in: ids } };
    const [statuses, definitions] = await Promise.all([
      this.#find("orchestrator_invocations", filter, ids.length),
      this.#find("state_backend_invocations", filter, ids.length),
    ]);
    const statusById = new Map(statuses.map((found) => [String(found.invocation_id), statusOf(found)]));
    const definitionById = new Map(definitions.map((found) => [String(found.invocation_id), recordOf(found)]));
    return new Map(
      ids.map((id) => [id, { status: statusById.get(id) ?? null, definition: definitionById.get(id) ?? null }]),
    );
  }

  readonly #others = { contextOf: (runnerId: string) => this.contextOf(runnerId) };

  #queue(changes: readonly Change[]): void {
    this.outbox.add(this.#collections.prefix, changes);
  }

  #find(collection: string, filter: Document, limit: number): Promise<Document[]> {
    return this.outbox.connection.run((db) =>
      db.collection(`${this.#collections.prefix}_${collection}`).find(filter).limit(Math.max(1, limit)).toArray(),
    );
  }
}

function secondsOf(date: unknown): number {
  return date instanceof Date ? date.getTime() / 1000 : 0;
}

function statusOf({ status, status_runner_id, status_timestamp }: Document): StoredInvocation["status"] {
  return { status: String(status), runner_id: status_runner_id ?? null, timestamp: secondsOf(status_timestamp) };
}

/** The demo's own values are small, and a rerun copies them: none is in chunks. */
function recordOf({ _id, arguments: stored, ...members }: Document): InvocationRecord {
  const call = String(members.call_id_key);
  return {
    ...(members as InvocationRecord),
    arguments_id: call.slice(call.lastIndexOf(":") + 1),
    serialized_arguments: pythonJson(stored?.inline ?? {}),
  };
}
