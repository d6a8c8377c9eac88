import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Live, startLive } from "../../src/demo/live.ts";
import { SHOP_TASKS } from "../../src/demo/story/shop.ts";
import { writeDemoStory } from "../../src/demo/story/story.ts";
import { LAYOUTS } from "../../src/demo/writer/schema.ts";
import { DemoWriter } from "../../src/demo/writer/writer.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { historyProblems, memoryDatabase, NOW, rows, takenFromOthers, temporaryDirectory } from "./support.ts";

let writer: DemoWriter;
let live: Live | null = null;
let now = NOW;

beforeEach(() => {
  now = NOW;
  writer = new DemoWriter(memoryDatabase(), "demo-shop");
});

afterEach(() => live?.stop());

async function start(retentionSeconds?: number): Promise<Live> {
  // The interval is far beyond the test: only its own ticks count.
  const options = { clock: () => now, intervalMs: 3_600_000, seed: 5 };
  live = await startLive(writer, retentionSeconds === undefined ? options : { ...options, retentionSeconds });
  return live;
}

async function advance(seconds: number, step = 1): Promise<void> {
  const end = now + seconds;
  while (now < end) {
    now += step;
    await live?.tick();
  }
}

const since = (at: number) =>
  `SELECT invocation_id FROM ${writer.table("state_backend_history")} WHERE history_status = 'success' AND history_timestamp > ${at}`;
const statusCount = (status: string) => rows(writer, "orchestrator_invocations", `WHERE status = '${status}'`).length;
const eventCount = () => rows(writer, "trg_events").length;

test.each(LAYOUTS)("the live shop makes progress within pynenc's rules, in the layout of %s", async (layout) => {
  writer = new DemoWriter(memoryDatabase(), "demo-shop", layout);
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const before = {
    success: statusCount("success"),
    events: layout === "0.2.3" ? 0 : eventCount(),
    runs: layout === "0.2.3" ? 0 : rows(writer, "trg_trigger_runs").length,
  };
  await start();
  await advance(120);
  expect(historyProblems(writer)).toEqual([]);
  expect(statusCount("success")).toBeGreaterThan(before.success + 20);
  if (layout === "0.2.3") return;
  expect(eventCount()).toBeGreaterThan(before.events + 10);
  expect(rows(writer, "trg_trigger_runs").length).toBeGreaterThan(before.runs + 10);
});

test("the live shop uses no id of the story with the same seed, even after an hour", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  live = await startLive(writer, { clock: () => now, intervalMs: 3_600_000, seed: 1 });
  const before = rows(writer, "state_backend_invocations").length;
  await advance(4_000, 10);
  expect(rows(writer, "state_backend_invocations").length).toBeGreaterThan(before + 100);
});

test("the recovery that the story ends in lets the live shop's own recoveries run", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const states = () => {
    const of = "invocation_id IN (SELECT invocation_id FROM $P WHERE task_id_key LIKE 'pynenc.core_tasks.recover_%')";
    const where = `WHERE ${of.replace("$P", writer.table("state_backend_invocations"))}`;
    return rows(writer, "orchestrator_invocations", where).map((row) => row.status);
  };
  expect(states().filter((status) => status === "running")).toHaveLength(2);
  const before = states().length;
  await start();
  await advance(400, 5);
  expect(states().length).toBeGreaterThan(before);
  expect(new Set(states())).toEqual(new Set(["success"]));
  expect(historyProblems(writer)).toEqual([]);
});

test("a call that another client registers between two ticks is not taken before its registration", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  await start();
  await advance(10);
  const invocation_id = "11111111-2222-4333-8444-555555555555";
  const call = { invocation_id, task_id_key: "shop.reports.render", arguments: {} };
  writer.register(call, "ExternalRunner@somewhere-1", now + 0.9);
  await advance(30);
  const history = rows(
    writer,
    "state_backend_history",
    `WHERE invocation_id = '${invocation_id}' ORDER BY history_timestamp`,
  );
  expect(history.map((row) => row.history_status).slice(0, 3)).toEqual(["registered", "pending", "running"]);
});

test("invocations that were unfinished at the start stay as they are", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const queued = writer.messages();
  const paused = writer.withStatus("paused");
  await start();
  await advance(60);
  expect(queued.length).toBeGreaterThan(3);
  expect(writer.messages()).toEqual(expect.arrayContaining(queued));
  expect(writer.withStatus("paused")).toEqual(expect.arrayContaining(paused));
});

test("active runners keep sending heartbeats, and dead ones do not", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  const alive = () => writer.runnersSeenSince(now - 60).filter((runner) => runner.parent_ctx_id === null);
  const before = alive().map((runner) => runner.runner_id);
  await start();
  await advance(300);
  expect(before).toHaveLength(3);
  expect(alive().map((runner) => runner.runner_id)).toEqual(before);
});

