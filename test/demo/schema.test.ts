import { expect, test } from "vitest";
import { createSchema, type Layout, tableColumns, tableName } from "../../src/demo/schema.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import type { Connection } from "../../src/stores/sqlite/driver.ts";
import { memoryDatabase, openFixture } from "./support.ts";

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
  ["0.3.1", "kitchen_sink.db", 55],
  ["0.2.3", "kitchen_sink_023.db", 33],
] as const)("the schema of %s is that of a real file", (layout, fixture, count) => {
  const db = memoryDatabase();
  createSchema(db, APP, layout);
  const real = definitions(openFixture(fixture), APP);
  expect(Object.keys(real).length).toBeGreaterThan(count - 5);
  expect(definitions(db, APP)).toEqual(real);
});

test("app ids of any spelling give the real prefix", () => {
  const db = memoryDatabase();
  createSchema(db, "kitchen-sink.two/β");
  const real = openFixture("kitchen_sink.db");
  expect(definitions(db, "kitchen-sink.two/β")).toEqual(definitions(real, "kitchen-sink.two/β"));
});

test("0.4.0 adds named queues and what runners consume", () => {
  const db = memoryDatabase();
  createSchema(db, APP, "0.4.0");
  const before = new Set(Object.keys(definitions(openFixture("kitchen_sink.db"), APP)));
  const added = Object.keys(definitions(db, APP)).filter((name) => !before.has(name));
  expect(added).toEqual([`idx_${tableName(APP, "broker_message_queue")}_route`]);
  expect(tableColumns("broker_message_queue", "0.4.0")).toEqual([
    "id",
    "invocation_id",
    "queue_name",
    "priority",
    "created_at",
  ]);
  expect(tableColumns("orchestrator_runner_heartbeats", "0.4.0")).toContain("consumed_queues");
});

test("what exists stays", () => {
  const db = memoryDatabase();
  createSchema(db, APP);
  db.prepare(`INSERT INTO ${tableName(APP, "broker_message_queue")} (invocation_id) VALUES ('x')`).run();
  createSchema(db, APP);
  expect(db.prepare(`SELECT count(*) AS n FROM ${tableName(APP, "broker_message_queue")}`).get()).toEqual({ n: 1 });
});

test.each<[Layout, number]>([
  ["0.2.3", 0],
  ["0.3.1", 9],
])("columns of a table that %s may lack", (layout, count) => {
  expect(tableColumns("trg_events", layout)).toHaveLength(count);
});
