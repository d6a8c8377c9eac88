/** Lists by time over an index that has milliseconds only, and what a follower of the history notices. */
import { type Db, MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { MongoStore } from "../../../../src/stores/mongodb/store.ts";
import type { AppReads } from "../../../../src/stores/ports/store.ts";
import { mongoPrefix } from "../../../support/mongodb-data.ts";
import { describeWithMongo, type MongoServer, startMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";

const APP = "shop";

/** Seconds of the first entry. */
const T = 1_795_000_000;

describeWithMongo("the history of an app in MongoDB", () => {
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

  afterEach(() => db.collection(`${mongoPrefix(APP)}_state_backend_history`).deleteMany({}));

  afterAll(async () => {
    await store.close();
    await client.close();
    await server.close();
  });

  /** Inserts entries as the plugin does: a Date without, and JSON with microseconds. */
  async function insert(entries: readonly (readonly [id: string, microseconds: number])[]): Promise<void> {
    const documents = entries.map(([invocation_id, microseconds]) => {
      const ms = Math.floor(microseconds / 1_000);
      const iso = new Date(T * 1_000 + ms).toISOString().replace("Z", "");
      const _timestamp = `${iso}${String(microseconds % 1_000).padStart(3, "0")}+00:00`;
      return {
        invocation_id,
        history_timestamp: new Date(T * 1_000 + ms),
        history_status: "running",
        history_json: JSON.stringify({ _timestamp, status_record: { status: "running", timestamp: _timestamp } }),
      };
    });
    await db.collection(`${mongoPrefix(APP)}_state_backend_history`).insertMany(documents);
  }

  const read = <T>(fn: (reads: AppReads["state_backend"]) => Promise<T>) =>
    store.app(APP).read((reads) => fn(reads.state_backend));

  it("has microseconds, also at the ends of a window", async () => {
    await insert([
      ["a", 100_200],
      ["b", 100_400],
      ["c", 100_600],
      ["d", 101_000],
    ]);
    const ids = async (from: number, to: number, limit: number, end: "earliest" | "latest") =>
      (await read((reads) => reads.historyBetween({ from: T + from, to: T + to }, limit, end))).map(
        (entry) => entry.invocation_id,
      );
    expect(await ids(0.1003, 0.1007, 10, "earliest")).toEqual(["b", "c"]);
    expect(await ids(0.1003, 0.2, 1, "earliest")).toEqual(["b"]);
    expect(await ids(0, 0.1005, 1, "latest")).toEqual(["b"]);
    expect(await read((reads) => reads.historySpan())).toEqual({ first: T + 0.1002, last: T + 0.101 });
  });

  it("of many entries in one millisecond is walked without gaps and repetitions", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `i${i}`);
    await insert(names.map((name, i) => [name, (i < 5 ? 0 : i < 30 ? 1 : i) * 1_000]));
    const found: string[] = [];
    let cursor: string | undefined;
    for (let exhausted = false; !exhausted; ) {
      const step = await read((reads) => reads.listActive({}, 7, 7, cursor));
      found.push(...step.rows.map((row) => row.invocation_id));
      cursor = step.last_cursor ?? undefined;
      exhausted = step.exhausted;
    }
    expect(found).toEqual([...names].reverse());
  });

  it("shows a follower what is new, what came late, and that it was deleted", async () => {
    await insert([
      ["a", 0],
      ["b", 10_000_000],
    ]);
    const end = await read((reads) => reads.historyEnd());
    await insert([
      ["c", 9_000_000],
      ["d", 11_000_000],
    ]);
    const next = await read((reads) => reads.historyFrom(end, "newer", 100));
    expect(next.entries.map((entry) => entry.invocation_id)).toEqual(["c", "d"]);
    expect([next.late, next.lost, next.exhausted]).toEqual([0, false, true]);
    await insert([["late", 1_000_000]]);
    const after = await read((reads) => reads.historyFrom(next.cursor, "newer", 100));
    expect([after.entries.length, after.late, after.lost]).toEqual([0, 1, false]);
    expect(await read((reads) => reads.historyFrom(after.cursor, "newer", 100))).toMatchObject({
      entries: [],
      late: 0,
    });
    const before = await read((reads) => reads.historyFrom(end, "older", 100));
    expect(before.entries.map((entry) => entry.invocation_id)).toEqual(["a", "late", "b"]);
    await db.collection(`${mongoPrefix(APP)}_state_backend_history`).deleteMany({});
    expect(await read((reads) => reads.historyFrom(after.cursor, "newer", 100))).toMatchObject({
      lost: true,
      entries: [],
    });
  });

  it("of collections without the prefix of an app is named as that of an older plugin", async () => {
    const other = client.db("older");
    await other.collection("state_backend_app_info").insertOne({ app_id: "old", app_info_json: "{}" });
    const older = mongoStoreOn({ url: server.url, database: "older" });
    await expect(older.apps()).rejects.toThrow("a version of pynenc's plugin before 0.1.7 wrote them");
    await older.close();
  });
});
