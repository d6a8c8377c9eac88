/**
 * Apps in which one thing is wrong, written row by row as pynenc writes them, into SQLite or a Redis server. Each stands on healthy noise and has a twin:
 * one wait less, one free worker or one row more, and nothing is wrong.
 */
import { createHash } from "node:crypto";
import type { AppVerdictCode } from "../../src/api/verdicts.ts";
import { eventContext, onCron, onEvent, validCondition } from "../../src/demo/writer/conditions.ts";
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
      hostname = "host-a",
    }: { parent?: string | null; queues?: string[]; last?: number; hostname?: string } = {},
  ): string {
    const runner_id = this.id();
    const context = { runner_id, runner_cls, parent_ctx_id: parent, pid: 100, hostname, thread_id: 1 };
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

  /** What runners do all day, ended before the story: with retries among it. */
  noise(size: number, by: string, { rest, lasts }: NoiseTimes): void {
    for (let n = 0; n < size; n++) {
      const at = PLANTED_NOW - rest - lasts + (n * lasts) / size;
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
  code: AppVerdictCode;
  plant(planter: Planter): void;
  twin(planter: Planter): void;
  /** It needs queues with names. */
  named?: true;
  /** What is rightly told of the twin instead, where the queue keeps times: a message has waited for long beside a free worker. */
  instead?: AppVerdictCode;
  /** It is told by figures over time, which begin long before. */
  trends?: true;
  /** It is told by when messages were put, which a Redis queue does not keep. */
  timed?: true;
  /** It takes away triggers, which the writer of a Redis server does not, or columns, which a server has none of. */
  removes?: true;
  /** Where it is another than an hour that has come to rest a little ago. */
  noise?: NoiseTimes;
}

/** In seconds. */
export interface NoiseTimes {
  /** Before now in which nothing of it happens. */
  rest: number;
  lasts: number;
}

/** Long enough for the runner of the noise to have left, and too short to be a silence. */
const REST = 720;

const HOUR = 3_600;

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

function waitingWithout(planter: Planter, what: "message" | "status" | "both" | "neither"): void {
  const [worker = ""] = pool(planter, 1);
  const one = planter.register("shop.lost", worker, PLANTED_NOW - (what === "neither" ? 20 : 200));
  if (what === "message" || what === "both") planter.unqueue(one.invocation_id);
  if (what === "status" || what === "both")
    planter.writer.remove("orchestrator_invocations", "invocation_id", one.invocation_id);
}

/** Stopped by its runner so many seconds ago, and not put back. */
function stopped(planter: Planter, ago: number): void {
  const [worker = ""] = pool(planter, 1);
  const one = planter.run(planter.register("shop.stopped", worker, PLANTED_NOW - 400), worker, PLANTED_NOW - 399);
  planter.writer.moveStatus(one.invocation_id, "killed", worker, PLANTED_NOW - ago);
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

/** Turns that were taken every half minute until so many seconds ago, by a runner that lives. */
function serviceRanUntil(planter: Planter, seconds: number): void {
  const runner_id = planter.runner("ThreadRunner");
  for (let at = PLANTED_NOW - seconds - 1_200; at <= PLANTED_NOW - seconds; at += 30) {
    const run = { atomic_service_run_id: planter.id(), runner_id };
    planter.writer.startService(run, at);
    planter.writer.finishService(run, at + 0.02);
  }
}

function turnTakers(planter: Planter, count: number): void {
  for (let n = 0; n < count; n++) planter.runner("ThreadRunner");
}

function serviceRun(planter: Planter, ends: boolean): void {
  const run = { atomic_service_run_id: planter.id(), runner_id: planter.runner("ThreadRunner") };
  planter.writer.startService(run, PLANTED_NOW - 400);
  if (ends) planter.writer.finishService(run, PLANTED_NOW - 399);
}

function pendingFor(planter: Planter, seconds: number): void {
  const [worker = ""] = pool(planter, 1);
  const { invocation_id } = planter.register("shop.taken", worker, PLANTED_NOW - seconds - 1);
  planter.unqueue(invocation_id);
  planter.writer.moveStatus(invocation_id, "pending", worker, PLANTED_NOW - seconds);
}

/** The result is there, and who asked for it is not told. */
function resultThere(planter: Planter, forgotten: boolean): void {
  const [a = "", b = ""] = pool(planter, 2);
  const asking = planter.run(planter.register("shop.ask", a, START), a, START + 0.1);
  const asked = planter.run(planter.register("shop.answer", a, START + 1, { parent: asking }), b, START + 1.1);
  planter.writer.moveStatus(asking.invocation_id, "paused", a, START + 1.2);
  planter.writer.succeed(asked.invocation_id, '"1"', b, START + 2);
  if (forgotten) planter.writer.block(asking.invocation_id, asked.invocation_id, START + 1.2);
  else planter.writer.moveStatus(asking.invocation_id, "running", a, START + 2.1);
}

/** @param seconds by which the clock of the second host is behind. */
function secondHost(planter: Planter, seconds: number): void {
  const here = planter.runner("ThreadRunner");
  const there = planter.runner("ThreadRunner", { hostname: "host-b" });
  for (let n = 0; n < 5; n++) {
    const at = START + n * 10;
    const one = planter.run(planter.register("shop.passed", here, at), there, at + 0.2 - seconds);
    planter.writer.succeed(one.invocation_id, '"1"', there, at + 1 - seconds);
  }
}

/** Held back every quarter of a minute since so many seconds ago. */
function heldSince(planter: Planter, seconds: number): void {
  const [worker = ""] = pool(planter, 1);
  const { invocation_id } = planter.register("shop.held", worker, PLANTED_NOW - 500);
  planter.unqueue(invocation_id);
  for (let at = PLANTED_NOW - seconds; at < PLANTED_NOW - 20; at += 15) {
    planter.writer.moveStatus(invocation_id, "concurrency_controlled", worker, at);
    planter.writer.moveStatus(invocation_id, "rerouted", worker, at + 0.1);
  }
  planter.writer.enqueue(invocation_id, PLANTED_NOW - 20);
}

function metBefore(planter: Planter, seconds: number): void {
  pool(planter, 1);
  const condition = onEvent("order.paid");
  planter.writer.defineTrigger({
    task_id_key: "shop.mail",
    logic: "or",
    conditions: [condition],
    argument_provider_json: null,
  });
  const context = eventContext(planter.id(), "order.paid", {}, PLANTED_NOW - seconds);
  planter.writer.recordValidCondition(validCondition(condition, context));
}

function waitingFor(planter: Planter, seconds: number): void {
  const [worker = ""] = pool(planter, 1);
  planter.register("shop.late", worker, PLANTED_NOW - seconds);
}

/** Invocations of one task that ran one after the other. @param ends what each run of the invocation ended in. */
function ran(
  planter: Planter,
  by: string,
  {
    from,
    to,
    count,
    seconds = 5,
    ends = () => ["success"],
  }: { from: number; to: number; count: number; seconds?: number; ends?: (n: number) => string[] },
): void {
  for (let n = 0; n < count; n++) {
    let at = from + ((to - from) * n) / count;
    const one = planter.register("shop.planted", by, at);
    for (const word of ends(n)) {
      planter.run(one, by, at + 0.5);
      at += 0.6 + seconds;
      if (word === "success") planter.writer.succeed(one.invocation_id, `"${n}"`, by, at);
      else if (word === "failed")
        planter.writer.fail(
          one.invocation_id,
          { name: "ValueError", pynencError: false, data: '{"args": ["no such thing"]}' },
          by,
          at,
        );
      else planter.writer.moveStatus(one.invocation_id, word, by, at);
    }
  }
}

const DAY_BEFORE = { from: PLANTED_NOW - 25 * HOUR, to: PLANTED_NOW - HOUR, count: 300 };
const LAST_HOUR = { from: PLANTED_NOW - HOUR + 120, to: PLANTED_NOW - 120, count: 60 };

function ranBeforeAndNow(planter: Planter, before: (n: number) => string[], now: (n: number) => string[]): void {
  const [worker = ""] = pool(planter, 1);
  ran(planter, worker, { ...DAY_BEFORE, ends: before });
  ran(planter, worker, { ...LAST_HOUR, ends: now });
}

function runsFor(planter: Planter, seconds: number): void {
  const [worker = ""] = pool(planter, 1);
  ran(planter, worker, { ...DAY_BEFORE, seconds: 40 });
  planter.run(planter.register("shop.planted", worker, PLANTED_NOW - seconds - 1), worker, PLANTED_NOW - seconds);
}

/** @param left every how many of those that come in is not taken. */
function cameIn(planter: Planter, left: number): void {
  const [worker = ""] = pool(planter, 1);
  for (let n = 0; n < 360; n++) {
    const at = PLANTED_NOW - 1_790 + n * 4.9;
    const one = planter.register("shop.planted", worker, at);
    if (n % left !== 0) {
      planter.run(one, worker, at + 0.2);
      planter.writer.succeed(one.invocation_id, `"${n}"`, worker, at + 2);
      continue;
    }
    // Those that wait were put back lately: how long they wait is another verdict.
    planter.unqueue(one.invocation_id);
    planter.writer.enqueue(one.invocation_id, PLANTED_NOW - 60);
  }
}

/** Something every four minutes for a day and a half, until so many seconds ago. */
function quietFor(planter: Planter, seconds: number): void {
  const [worker = ""] = pool(planter, 1);
  const to = PLANTED_NOW - seconds;
  ran(planter, worker, { from: to - 36 * HOUR, to, count: 540, seconds: 1 });
}

/** The first of so many ends like this, the others well. */
function oneIn(every: number, ends: string[]): (n: number) => string[] {
  return (n) => (n % every === 0 ? ends : ["success"]);
}

/** Queues that are declared, a message of a minute ago in one, and a runner that takes from some. No queues of the runner are every declared one. */
function routed(
  planter: Planter,
  to: string,
  { declared, taken = [] }: { declared: string[]; taken?: string[] },
): void {
  planter.writer.describeApp("shop", { queues: declared });
  const [worker = ""] = pool(planter, 1, taken);
  planter.register("shop.routed", worker, PLANTED_NOW - 60, { route: { queue_name: to, priority: 0 } });
}

/** A parent waits for one child; another one ended so long before now. Results are kept for an hour. */
function endedBefore(planter: Planter, seconds: number): void {
  planter.writer.describeApp("shop", { auto_final_invocation_purge_hours: 1 });
  const [a = "", b = ""] = pool(planter, 3);
  const parent = planter.run(planter.register("shop.order", a, PLANTED_NOW - 3_700), a, PLANTED_NOW - 3_699);
  const ended = planter.run(planter.register("shop.pay", a, PLANTED_NOW - 3_690, { parent }), b, PLANTED_NOW - 3_689);
  planter.writer.succeed(ended.invocation_id, '"1"', b, PLANTED_NOW - seconds);
  const open = planter.run(planter.register("shop.ship", a, PLANTED_NOW - 700, { parent }), b, PLANTED_NOW - 699);
  planter.writer.moveStatus(parent.invocation_id, "paused", a, PLANTED_NOW - 698);
  planter.writer.block(parent.invocation_id, open.invocation_id, PLANTED_NOW - 698);
}

/** Messages have queues, as of pynenc 0.4, and heartbeats tell none, as before. */
function heartbeatsOfBefore(planter: Planter, before: boolean): void {
  planter.runner("ThreadRunner");
  const { db } = planter.writer;
  if (before)
    db.exec(`ALTER TABLE ${planter.writer.table("orchestrator_runner_heartbeats")} DROP COLUMN consumed_queues`);
}

/** A runner that takes turns, and of the triggers of the noise those of these tasks are gone. */
function withoutTriggers(planter: Planter, tasks: readonly string[]): void {
  planter.runner("ThreadRunner");
  for (const task of tasks) planter.writer.remove("trg_triggers", "task_id_key", task);
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
    name: "an invocation that was stopped and not put back",
    code: "left_behind",
    plant: (planter) => stopped(planter, 200),
    twin: (planter) => stopped(planter, 20),
  },
  {
    name: "a call without a status and without a message",
    code: "left_behind",
    plant: (planter) => waitingWithout(planter, "both"),
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
    name: "an atomic service that nobody starts any more",
    code: "starved_atomic_service",
    plant: (planter) => serviceRanUntil(planter, 400),
    twin: (planter) => serviceRanUntil(planter, 200),
  },
  {
    name: "a schedule that does not come true any more",
    code: "schedule_overdue",
    plant: (planter) => cronMetLast(planter, 2_400),
    twin: (planter) => cronMetLast(planter, 1_000),
  },
  {
    name: "runners without any trigger",
    code: "no_triggers",
    removes: true,
    plant: (planter) => withoutTriggers(planter, Object.values(RECOVERY_TASKS)),
    twin: (planter) => withoutTriggers(planter, []),
  },
  {
    name: "a recovery that is not registered",
    code: "no_recovery",
    removes: true,
    plant: (planter) => withoutTriggers(planter, Object.values(RECOVERY_TASKS).slice(1)),
    twin: (planter) => withoutTriggers(planter, []),
  },
  {
    name: "workers alone, whose parent is gone",
    code: "no_service_runner",
    plant: (planter) => void planter.runner("PPRWorker", { parent: planter.id() }),
    twin: (planter) => turnTakers(planter, 1),
  },
  {
    name: "more runners than the settings leave time for",
    code: "invalid_slots",
    plant: (planter) => turnTakers(planter, 5),
    twin: (planter) => turnTakers(planter, 4),
  },
  {
    name: "a run of the atomic service without an end",
    code: "stuck_atomic_service",
    plant: (planter) => serviceRun(planter, false),
    twin: (planter) => serviceRun(planter, true),
  },
  {
    name: "an invocation that was taken and not started",
    code: "stuck_pending",
    plant: (planter) => pendingFor(planter, 60),
    twin: (planter) => pendingFor(planter, 2),
  },
  {
    name: "an invocation paused although its result is there",
    code: "waits_for_ended",
    plant: (planter) => resultThere(planter, true),
    twin: (planter) => resultThere(planter, false),
  },
  {
    name: "a message and no runner",
    code: "unconsumed_queue",
    plant: (planter) => void planter.register("shop.late", planter.id(), PLANTED_NOW - 20),
    twin: (planter) => waitingFor(planter, 20),
  },
  {
    name: "a message in a queue that is not declared",
    code: "undeclared_queue",
    plant: (planter) => routed(planter, "left", { declared: ["mail"] }),
    twin: (planter) => routed(planter, "mail", { declared: ["mail"] }),
    named: true,
  },
  {
    name: "a message in a queue that no runner takes from",
    code: "unconsumed_queue",
    plant: (planter) => routed(planter, "mail", { declared: ["mail", "reports"], taken: ["reports"] }),
    twin: (planter) => routed(planter, "mail", { declared: ["mail", "reports"], taken: ["reports", "mail"] }),
    named: true,
  },
  {
    name: "a result that is purged before it is read",
    code: "purge_before_read",
    plant: (planter) => endedBefore(planter, 3_300),
    twin: (planter) => endedBefore(planter, 2_900),
  },
  {
    name: "tables of two versions of pynenc",
    code: "layout_trouble",
    plant: (planter) => heartbeatsOfBefore(planter, true),
    twin: (planter) => heartbeatsOfBefore(planter, false),
    removes: true,
  },
  {
    name: "a message that nobody takes",
    code: "old_message",
    plant: (planter) => waitingFor(planter, 400),
    twin: (planter) => waitingFor(planter, 200),
    timed: true,
  },
  {
    name: "a host whose clock is behind",
    code: "clock_skew",
    plant: (planter) => secondHost(planter, 2),
    twin: (planter) => secondHost(planter, 0),
  },
  {
    name: "an invocation that concurrency control holds back",
    code: "held_by_concurrency",
    plant: (planter) => heldSince(planter, 450),
    twin: (planter) => heldSince(planter, 250),
  },
  {
    name: "a condition that was met and started nothing",
    code: "condition_not_claimed",
    plant: (planter) => metBefore(planter, 1_000),
    twin: (planter) => metBefore(planter, 800),
  },
  {
    name: "a task that fails more often than before",
    code: "failure_rate_up",
    plant: (planter) => ranBeforeAndNow(planter, oneIn(40, ["failed"]), oneIn(3, ["failed"])),
    twin: (planter) => ranBeforeAndNow(planter, oneIn(40, ["failed"]), oneIn(20, ["failed"])),
    trends: true,
  },
  {
    name: "a task whose retries do not help any more",
    code: "retries_exhausted",
    plant: (planter) => ranBeforeAndNow(planter, oneIn(300, ["success"]), oneIn(3, ["retry", "retry", "failed"])),
    twin: (planter) => ranBeforeAndNow(planter, oneIn(300, ["success"]), oneIn(100, ["retry", "retry", "failed"])),
    trends: true,
  },
  {
    name: "a task that is tried again and again",
    code: "retry_storm",
    plant: (planter) =>
      ranBeforeAndNow(planter, oneIn(30, ["retry", "success"]), oneIn(2, ["retry", "retry", "success"])),
    twin: (planter) =>
      ranBeforeAndNow(planter, oneIn(30, ["retry", "success"]), oneIn(15, ["retry", "retry", "success"])),
    trends: true,
  },
  {
    name: "a run that takes far longer than others",
    code: "slow_run",
    plant: (planter) => runsFor(planter, 130),
    twin: (planter) => runsFor(planter, 110),
    trends: true,
  },
  {
    name: "a queue that grows",
    code: "queue_grows",
    plant: (planter) => cameIn(planter, 1),
    twin: (planter) => cameIn(planter, 10),
    // It is told of a tenth of all that came in.
    noise: { rest: HOUR, lasts: HOUR },
    trends: true,
  },
  {
    name: "an app that is quieter than ever",
    code: "app_silent",
    plant: (planter) => quietFor(planter, 1_200),
    twin: (planter) => quietFor(planter, 600),
    trends: true,
    // Rows are written in the order of their times, as pynenc writes them: what is stored begins more than a day ago.
    noise: { rest: 2 * HOUR, lasts: 36 * HOUR },
  },
];

/** Runners with the recovery registered, and so many invocations that ended. */
export function healthyNoise(planter: Planter, size: number, times: NoiseTimes = { rest: REST, lasts: HOUR }): void {
  planter.writer.describeApp("shop");
  // A worker, so that no turn of the atomic service was its own.
  const runner = planter.runner("PPRWorker", { parent: planter.id(), last: PLANTED_NOW - REST });
  for (const task_id_key of Object.values(RECOVERY_TASKS)) {
    const condition = onCron("*/15 * * * *", 900);
    planter.writer.defineTrigger({ task_id_key, logic: "or", conditions: [condition], argument_provider_json: null });
    planter.writer.recordCronExecution(condition.condition_id, PLANTED_NOW - 300);
  }
  planter.noise(size, runner, times);
}
