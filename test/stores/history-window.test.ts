/** Windows of a history whose rows are not in order of time: a tool that copied them may have written them in any order. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { connectStore } from "../../src/stores/connect.ts";
import type { AppReads, Store } from "../../src/stores/ports/store.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, factsOf, temporaryFolder } from "../support/fixtures.ts";

const APP = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", APP);
const folder = temporaryFolder();
let store: Store;

beforeAll(async () => {
  const path = copyFixture("kitchen_sink.db", folder.path);
  const db = openDatabase(path, { mode: "create" });
  const table = `${tablePrefix(APP)}__state_backend_history`;
  // Ids are random, so their order is none of time.
  db.exec(`CREATE TABLE other AS SELECT * FROM ${table} ORDER BY invocation_id DESC, history_timestamp;
    DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM other; DROP TABLE other`);
  db.close();
  store = await connectStore(
    { kind: "sqlite", path, components: new Map() },
    { threads: 0, lockWait: 0, readOnly: true },
  );
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const read = <T>(fn: (reads: AppReads["state_backend"]) => Promise<T>) =>
  store.app(APP).read((reads) => fn(reads.state_backend));

describe("a history whose rows are in any order", () => {
  const [first, last] = facts.window;
  const window = { from: first + (last - first) / 3, to: last - (last - first) / 3 };

  it("is read in order of writing, and counted exactly", async () => {
    const all = await read((reads) => reads.historyBetween({}, 10_000, "earliest"));
    expect(all).toHaveLength(facts.history_rows);
    expect(all.every((entry, i) => i === 0 || entry.written_at >= (all[i - 1]?.written_at ?? 0))).toBe(true);
    const inside = all.filter(({ written_at }) => written_at >= window.from && written_at <= window.to);
    expect(await read((reads) => reads.countHistory(window))).toEqual({ entries: inside.length, exact: true });
    const between = await read((reads) => reads.historyBetween(window, 10_000, "latest"));
    expect(between.map((entry) => entry.written_at)).toEqual(inside.map((entry) => entry.written_at));
  });
});

it("entries of one instant are read in order of writing from either end, and an empty window is counted exactly", async () => {
  const path = copyFixture("kitchen_sink.db", folder.path);
  const db = openDatabase(path, { mode: "write" });
  const table = `${tablePrefix(APP)}__state_backend_history`;
  db.exec(`DELETE FROM ${table} WHERE history_status <> 'registered'; UPDATE ${table} SET history_timestamp = 1000`);
  const one = await connectStore(
    { kind: "sqlite", path, components: new Map() },
    { threads: 0, lockWait: 0, readOnly: true },
  );
  const history = (end: "earliest" | "latest") =>
    one.app(APP).read(async ({ state_backend }) => {
      const found = await state_backend.historyBetween({}, 10_000, end);
      return found.map((entry) => `${entry.invocation_id} ${entry.status}`);
    });
  const written = await history("earliest");
  expect(written.length).toBeGreaterThan(100);
  expect(await history("latest")).toEqual(written);
  db.exec(`DELETE FROM ${table}`);
  db.close();
  expect(await one.app(APP).read((reads) => reads.state_backend.countHistory({ from: 0, to: 1 }))).toEqual({
    entries: 0,
    exact: true,
  });
  await one.close();
});
