import { beforeEach, describe, expect, test } from "vitest";
import { createRandom } from "../../../src/demo/story/random.ts";
import { Scheduler } from "../../../src/demo/story/scheduler.ts";
import { onEvent, onException, onResult, onStatus, staticFilter } from "../../../src/demo/writer/conditions.ts";
import type { Message } from "../../../src/demo/writer/operations.ts";
import { LAYOUTS } from "../../../src/demo/writer/schema.ts";
import { DemoWriter } from "../../../src/demo/writer/writer.ts";
import { pythonFloat, pythonJson } from "../../../src/pynenc/python-dump.ts";
import type { Connection } from "../../../src/stores/sqlite/file/connection.ts";
import { historyProblems, memoryDatabase, NOW, openFixture, rows } from "../support.ts";

const ID = "0b5d4c56-6c1f-4d32-9f3f-0a55b4f0d111";

let writer: DemoWriter;

beforeEach(() => {
  writer = new DemoWriter(memoryDatabase(), "demo-shop");
  writer.register({ invocation_id: ID, task_id_key: "a.b", arguments: { x: "1" } }, "ExternalRunner@web-1", NOW);
});

describe("a status change of the demo", () => {
  test("that is forbidden writes nothing", () => {
    expect(() => writer.moveStatus(ID, "running", "r1", NOW + 1)).toThrow("cannot become");
    expect(writer.statusOf(ID)).toMatchObject({ status: "registered", runner_id: "ExternalRunner@web-1" });
    expect(rows(writer, "state_backend_history")).toHaveLength(1);
  });

  test("of a pending invocation is only possible for its owner", () => {
    writer.moveStatus(ID, "pending", "r1", NOW + 1);
    expect(() => writer.moveStatus(ID, "running", "r2", NOW + 2)).toThrow("belongs to r1");
    writer.moveStatus(ID, "running", "r1", NOW + 2);
    expect(writer.statusOf(ID)).toMatchObject({ status: "running", runner_id: "r1" });
  });

  test("to a final status removes waits and starts the retention time", () => {
    writer.block("waiter", ID, NOW);
    writer.moveStatus(ID, "concurrency_controlled_final", "r1", NOW + 1);
    expect(rows(writer, "orchestrator_blocking_edges")).toEqual([]);
    expect(rows(writer, "orchestrator_invocations")[0]?.auto_purge_timestamp).toBeGreaterThan(NOW + 1);
  });
});

const ids = (messages: readonly Message[]) => messages.map((message) => message.invocation_id);

test.each(LAYOUTS)("the queue of %s returns the oldest message that is not skipped, and removes it", (layout) => {
  writer = new DemoWriter(memoryDatabase(), "demo-shop", layout);
  for (const [index, id] of ["first", "second", "of tomorrow"].entries()) writer.enqueue(id, NOW + 5 * index);
  const [first, ...others] = writer.messages(NOW + 5);
  expect([first?.invocation_id, ...ids(others)]).toEqual(["first", "second"]);
  writer.takeMessage(first as Message);
  expect(writer.messages()).toMatchObject([
    { invocation_id: "second", queue_name: "default" },
    { invocation_id: "of tomorrow", queue_name: "default" },
  ]);
});

test("each queue returns the highest priority first, then the oldest message, then the one put first", () => {
  const put = (id: string, queue_name: string, priority: number, at = NOW) =>
    writer.enqueue(id, at, { queue_name, priority });
  put("late", "mail", 0.5, NOW + 2);
  put("low", "mail", -100);
  put("same instant", "mail", 0.5, NOW + 1);
  put("same instant too", "mail", 0.5, NOW + 1);
  put("high", "mail", 100, NOW + 3);
  put("elsewhere", "reports", 100);
  const mail = writer.messages().filter((message) => message.queue_name === "mail");
  expect(ids(mail)).toEqual(["high", "same instant", "same instant too", "late", "low"]);
});

test("messages and heartbeats of 0.4.0 are stored as in a real store", () => {
  const app = "queue_shop_101fc250__";
  const real = openFixture("queues_040.db");
  writer.enqueue("m", NOW, { queue_name: "mail", priority: 5 });
  writer.heartbeat("runner1", NOW, true, ["default", "mail"]);
  writer.heartbeat("runner2", NOW, true, ["reports"]);
  writer.heartbeat("runner2", NOW + 30, true);
  const types = (db: Connection, table: string) => {
    const names = (db.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[]).map(({ name }) => name);
    const columns = names.map((name) => `typeof(${name}) AS ${name}`).join(", ");
    return db.prepare(`SELECT DISTINCT ${columns} FROM ${table}`).all();
  };
  for (const table of ["broker_message_queue", "orchestrator_runner_heartbeats"] as const) {
    expect(types(writer.db, writer.table(table))).toEqual(types(real, `${app}${table}`));
  }
  const lists = (db: Connection, table: string, rest = "") =>
    db.prepare(`SELECT consumed_queues FROM ${table} ${rest}`).column();
  expect(lists(writer.db, writer.table("orchestrator_runner_heartbeats"))).toEqual(['["default", "mail"]', "[]"]);
  expect(lists(real, `${app}orchestrator_runner_heartbeats`)).toEqual(
    expect.arrayContaining(['["default", "mail"]', "[]"]),
  );
});

