import { expect, test } from "vitest";
import { createSchema, type Layout, tableColumns, tableName } from "../../../src/demo/writer/schema.ts";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import type { Connection } from "../../../src/stores/sqlite/file/connection.ts";
import { memoryDatabase, openFixture } from "../support.ts";

const APP = "kitchen_sink";

/** Names and definitions of an app's tables and indexes, white space reduced. */
function definitions(db: Connection, appId: string): Record<string, string> {
  const prefix = tablePrefix(appId);
  const all = db.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all() as {
    name: string;
    sql: string;
  }[];
  const own = all.filter(({ name }) => name.startsWith(`${prefix}__`) || name.startsWith(`idx_${prefix}__`));
  return Object.fromEntries(own.map(({ name, sql }) => [name, sql.replace(/\s+/g, " ").trim()]));
}

test.each([
  ["0.4.0", "queues_040.db", "queue-shop", 55],
  ["0.3.1", "kitchen_sink.db", APP, 55],
  ["0.2.3", "kitchen_sink_023.db", APP, 33],
] as const)("the demo's schema of %s is that of a real file", (layout, fixture, app, count) => {
  const db = memoryDatabase();
  createSchema(db, app, layout);
  const real = definitions(openFixture(fixture), app);
  expect(Object.keys(real).length).toBeGreaterThan(count - 5);
  expect(definitions(db, app)).toEqual(real);
});

test("app ids of any spelling give the prefix of a real file", () => {
  const db = memoryDatabase();
  createSchema(db, "kitchen-sink.two/β", "0.3.1");
  const real = openFixture("kitchen_sink.db");
  expect(definitions(db, "kitchen-sink.two/β")).toEqual(definitions(real, "kitchen-sink.two/β"));
});

test("creating the schema keeps existing rows", () => {
  const db = memoryDatabase();
  createSchema(db, APP);
  db.prepare(`INSERT INTO ${tableName(APP, "client_data")} (data_key, data_value) VALUES ('x', 'y')`).run();
  createSchema(db, APP);
  expect(db.prepare(`SELECT count(*) AS n FROM ${tableName(APP, "client_data")}`).get()).toEqual({ n: 1 });
});

test.each<[Layout, number]>([
  ["0.2.3", 0],
  ["0.3.1", 9],
])("the columns that %s may lack are known", (layout, count) => {
  expect(tableColumns("trg_events", layout)).toHaveLength(count);
});
