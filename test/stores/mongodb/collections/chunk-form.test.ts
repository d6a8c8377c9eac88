/** Large values, which pynenc's plugin compresses and splits, and what is left of them when parts are missing. */
import { deflateSync } from "node:zlib";
import { Binary, type Db, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MongoStore } from "../../../../src/stores/mongodb/store.ts";
import { mongoPrefix } from "../../../support/mongodb-data.ts";
import { describeWithMongo, type MongoServer, startMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";

const APP = "large";
const CALL = "tasks.work:abc";

describeWithMongo("a value in MongoDB", () => {
  let server: MongoServer;
  let client: MongoClient;
  let db: Db;
  let store: MongoStore;

  beforeAll(async () => {
    server = await startMongo();
    client = await MongoClient.connect(server.url);
    db = client.db("pynenc");
    store = mongoStoreOn({ url: server.url, database: "pynenc" });
  });

  afterAll(async () => {
    await store.close();
    await client.close();
    await server.close();
  });

  const insert = (name: string, documents: readonly Document[]) =>
    db.collection(`${mongoPrefix(APP)}_${name}`).insertMany([...documents]);

  /** Stores a text as the plugin does, in chunks of `size` bytes. */
  async function insertChunks(collection: string, chunk_key: string, text: string, size: number, keep = 1_000) {
    const data = deflateSync(text);
    const pieces = Array.from({ length: Math.ceil(data.length / size) }, (_, i) =>
      data.subarray(i * size, (i + 1) * size),
    );
    const documents = pieces.map((piece, seq) => ({ chunk_key, seq, data: new Binary(piece) }));
    await insert(collection, documents.slice(0, keep));
  }

  async function argumentsOf(invocation_id: string, stored: Document, bytes = 1_000): Promise<unknown> {
    await insert("state_backend_invocations", [
      { invocation_id, call_id_key: CALL, task_id_key: "tasks.work", ...stored },
    ]);
    const [record] = await store.app(APP).read((reads) => reads.state_backend.invocationsByIds([invocation_id], bytes));
    return record && { serialized_arguments: record.serialized_arguments, whole_size: record.whole_size };
  }

  /** A text that does not compress to one chunk. */
  const long = Array.from({ length: 400 }, (_, i) => String(Math.sin(i))).join(" ");

  it("is read from its document if it is small", async () => {
    const stored = { arguments: { inline: { a: "1", b: '"x"' } } };
    expect(await argumentsOf("inline", stored)).toEqual({
      serialized_arguments: '{"a": "1", "b": "\\"x\\""}',
      whole_size: undefined,
    });
  });

  it("is read from its chunks, in their order, and cut to what is asked for with its whole size", async () => {
    await insertChunks("state_backend_chunks", "chunked:args:b", long, 1_000);
    const stored = { arguments: { inline: { a: "1" }, chunked: ["b"] } };
    expect(await argumentsOf("chunked", stored, 100_000)).toEqual({
      serialized_arguments: JSON.stringify({ a: "1", b: long }).replace(/,/, ", ").replaceAll('":', '": '),
      whole_size: undefined,
    });
    const [cut] = await store.app(APP).read((reads) => reads.state_backend.invocationsByIds(["chunked"], 20));
    expect(cut?.serialized_arguments).toBe('{"a": "1", "b": "0 0');
    expect(cut?.whole_size).toBe(Buffer.byteLength(long) + '{"a": "1", "b": ""}'.length);
  });

  it("is read from one text of all arguments if even their names are too large", async () => {
    await insertChunks("state_backend_chunks", "all:args", JSON.stringify({ a: "1", b: "2" }), 10);
    expect(await argumentsOf("all", { arguments: { all_chunked: true } })).toMatchObject({
      serialized_arguments: '{"a": "1", "b": "2"}',
    });
  });

  it("is shown as far as its chunks are there", async () => {
    await insertChunks("state_backend_chunks", "torn:result:result", long, 1_000, 2);
    await insert("state_backend_results", [{ invocation_id: "torn", inline: {}, chunked: ["result"] }]);
    await insert("state_backend_results", [{ invocation_id: "gone", inline: {}, chunked: ["result"] }]);
    const read = await store.app(APP).read((reads) => reads.state_backend.outcomesOf(["result"], ["torn", "gone"]));
    const [torn, gone] = [...read].sort((a, b) => b.stored.length - a.stored.length);
    expect(torn?.stored.length).toBeGreaterThan(100);
    expect(long.startsWith(torn?.stored ?? "?")).toBe(true);
    expect(gone).toEqual({ kind: "result", invocation_id: "gone", stored: "" });
  });

  it("is shown up to the first missing chunk", async () => {
    await insertChunks("state_backend_chunks", "hole:result:result", long, 100);
    const chunks = db.collection(`${mongoPrefix(APP)}_state_backend_chunks`);
    const read = async () => {
      const [found] = await store.app(APP).read((reads) => reads.state_backend.outcomesOf(["result"], ["hole"]));
      return found?.stored.length ?? 0;
    };
    await insert("state_backend_results", [{ invocation_id: "hole", inline: {}, chunked: ["result"] }]);
    expect(await read()).toBe(long.length);
    await chunks.deleteMany({ chunk_key: "hole:result:result", seq: { $gt: 10 } });
    const kept = await read();
    await insert("state_backend_chunks", [
      { chunk_key: "hole:result:result", seq: 12, data: new Binary(deflateSync(long)) },
    ]);
    expect(await read()).toBe(kept);
  });

  it("that is no compressed data is empty, not an error", async () => {
    await insert("state_backend_chunks", [
      { chunk_key: "noise:exception:exception", seq: 0, data: new Binary(Buffer.from("no zlib")) },
    ]);
    await insert("state_backend_exceptions", [{ invocation_id: "noise", inline: {}, chunked: ["exception"] }]);
    const read = await store.app(APP).read((reads) => reads.state_backend.outcomesOf(["exception"], ["noise"]));
    expect(read).toEqual([{ kind: "exception", invocation_id: "noise", stored: "" }]);
  });

  it("that inflates to far more than it is stored in is not inflated to the end", async () => {
    await insertChunks("arg_cache_chunks", "bomb:data", "0".repeat(300_000_000), 15_000_000);
    await insert("arg_cache", [{ cache_key: "bomb", created_at: new Date(1_000), inline: {}, chunked: ["data"] }]);
    const [found] = await store.app(APP).read((reads) => reads.client_data_store.valuesByKeys(["bomb"], 10));
    expect(found).toEqual({ data_key: "bomb", text: "0".repeat(10), size: 100_000_000, created_at: 1 });
  });

  it("of an older plugin, or of another type, is empty", async () => {
    expect(await argumentsOf("older", { invocation_json: "{}" })).toMatchObject({ serialized_arguments: "" });
    expect(await argumentsOf("odd", { arguments: [1] })).toMatchObject({ serialized_arguments: "" });
    expect(await argumentsOf("number", { arguments: { inline: { a: 5, b: null } } })).toMatchObject({
      serialized_arguments: '{"a": "5", "b": ""}',
    });
  });
});
