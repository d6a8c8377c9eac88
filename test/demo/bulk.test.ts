import { join } from "node:path";
import { expect, test } from "vitest";
import { writeBulk } from "../../src/demo/bulk.ts";
import { createSchema, LAYOUTS, type Layout } from "../../src/demo/writer/schema.ts";
import { DemoWriter } from "../../src/demo/writer/writer.ts";
import { argumentsId } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { historyProblems, idsOf, memoryDatabase, NOW, rows, temporaryDirectory, wholeApp } from "./support.ts";

const COUNT = 2400;

function bulk(seed: number, invocations = COUNT, layout?: Layout): DemoWriter {
  const writer = new DemoWriter(memoryDatabase(), "demo-shop", layout);
  writeBulk(writer, { invocations, now: NOW, seed });
  return writer;
}

test("bulk data have the right counts and proportions", () => {
  const writer = bulk(1);
  const count = (table: Parameters<typeof rows>[1], rest = "") => rows(writer, table, rest).length;
  expect(count("orchestrator_invocations")).toBe(COUNT);
  expect(count("state_backend_invocations")).toBe(COUNT);
  expect(count("state_backend_history") / COUNT).toBeGreaterThan(5.5);
  expect(count("state_backend_history") / COUNT).toBeLessThan(6.5);
  const success = count("orchestrator_invocations", "WHERE status = 'success'");
  expect(success / COUNT).toBeGreaterThan(0.87);
  expect(success / COUNT).toBeLessThan(0.93);
  expect(count("state_backend_results")).toBe(success);
  expect(count("state_backend_exceptions")).toBe(count("orchestrator_invocations", "WHERE status = 'failed'"));
  expect(count("trg_events")).toBe(COUNT / 10 - 1);
  expect(count("trg_trigger_runs")).toBe(COUNT / 20 - 1);
  expect(count("state_backend_workflows")).toBeGreaterThan(5);
  expect(idsOf(writer, "orchestrator_invocations", "task_id_key").size).toBe(40);
  expect(count("state_backend_runner_contexts")).toBe(30);
});

test.each(LAYOUTS)("bulk histories in the layout %s follow pynenc's rules, and rows are ordered by time", (layout) => {
  const writer = bulk(2, COUNT, layout);
  expect(historyProblems(writer)).toEqual([]);
  const roots = rows(writer, "state_backend_invocations", "WHERE parent_invocation_id IS NULL");
  const workflows = roots.filter((row) => row.workflow_id === row.invocation_id);
  expect(roots.length).toBeGreaterThan(COUNT / 4);
  if (layout === "0.2.3") expect(workflows).toHaveLength(roots.length);
  else expect(workflows.length).toBeLessThan(roots.length / 10);
});

test("bulk messages of 0.4.0 are in the queues of their tasks, and runners name their queues", () => {
  const writer = bulk(1);
  const tasks = new Map(
    rows(writer, "orchestrator_invocations").map((row) => [row.invocation_id, String(row.task_id_key)]),
  );
  const messages = rows(writer, "broker_message_queue");
  expect(messages).toHaveLength(COUNT / 100);
  const queueOf = (task = "") =>
    task.startsWith("shop.mail.") ? "mail" : task.startsWith("shop.reports.") ? "reports" : "default";
  const priorityOf = (task = "") => (task.endsWith(".notify") ? 10 : task.endsWith(".archive") ? -10 : 0);
  expect(messages.map(({ queue_name, priority }) => [queue_name, priority])).toEqual(
    messages.map(({ invocation_id }) => tasks.get(invocation_id)).map((task) => [queueOf(task), priorityOf(task)]),
  );
  expect(idsOf(writer, "orchestrator_runner_heartbeats", "consumed_queues")).toEqual(
    new Set(["[]", '["default"]', '["mail", "reports"]']),
  );
});

test("bulk data are all from the seven days before now", () => {
  const writer = bulk(3, 6000);
  const times = rows(writer, "state_backend_history").map((row) => Number(row.history_timestamp));
  expect(Math.max(...times)).toBeLessThanOrEqual(NOW + 0.001);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(NOW - 7 * 86_400);
});

test("references in bulk data resolve, and argument ids can be recomputed", () => {
  const writer = bulk(4);
  const invocations = idsOf(writer, "state_backend_invocations", "invocation_id");
  const events = idsOf(writer, "trg_events", "event_id");
  let children = 0;
  let triggered = 0;
  for (const row of rows(writer, "state_backend_invocations")) {
    expect(row.arguments_id).toBe(argumentsId(JSON.parse(String(row.serialized_arguments))));
    if (row.parent_invocation_id !== null && ++children) expect(invocations).toContain(row.parent_invocation_id);
    if (row.parent_event_id !== null && ++triggered) expect(events).toContain(row.parent_event_id);
  }
  expect(children).toBeGreaterThan(COUNT / 10);
  expect(triggered).toBe(COUNT / 20 - 1);
});

test("the schema is complete again after bulk data were written", () => {
  const names = (writer: DemoWriter) => writer.db.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
  const fresh = new DemoWriter(memoryDatabase(), "demo-shop");
  createSchema(fresh.db, "demo-shop");
  expect(names(bulk(1, 100))).toEqual(names(fresh));
});

test("a file with bulk data is in WAL mode with everything in the main file", () => {
  const path = join(temporaryDirectory(), "bulk.db");
  const db = openDatabase(path, { mode: "create" });
  writeBulk(new DemoWriter(db, "demo-shop"), { invocations: 5_000, now: NOW, seed: 1 });
  expect(db.pragma("journal_mode")).toBe("wal");
  expect(db.prepare("PRAGMA wal_checkpoint(PASSIVE)").all()).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  expect(db.pragma("integrity_check")).toBe("ok");
  db.close();
});

test("bulk data with the same seed have the same rows", () => {
  expect(wholeApp(bulk(8, 500))).toEqual(wholeApp(bulk(8, 500)));
  expect(wholeApp(bulk(8, 500))).not.toEqual(wholeApp(bulk(9, 500)));
});

test("a reader of the same file is not blocked by writing bulk data", () => {
  const path = join(temporaryDirectory(), "watched.db");
  const db = openDatabase(path, { mode: "create" });
  db.pragma("journal_mode = WAL");
  const writer = new DemoWriter(db, "demo-shop");
  const reader = openDatabase(path, { mode: "read", busyTimeoutMs: 0 });
  const seen = reader.prepare(`SELECT count(*) AS n FROM ${writer.table("orchestrator_invocations")}`);
  expect(seen.get()).toEqual({ n: 0 });
  writeBulk(writer, { invocations: 24, now: NOW, seed: 1 });
  expect(seen.get()).toEqual({ n: 24 });
  reader.close();
  db.close();
});
