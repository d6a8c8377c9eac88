import { afterEach, beforeEach, expect, test } from "vitest";
import { type Live, startLive } from "../../src/demo/live.ts";
import { writeDemoStory } from "../../src/demo/story.ts";
import { DemoWriter } from "../../src/demo/writer.ts";
import { historyProblems, memoryDatabase, NOW, rows } from "./support.ts";

let writer: DemoWriter;
let live: Live | null = null;
let now = NOW;

beforeEach(() => {
  now = NOW;
  writer = new DemoWriter(memoryDatabase(), "demo-shop");
});

afterEach(() => live?.stop());

function start(retentionSeconds?: number): Live {
  // The interval is far beyond the test: only its own ticks count.
  const options = { clock: () => now, intervalMs: 3_600_000, seed: 5 };
  live = startLive(writer, retentionSeconds === undefined ? options : { ...options, retentionSeconds });
  return live;
}

function advance(seconds: number, step = 1): void {
  const end = now + seconds;
  while (now < end) {
    now += step;
    live?.tick();
  }
}

const statusCount = (status: string) => rows(writer, "orchestrator_invocations", `WHERE status = '${status}'`).length;
const eventCount = () => rows(writer, "trg_events").length;

test("the shop goes on and keeps the rules", () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const before = {
    success: statusCount("success"),
    events: eventCount(),
    runs: rows(writer, "trg_trigger_runs").length,
  };
  start();
  advance(120);
  expect(historyProblems(writer)).toEqual([]);
  expect(statusCount("success")).toBeGreaterThan(before.success + 20);
  expect(eventCount()).toBeGreaterThan(before.events + 10);
  expect(rows(writer, "trg_trigger_runs").length).toBeGreaterThan(before.runs + 10);
});

test.each([1, 2])("draws no id that the story with the same seed %i has drawn, not even over the hour", (seed) => {
  writeDemoStory(writer, { now: NOW, seed });
  live = startLive(writer, { clock: () => now, intervalMs: 3_600_000, seed });
  const before = rows(writer, "state_backend_invocations").length;
  expect(() => advance(4_000, 10)).not.toThrow();
  expect(rows(writer, "state_backend_invocations").length).toBeGreaterThan(before + 100);
});

test("a call that somebody else registers between two ticks is not taken before it was made", () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  start();
  advance(10);
  const invocation_id = "11111111-2222-4333-8444-555555555555";
  const call = { invocation_id, task_id_key: "shop.reports.render", arguments: {} };
  writer.register(call, "ExternalRunner@somewhere-1", now + 0.9);
  advance(30);
  const history = rows(
    writer,
    "state_backend_history",
    `WHERE invocation_id = '${invocation_id}' ORDER BY history_timestamp`,
  );
  expect(history.map((row) => row.history_status).slice(0, 3)).toEqual(["registered", "pending", "running"]);
});

test("what was unfinished at its start is left as it stands", () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const queued = writer.queuedIds();
  const paused = writer.withStatus("paused");
  start();
  advance(60);
  expect(queued.length).toBeGreaterThan(3);
  expect(writer.queuedIds()).toEqual(expect.arrayContaining(queued));
  expect(writer.withStatus("paused")).toEqual(expect.arrayContaining(paused));
});

test("living runners go on beating, dead ones do not", () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const alive = () => writer.runnersSeenSince(now - 60).filter((runner) => runner.parent_ctx_id === null);
  const before = alive().map((runner) => runner.runner_id);
  start();
  advance(300);
  expect(before).toHaveLength(3);
  expect(alive().map((runner) => runner.runner_id)).toEqual(before);
});

test("a message that somebody else puts into the queue is taken", () => {
  start();
  const record = writer.register(
    { invocation_id: "0b5d4c56-6c1f-4d32-9f3f-0a55b4f0d111", task_id_key: "shop.orders.place_order", arguments: {} },
    "ExternalRunner@monitor-1",
    now,
  );
  advance(40);
  expect(writer.statusOf(record.invocation_id)?.status).toBe("success");
});

test("an empty file gets a runner", () => {
  start();
  advance(5);
  expect(writer.runnersSeenSince(now - 60)).toHaveLength(1);
});

test("a purge in the middle of work does not stop it", () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  start();
  advance(30);
  for (const table of [
    "orchestrator_invocations",
    "state_backend_invocations",
    "state_backend_history",
    "broker_message_queue",
    "state_backend_app_info",
  ] as const) {
    writer.db.exec(`DELETE FROM ${writer.table(table)}`);
  }
  advance(120);
  expect(statusCount("success")).toBeGreaterThan(10);
  expect(rows(writer, "state_backend_app_info")).toHaveLength(1);
});

test("it does not grow without bound", () => {
  start(120);
  advance(600, 5);
  const middle = rows(writer, "state_backend_history").length;
  advance(1200, 5);
  expect(rows(writer, "state_backend_history").length).toBeLessThan(middle * 2);
  const oldest = rows(
    writer,
    "orchestrator_invocations",
    "WHERE auto_purge_timestamp IS NOT NULL ORDER BY auto_purge_timestamp LIMIT 1",
  );
  expect(Number(oldest[0]?.auto_purge_timestamp)).toBeGreaterThan(now - 200);
  const oldestEvent = rows(writer, "trg_events", "ORDER BY event_timestamp LIMIT 1");
  expect(Number(oldestEvent[0]?.event_timestamp)).toBeGreaterThan(now - 200);
});

test("time in which the machine slept is skipped", () => {
  start();
  advance(30);
  const before = rows(writer, "orchestrator_invocations").length;
  now += 8 * 3600;
  advance(5);
  expect(rows(writer, "orchestrator_invocations").length).toBeLessThan(before + 40);
  expect(historyProblems(writer)).toEqual([]);
});
