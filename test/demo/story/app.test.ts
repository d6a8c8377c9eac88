import { expect, test } from "vitest";
import { type BrokerSettings, DemoApp, type RunnerSpec, type TaskSpec } from "../../../src/demo/story/app.ts";
import { createRandom } from "../../../src/demo/story/random.ts";
import { Scheduler } from "../../../src/demo/story/scheduler.ts";
import type { Layout } from "../../../src/demo/writer/schema.ts";
import { DemoWriter } from "../../../src/demo/writer/writer.ts";
import { memoryDatabase, NOW, rows } from "../support.ts";

const RUNNER: RunnerSpec = { cls: "ThreadRunner", hostname: "worker-1", pid: 1, slots: 1 };
const QUEUES: BrokerSettings = { queues: ["default", "mail"], priority_rules: [] };

function task(key: string, settings: Partial<TaskSpec> = {}): TaskSpec {
  return {
    key,
    ...settings,
    *body() {
      yield 1;
      return null;
    },
  };
}

function appWith(tasks: readonly TaskSpec[], broker: BrokerSettings, layout?: Layout): DemoApp {
  return new DemoApp({
    writer: new DemoWriter(memoryDatabase(), "demo-shop", layout),
    scheduler: new Scheduler(NOW),
    random: createRandom(1, "story"),
    tasks,
    triggers: [],
    broker,
    serviceIntervalSeconds: 60,
  });
}

/** Tasks in the order in which a runner took their invocations, as far as it came. */
function taken(app: DemoApp): string[] {
  const tasks = new Map(
    rows(app.writer, "orchestrator_invocations").map((row) => [row.invocation_id, row.task_id_key]),
  );
  const entries = rows(
    app.writer,
    "state_backend_history",
    "WHERE history_status = 'pending' ORDER BY history_timestamp",
  );
  return entries.map((row) => String(tasks.get(row.invocation_id)));
}

const LETTERS = [task("a.letter"), task("a.parcel", { queue: "mail" })];

test("a demo runner takes from its queues in turn", () => {
  const app = appWith(LETTERS, QUEUES);
  for (const key of ["a.letter", "a.letter", "a.letter", "a.parcel", "a.parcel"]) app.call(key, {}, "web", app.random);
  app.startRunner(RUNNER);
  app.scheduler.runUntil(NOW + 30);
  expect(taken(app)).toEqual(["a.letter", "a.parcel", "a.letter", "a.parcel", "a.letter"]);
});

test("a demo runner with its own queues leaves the others alone, even without other runners", () => {
  const app = appWith(LETTERS, QUEUES);
  for (const key of ["a.letter", "a.parcel", "a.letter"]) app.call(key, {}, "web", app.random);
  app.startRunner({ ...RUNNER, queues: ["mail"] });
  app.scheduler.runUntil(NOW + 30);
  expect(taken(app)).toEqual(["a.parcel"]);
  app.startRunner(RUNNER);
  app.scheduler.runUntil(NOW + 60);
  expect(taken(app)).toEqual(["a.parcel", "a.letter", "a.letter"]);
});

test("a demo runner takes everything from the single queue of an older layout", () => {
  const app = appWith(LETTERS, QUEUES, "0.3.1");
  for (const key of ["a.letter", "a.parcel", "a.letter"]) app.call(key, {}, "web", app.random);
  app.startRunner({ ...RUNNER, queues: ["mail"] });
  app.scheduler.runUntil(NOW + 30);
  expect(taken(app)).toHaveLength(3);
});

test("the highest matching priority rule applies, even against a higher priority of the task", () => {
  const rules = [
    { task_id: "a.*", priority: -5 },
    { task_id: "a.first", priority: 3 },
    { task_id: "A.*", priority: 100 },
  ];
  const tasks = [
    task("a.first", { priority: 50 }),
    task("a.second"),
    task("b.third", { priority: 0.5 }),
    task("b.last"),
  ];
  const app = appWith(tasks, { queues: ["default"], priority_rules: rules });
  for (const { key } of tasks) app.call(key, {}, "web", app.random);
  const priorities = rows(app.writer, "broker_message_queue").map((row) => row.priority);
  expect(priorities).toEqual([3, -5, 0.5, 0]);
});

test.each([
  ["MultiThreadRunner", 3],
  ["PersistentProcessRunner", 3],
  ["ProcessRunner", 3],
  ["ThreadRunner", 1],
] as const)("what executes for a demo %s reports the runner's queues from its first heartbeat on", (cls, count) => {
  const app = appWith(LETTERS, QUEUES);
  app.call("a.parcel", {}, "web", app.random);
  app.call("a.parcel", {}, "web", app.random);
  app.startRunner({ ...RUNNER, cls, slots: 2, queues: ["mail"] });
  app.scheduler.runUntil(NOW + 5);
  const lists = rows(app.writer, "orchestrator_runner_heartbeats").map((row) => row.consumed_queues);
  expect(lists).toEqual(Array(count).fill('["mail"]'));
});
