/**
 * Apps in which one thing is wrong, written row by row as pynenc writes them, into SQLite or a Redis server. Each stands on healthy noise and has a twin:
 * one wait less, one free worker or one row more, and nothing is wrong.
 */
import { createHash } from "node:crypto";
import { onCron } from "../../src/demo/writer/conditions.ts";
import type { Route } from "../../src/demo/writer/operations.ts";
import type { DemoWriter } from "../../src/demo/writer/writer.ts";
import { RECOVERY_TASKS } from "../../src/pynenc/identifiers.ts";
import type { InvocationRecord } from "../../src/pynenc/records.ts";
import type { EpochSeconds } from "../../src/pynenc/time.ts";

export const PLANTED_NOW: EpochSeconds = 1_795_221_000;
const START = PLANTED_NOW - 600;

/** Ids that differ by their seed, as those of pynenc do. */
export class Planter {
  readonly writer: DemoWriter;
  readonly #seed: number;
  #made = 0;

  constructor(writer: DemoWriter, seed: number) {
    this.writer = writer;
    this.#seed = seed;
  }

  id(): string {
    const hex = createHash("sha256")
      .update(`${this.#seed} ${this.#made++}`)
      .digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** A runner with a heartbeat of this moment; workers take no turns in the atomic service. */
  runner(
    runner_cls: string,
    {
      parent = null,
      queues = [],
      last = PLANTED_NOW - 3,
    }: { parent?: string | null; queues?: string[]; last?: number } = {},
  ): string {
    const runner_id = this.id();
    const context = { runner_id, runner_cls, parent_ctx_id: parent, pid: 100, hostname: "host-a", thread_id: 1 };
    this.writer.storeRunnerContext(context);
    this.writer.heartbeat(runner_id, PLANTED_NOW - 7_200, parent === null, queues);
    this.writer.heartbeat(runner_id, last, parent === null, queues);
    return runner_id;
  }

  register(task: string, by: string, at: EpochSeconds, more: { parent?: InvocationRecord; route?: Route } = {}) {
    return this.writer.register(
      { invocation_id: this.id(), task_id_key: task, arguments: { n: `${this.#made}` }, ...more },
      by,
      at,
    );
  }

  /** Its message is taken and it runs. */
  run(invocation: InvocationRecord, by: string, at: EpochSeconds): InvocationRecord {
    this.unqueue(invocation.invocation_id);
    this.writer.moveStatus(invocation.invocation_id, "pending", by, at);
    this.writer.startRunning(invocation, by, at + 0.01);
    return invocation;
  }

  unqueue(invocationId: string): void {
    this.writer.remove("broker_message_queue", "invocation_id", invocationId);
  }

  /** What runners do all day, ended before the story: with retries and a failure among it. */
  noise(size: number, by: string): void {
    for (let n = 0; n < size; n++) {
      const at = START - 3_600 + (n * 2_400) / size;
      const one = this.run(this.register("shop.work", by, at), by, at + 0.2);
      if (n % 10 === 3) {
        this.writer.moveStatus(one.invocation_id, "retry", by, at + 0.3);
        this.run(one, by, at + 0.4);
      }
      this.writer.succeed(one.invocation_id, `"${n}"`, by, at + 1);
    }
  }
}

export interface Situation {
  name: string;
  /** Null: nothing is wrong. */
  code: string | null;
  plant(planter: Planter): void;
  twin(planter: Planter): void;
  /** It needs queues with names. */
  named?: true;
  /** What is rightly told of the twin instead, where the queue keeps times: a message has waited for long beside a free worker. */
  instead?: string;
}

/** A pool of workers that each take one invocation after the other. */
function pool(planter: Planter, workers: number, queues: string[] = []): string[] {
  const parent = planter.runner("PersistentProcessRunner", { queues });
  return Array.from({ length: workers }, () => planter.runner("PPRWorker", { parent, queues }));
}

/** Each worker runs a call that waits for the next; the last call is in the queue. */
function nested(planter: Planter, workers: readonly string[], { skipWait = -1, route = {} as { route?: Route } } = {}) {
  const [first = ""] = workers;
  let caller: InvocationRecord | undefined;
  for (const [n, worker] of workers.entries()) {
    const more = caller === undefined ? route : { parent: caller, ...route };
    const call = planter.register("shop.nested", caller === undefined ? first : worker, START + n, more);
    planter.run(call, worker, START + n + 0.1);
    if (caller !== undefined && n !== skipWait)
      planter.writer.block(caller.invocation_id, call.invocation_id, START + n);
    caller = call;
  }
  const last = planter.register("shop.nested", workers.at(-1) ?? "", START + workers.length, {
    ...(caller === undefined ? {} : { parent: caller }),
    ...route,
  });
  if (caller !== undefined && skipWait !== workers.length) {
    planter.writer.block(caller.invocation_id, last.invocation_id, START + workers.length);
  }
}

/** Both pools call into the other's queue: neither has a worker left for what the other waits for. */
function twoPools(planter: Planter, freeWorker: boolean): void {
  const routeTo = (queue_name: string) => ({ route: { queue_name, priority: 0 } });
  const [a, b] = [pool(planter, 2, ["a"]), pool(planter, freeWorker ? 3 : 2, ["b"])];
  for (const [workers, own, other] of [
    [a, "a", "b"],
    [b.slice(0, 2), "b", "a"],
  ] as const) {
    for (const [n, worker] of workers.entries()) {
      const call = planter.run(planter.register("shop.ask", worker, START + n, routeTo(own)), worker, START + n + 0.1);
      const asked = planter.register("shop.answer", worker, START + n + 1, { parent: call, ...routeTo(other) });
      planter.writer.block(call.invocation_id, asked.invocation_id, START + n + 1);
    }
  }
}

function circle(planter: Planter, links: number): void {
  const workers = pool(planter, 3);
  const calls = workers.map((worker, n) =>
    planter.run(planter.register("shop.circle", worker, START + n), worker, START + n + 0.1),
  );
  for (const [n, call] of calls.entries()) {
    planter.writer.moveStatus(call.invocation_id, "paused", workers[n] ?? "", START + 10 + n);
    const next = calls[(n + 1) % calls.length];
    if (n < links && next !== undefined) planter.writer.block(call.invocation_id, next.invocation_id, START + 10 + n);
  }
  // Who waits for nothing goes on.
  const free = calls.at(-1);
  if (links < calls.length && free !== undefined)
    planter.writer.moveStatus(free.invocation_id, "running", workers.at(-1) ?? "", START + 20);
}

function waitingWithout(planter: Planter, what: "message" | "status" | "neither"): void {
  const [worker = ""] = pool(planter, 1);
  const one = planter.register("shop.lost", worker, PLANTED_NOW - (what === "neither" ? 20 : 200));
  if (what === "message") planter.unqueue(one.invocation_id);
  if (what === "status") planter.writer.remove("orchestrator_invocations", "invocation_id", one.invocation_id);
}

function onRunner(planter: Planter, status: "running" | "paused", last: EpochSeconds): void {
  pool(planter, 1);
  const other = planter.runner("ThreadRunner", { last });
  const one = planter.run(planter.register("shop.held", other, START - 900), other, START - 899);
  if (status === "paused") planter.writer.moveStatus(one.invocation_id, "paused", other, START - 890);
}

function cronMetLast(planter: Planter, seconds: number): void {
  pool(planter, 1);
  const condition = onCron("*/10 * * * *", 600);
  planter.writer.defineTrigger({
    task_id_key: "shop.report",
    logic: "or",
    conditions: [condition],
    argument_provider_json: null,
  });
  planter.writer.recordCronExecution(condition.condition_id, PLANTED_NOW - seconds);
}

export const SITUATIONS: readonly Situation[] = [
  {
    name: "a pool whose calls nest as deep as it has workers",
    code: "deadlocked_pool",
    plant: (planter) => nested(planter, pool(planter, 6)),
    twin: (planter) => nested(planter, pool(planter, 7).slice(0, 6)),
    instead: "old_message",
  },
  {
    name: "the same with one wait less",
    code: "deadlocked_pool",
    plant: (planter) => nested(planter, pool(planter, 3)),
    twin: (planter) => nested(planter, pool(planter, 3), { skipWait: 2 }),
    instead: "old_message",
  },
  {
    name: "two pools that wait for each other",
    code: "deadlocked_pool",
    plant: (planter) => twoPools(planter, false),
    twin: (planter) => twoPools(planter, true),
    instead: "old_message",
    named: true,
  },
  {
    name: "invocations that wait for each other in a circle",
    code: "wait_cycle",
    plant: (planter) => circle(planter, 3),
    twin: (planter) => circle(planter, 2),
  },
  {
    name: "a message that is lost",
    code: "waiting_in_no_queue",
    plant: (planter) => waitingWithout(planter, "message"),
    twin: (planter) => waitingWithout(planter, "neither"),
  },
  {
    name: "a message without an invocation",
    code: "message_without_invocation",
    plant: (planter) => waitingWithout(planter, "status"),
    twin: (planter) => waitingWithout(planter, "neither"),
  },
  {
    name: "an invocation running on a runner that is silent",
    code: "running_on_dead_runner",
    plant: (planter) => onRunner(planter, "running", PLANTED_NOW - 700),
    twin: (planter) => onRunner(planter, "running", PLANTED_NOW - 500),
  },
  {
    name: "an invocation paused on a runner that is silent",
    code: "paused_on_dead_runner",
    plant: (planter) => onRunner(planter, "paused", PLANTED_NOW - 700),
    twin: (planter) => onRunner(planter, "paused", PLANTED_NOW - 500),
  },
  {
    name: "a schedule that does not come true any more",
    code: "schedule_overdue",
    plant: (planter) => cronMetLast(planter, 2_400),
    twin: (planter) => cronMetLast(planter, 1_000),
  },
];

/** Runners with the recovery registered, and so many invocations that ended. */
export function healthyNoise(planter: Planter, size: number): void {
  planter.writer.describeApp("shop");
  const runner = planter.runner("ThreadRunner", { last: PLANTED_NOW - 4_000 });
  for (const task_id_key of Object.values(RECOVERY_TASKS)) {
    const condition = onCron("*/15 * * * *", 900);
    planter.writer.defineTrigger({ task_id_key, logic: "or", conditions: [condition], argument_provider_json: null });
    planter.writer.recordCronExecution(condition.condition_id, PLANTED_NOW - 300);
  }
  planter.noise(size, runner);
}