test("a message that another client puts into the queue is taken", async () => {
  await start();
  const record = writer.register(
    { invocation_id: "0b5d4c56-6c1f-4d32-9f3f-0a55b4f0d111", task_id_key: "shop.orders.place_order", arguments: {} },
    "ExternalRunner@monitor-1",
    now,
  );
  await advance(40);
  // Some orders of the story are rejected, by chance.
  expect(["success", "failed"]).toContain(writer.statusOf(record.invocation_id)?.status);
});

test("runners take only from their own queues, and all queues are processed", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  await start();
  await advance(240);
  expect(takenFromOthers(writer, SHOP_TASKS, NOW)).toEqual([]);
  const finished = rows(writer, "state_backend_results", `WHERE invocation_id IN (${since(NOW)})`);
  const tasks = new Map(
    rows(writer, "orchestrator_invocations").map((row) => [row.invocation_id, String(row.task_id_key)]),
  );
  const modules = new Set(finished.map((row) => tasks.get(row.invocation_id as string)?.split(".")[1]));
  expect([...modules]).toEqual(expect.arrayContaining(["orders", "mail", "reports"]));
  const beats = rows(writer, "orchestrator_runner_heartbeats", `WHERE last_heartbeat >= ${NOW}`);
  expect(new Set(beats.map((row) => row.consumed_queues))).toEqual(
    new Set(["[]", '["mail", "reports"]', '["default", "mail"]']),
  );
});

test("a message in another queue than the task's own is taken there, and retried in the task's own", async () => {
  await start();
  const route = { queue_name: "reports", priority: 100 };
  const call = (invocation_id: string, given: { queue_name: string; priority: number }) =>
    writer.register(
      { invocation_id, task_id_key: "shop.mail.deliver", arguments: { greylisted: "1" }, route: given },
      "ExternalRunner@monitor-1",
      now,
    );
  call("here", route);
  call("nowhere", { ...route, queue_name: "adhoc" });
  const before = now;
  while (writer.statusOf("here")?.status !== "retry" && now < before + 60) await advance(0.05, 0.05);
  expect(rows(writer, "broker_message_queue", "WHERE invocation_id = 'here'")).toMatchObject([
    { queue_name: "mail", priority: 0 },
  ]);
  await advance(60);
  expect(writer.statusOf("here")?.status).toBe("success");
  // Nobody takes from a queue that is not declared.
  expect(writer.statusOf("nowhere")?.status).toBe("registered");
});

test("the live shop starts a runner in an empty file", async () => {
  await start();
  await advance(5);
  expect(writer.runnersSeenSince(now - 60)).toHaveLength(1);
});

test("a purge does not stop the live shop", async () => {
  writeDemoStory(writer, { now: NOW, seed: 1 });
  await start();
  await advance(30);
  for (const table of [
    "orchestrator_invocations",
    "state_backend_invocations",
    "state_backend_history",
    "broker_message_queue",
    "state_backend_app_info",
  ] as const) {
    writer.db.exec(`DELETE FROM ${writer.table(table)}`);
  }
  await advance(120);
  expect(statusCount("success")).toBeGreaterThan(10);
  expect(rows(writer, "state_backend_app_info")).toHaveLength(1);
});

test("the live shop does not grow without limit", async () => {
  await start(120);
  await advance(600, 5);
  const middle = rows(writer, "state_backend_history").length;
  await advance(1200, 5);
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

test("the shop continues after another process has held the file for a while", async () => {
  const path = join(temporaryDirectory(), "demo.db");
  const open = () => openDatabase(path, { mode: "create", busyTimeoutMs: 0 });
  writer = new DemoWriter(open(), "demo-shop");
  const other = open();
  const stops: unknown[] = [];
  live = await startLive(writer, { clock: () => now, intervalMs: 1, seed: 5, onStop: (error) => stops.push(error) });
  const beats = () => rows(writer, "orchestrator_runner_heartbeats", `WHERE last_heartbeat > ${NOW + 1}`).length;
  other.exec("BEGIN IMMEDIATE");
  now += 40;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([stops, beats()]).toEqual([[], 0]);
  other.exec("COMMIT");
  await vi.waitFor(() => expect(beats()).toBe(1), { timeout: 60_000 });
  await live.stop();
  for (const db of [other, writer.db]) db.close();
});

test("the time in which the machine slept is skipped", async () => {
  await start();
  await advance(30);
  const before = rows(writer, "orchestrator_invocations").length;
  now += 8 * 3600;
  await advance(5);
  expect(rows(writer, "orchestrator_invocations").length).toBeLessThan(before + 40);
  expect(historyProblems(writer)).toEqual([]);
});