test("large texts are replaced by a reference, and small ones kept", () => {
  const small = `"${"x".repeat(1021)}"`;
  const large = `"${"y".repeat(3000)}"`;
  expect(writer.externalise(small, NOW)).toBe(small);
  // Vector of storage-format.md 4.6.
  expect(writer.externalise(large, NOW)).toBe(
    "__pynenc__client_data__:00c6d2d8dfebb423cdc8971891adaf1fe8c23acbc16fde495eed7036f1a9e9b8",
  );
  expect(rows(writer, "client_data")).toHaveLength(1);
});

test("the history JSON has the form of a real one", () => {
  const real = openFixture("kitchen_sink.db");
  const row = real
    .prepare(
      "SELECT history_json AS json FROM kitchen_sink_13bd3995__state_backend_history WHERE history_status = 'registered' LIMIT 1",
    )
    .get() as { json: string };
  // Values away, spelling of the rest kept: key order, separators, null.
  const form = (json: string) => json.replace(/: "[^"]*"/g, ': "…"');
  expect(form(String(rows(writer, "state_backend_history")[0]?.history_json))).toBe(form(row.json));
});

test("conditions have the JSON of real ones", () => {
  const real = openFixture("kitchen_sink.db");
  const stored = new Map(
    (
      real
        .prepare("SELECT condition_id AS id, condition_json AS json FROM kitchen_sink_13bd3995__trg_conditions")
        .all() as {
        id: string;
        json: string;
      }[]
    ).map(({ id, json }) => [id, json]),
  );
  const made = [
    onEvent("order.created"),
    onEvent("order.created", staticFilter({ vip: true })),
    onStatus("tasks.fail_value", ["failed", "retry"]),
    onException("tasks.fail_custom", ["CardDeclined"]),
    onResult("tasks.async_task"),
  ];
  for (const { condition_id, condition_json } of made) expect(condition_json).toBe(stored.get(condition_id));
});

test("a second run of the atomic service is blocked while the first goes on", () => {
  const first = { atomic_service_run_id: "run-1", runner_id: "r1" };
  expect(writer.startService(first, NOW)).toBe(true);
  expect(writer.startService({ atomic_service_run_id: "run-2", runner_id: "r2" }, NOW + 0.001)).toBe(false);
  writer.finishService(first, NOW + 0.01);
  expect(rows(writer, "orchestrator_atomic_service_executions")).toMatchObject([
    { status: "completed", reason: "" },
    { status: "blocked", reason: "prior_running:run-1 runner:r1" },
  ]);
});

test("a workflow that never started is in no workflow table", () => {
  const call = { invocation_id: "w", task_id_key: "a.flow", arguments: {}, definesWorkflow: true };
  const flow = writer.register(call, "r1", NOW);
  expect(flow).toMatchObject({ workflow_id: "w", workflow_type_key: "a.flow", parent_workflow_id: null });
  expect(rows(writer, "state_backend_workflows")).toEqual([]);
  writer.moveStatus("w", "pending", "r1", NOW + 1);
  writer.startRunning(flow, "r1", NOW + 2);
  expect(rows(writer, "state_backend_workflows")).toEqual([
    { workflow_id: "w", workflow_type_key: "a.flow", parent_workflow_id: "" },
  ]);
  expect(historyProblems(writer)).toEqual([]);
});

test.each([
  ["containers", { a: 1, b: [true, null] }, '{"a": 1, "b": [true, null]}'],
  ["an empty object", {}, "{}"],
  ["text beyond ASCII", "é🚲\n\u007f", '"\\u00e9\\ud83d\\udeb2\\n\\u007f"'],
  ["quotes", 'say "\\"', '"say \\"\\\\\\""'],
  ["not a number", Number.NaN, "NaN"],
  ["a big integer", 12_345_678_901_234_567_890n, "12345678901234567890"],
  ["a whole float", pythonFloat(20), "20.0"],
  ["a small float", 0.0000001, "1e-07"],
])("%s is written as Python writes it", (_name, value, text) => {
  expect(pythonJson(value)).toBe(text);
});

test("random ids are version 4 and unique", () => {
  const random = createRandom(1, "story");
  const ids = Array.from({ length: 1000 }, () => random.uuid());
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(1000);
});

test("the scheduler performs steps in the order of their instants", () => {
  const scheduler = new Scheduler(0);
  const seen: string[] = [];
  function* walker(name: string, step: number) {
    for (;;) {
      yield step;
      seen.push(`${name}${Math.round(scheduler.now)}`);
    }
  }
  scheduler.spawn(walker("a", 3));
  scheduler.spawn(walker("b", 2));
  scheduler.after(4.5, () => seen.push("once"));
  scheduler.runUntil(6.5);
  expect(seen).toEqual(["b2", "a3", "b4", "once", "a6", "b6"]);
});
