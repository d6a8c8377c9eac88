/**
 * Simulates an app: runners take messages, task code runs in virtual time, triggers fire. All writes go through DemoWriter, so the rows match
 * pynenc's; this module decides when and by whom.
 */

import { decidingRule } from "../../pynenc/priority-rules.ts";
import { type PythonValue, pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { PriorityRule } from "../../pynenc/setting-values.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { StoredValues, Values } from "../writer/conditions.ts";
import { DEFAULT_ROUTE, type Message, type Route } from "../writer/operations.ts";
import type { DemoWriter } from "../writer/writer.ts";
import { RetryRequested, TaskError } from "./errors.ts";
import type { Random } from "./random.ts";
import type { Scheduler, Steps } from "./scheduler.ts";
import { runnerInTurn } from "./service-timing.ts";
import { type TriggerSpec, Triggers } from "./triggers.ts";

export interface TaskSpec {
  readonly key: string;
  /** An `@app.workflow`. */
  readonly workflow?: boolean;
  /** Running concurrency control: a second invocation is rerouted or dropped. */
  readonly concurrency?: "reroute" | "drop";
  readonly maxRetries?: number;
  /** Queue of its messages. Default: the default queue. */
  readonly queue?: string;
  /** Priority of its messages, unless a rule of the app applies. Default: 0. */
  readonly priority?: number;
  /** The code of the task: returning means success, throwing TaskError failure, throwing RetryRequested another attempt. */
  readonly body: (run: TaskRun) => Steps<PythonValue>;
}

export interface RunnerSpec {
  readonly cls: "ThreadRunner" | "ProcessRunner" | "PersistentProcessRunner" | "MultiThreadRunner";
  readonly hostname: string;
  readonly pid: number;
  /** Number of invocations it runs concurrently. */
  readonly slots: number;
  /** Queues it is configured to consume. Default: every declared queue. */
  readonly queues?: readonly string[];
}

/** Contexts that execute for a runner: none, one per slot for the runner's lifetime, or a new one per invocation. */
const WORKERS = {
  ThreadRunner: null,
  MultiThreadRunner: { cls: "ThreadRunner", lasting: true },
  PersistentProcessRunner: { cls: "PPRWorker", lasting: true },
  ProcessRunner: { cls: "ProcessRunnerWorker", lasting: false },
} as const;

export interface Runner {
  readonly id: string;
  readonly spec: RunnerSpec;
  alive: boolean;
  /** Ids of its long-lived workers. */
  readonly workers: string[];
  readonly executions: Set<Execution>;
  /** Index of the queue to check first; advances after each message. */
  nextQueue: number;
}

/** Queue settings as published by an app. */
export interface BrokerSettings {
  readonly queues: readonly string[];
  /** The highest matching rule applies, even if the task's own priority is higher. */
  readonly priority_rules: readonly PriorityRule[];
}

const ONE_QUEUE: BrokerSettings = { queues: [DEFAULT_ROUTE.queue_name], priority_rules: [] };

interface Slot {
  readonly runner: Runner;
  readonly worker: string | null;
}

interface Execution {
  readonly invocation: InvocationRecord;
  readonly runner: Runner;
  /** Context that owns the invocation: the runner or one of its workers. */
  readonly contextId: string;
  /** For what the task does in this run. */
  readonly random: Random;
  /** It waits for another invocation, so its slot is free for others. */
  waiting: boolean;
  stopped: boolean;
}

export interface AppOptions {
  readonly writer: DemoWriter;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly tasks: readonly TaskSpec[];
  readonly triggers: readonly TriggerSpec[];
  /** Default: only the default queue, the only one in layouts without named queues. */
  readonly broker?: BrokerSettings;
  /** Interval at which a runner runs the atomic service. */
  readonly serviceIntervalSeconds: number;
}

const HEARTBEAT_SECONDS = 30;
/** `runner_considered_dead_after_minutes` (storage-format.md 8). */
const DEAD_AFTER_SECONDS = 600;
/** `max_pending_seconds`. */
const MAX_PENDING_SECONDS = 5;
const SERVICE_RETENTION_SECONDS = 3600;

export class DemoApp {
  readonly writer: DemoWriter;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly triggers: Triggers;
  readonly runners: Runner[] = [];
  /** Messages and invocations that runners and recovery ignore: the story's exhibits. */
  readonly left = new Set<string>();
  /** How the next run of the atomic service fails, if at all. */
  nextServiceMishap: "abandoned" | "blocked" | null = null;
  readonly #tasks: ReadonlyMap<string, TaskSpec>;
  readonly #broker: BrokerSettings;
  readonly #serviceIntervalSeconds: number;
  #dispatches = 0;
  #started = 0;
  #served = 0;
  /** How often an invocation that has not ended was run: each run draws other numbers. */
  readonly #runs = new Map<string, number>();

  constructor(options: AppOptions) {
    this.writer = options.writer;
    this.scheduler = options.scheduler;
    this.random = options.random;
    this.#tasks = new Map(options.tasks.map((task) => [task.key, task]));
    this.#broker = options.writer.namedQueues ? (options.broker ?? ONE_QUEUE) : ONE_QUEUE;
    this.triggers = new Triggers(options.writer, options.triggers);
    this.#serviceIntervalSeconds = options.serviceIntervalSeconds;
  }

  get now(): EpochSeconds {
    return this.scheduler.now;
  }

  // Callers

  /** A process that only calls tasks, such as a web server. Its id consists of host and process id. */
  externalCaller(hostname: string, pid: number): string {
    const id = `ExternalRunner@${hostname}-${pid}`;
    this.#storeContext(id, "ExternalRunner", { hostname, pid }, null);
    return id;
  }

  /** Calls a task. The arguments are serialized, and externalised where large. @param random the caller's, for the id */
  call(task: string, args: Values, callerId: string, random: Random, parent?: InvocationRecord): InvocationRecord {
    return this.register(task, this.serialize(args), callerId, random, { parent });
  }

  serialize(values: Values): StoredValues {
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, this.writer.externalise(pythonJson(value), this.now)]),
    );
  }

  register(
    taskKey: string,
    args: StoredValues,
    callerId: string,
    random: Random,
    options: { parent?: InvocationRecord | undefined; parent_event_id?: string | null; enqueue?: boolean } = {},
  ): InvocationRecord {
    const task = this.#tasks.get(taskKey);
    const record = this.writer.register(
      {
        invocation_id: random.uuid(),
        task_id_key: taskKey,
        arguments: args,
        definesWorkflow: task?.workflow ?? false,
        indexArguments: task?.concurrency !== undefined,
        route: this.#routeOf(taskKey),
        ...options,
      },
      callerId,
      this.now,
    );
    this.triggers.statusChanged(record, "registered", this.now);
    if (options.enqueue !== false) this.#scheduleDispatch();
    return record;
  }

  emit(event_code: string, payload: Values, runner_id: string, random: Random, emitter?: InvocationRecord): void {
    const event_id = random.uuid();
    this.triggers.emit({ event_id, event_code, payload: this.serialize(payload), emitter, runner_id }, this.now);
  }

  // Status changes

  /** Changes the status of an invocation and notifies the triggers, as pynenc does after each change. */
  move(invocation: InvocationRecord, to: string, contextId: string): void {
    this.writer.moveStatus(invocation.invocation_id, to, contextId, this.now);
    this.triggers.statusChanged(invocation, to, this.now);
  }

  /** Puts it back into the queue of its task, whichever queue it was taken from. */
  requeue(invocation: InvocationRecord): void {
    this.enqueue(invocation);
    this.#scheduleDispatch();
  }

  /** Adds a message without waking a runner. */
  enqueue({ invocation_id, task_id_key }: InvocationRecord): void {
    this.writer.enqueue(invocation_id, this.now, this.#routeOf(task_id_key));
  }

  #routeOf(taskKey: string): Route {
    const task = this.#tasks.get(taskKey);
    const rule = decidingRule(this.#broker.priority_rules, taskKey);
    return {
      queue_name: task?.queue ?? DEFAULT_ROUTE.queue_name,
      priority: rule?.priority ?? task?.priority ?? DEFAULT_ROUTE.priority,
    };
  }

  // Runners

  startRunner(spec: RunnerSpec): Runner {
    const runner: Runner = {
      id: this.random.of(`runner ${++this.#started}`).uuid(),
      spec,
      alive: true,
      workers: [],
      executions: new Set(),
      nextQueue: 0,
    };
    this.#storeContext(runner.id, spec.cls, spec, null);
    this.writer.heartbeat(runner.id, this.now, true, spec.queues);
    const workers = WORKERS[spec.cls];
    for (let slot = 0; workers?.lasting && slot < spec.slots; slot++)
      runner.workers.push(this.#startWorker(runner, `worker ${slot}`, slot + 1));
    this.triggers.register();
    this.adoptRunner(runner);
    return runner;
  }

  /** Continues a runner that exists in the file. */
  adoptRunner(runner: Runner): void {
    this.runners.push(runner);
    this.scheduler.spawn(this.#beat(runner), HEARTBEAT_SECONDS);
  }

  /** Long-lived workers are separate processes; those created per invocation report the runner's process, as in real data. */
  #startWorker(runner: Runner, name: string, pidOffset = 0): string {
    const id = this.random.of(`${runner.id} ${name}`).uuid();
    const process = { hostname: runner.spec.hostname, pid: runner.spec.pid + pidOffset };
    this.#storeContext(id, WORKERS[runner.spec.cls]?.cls ?? runner.spec.cls, process, runner.id);
    this.writer.heartbeat(id, this.now, false, runner.spec.queues);
    return id;
  }

  #storeContext(
    runner_id: string,
    runner_cls: string,
    { hostname, pid }: { hostname: string; pid: number },
    parent_ctx_id: string | null,
  ): void {
    // A thread id above 2^32, as in CPython on Linux, and the same for the same process.
    const thread_id = 139_637_976_727_552 + pid * 4096;
    this.writer.storeRunnerContext({ runner_id, runner_cls, parent_ctx_id, pid, hostname, thread_id });
  }

  *#beat(runner: Runner): Steps {
    while (runner.alive) {
      const { queues } = runner.spec;
      this.writer.heartbeat(runner.id, this.now, true, queues);
      for (const worker of runner.workers) this.writer.heartbeat(worker, this.now, false, queues);
      yield HEARTBEAT_SECONDS;
    }
  }

  /** A clean shutdown: running invocations are killed and put back into the queue. */
  stopRunner(runner: Runner): void {
    this.crashRunner(runner);
    for (const execution of runner.executions) {
      const { invocation, contextId } = execution;
      const status = this.writer.statusOf(invocation.invocation_id)?.status ?? "";
      if (!["pending", "running", "paused"].includes(status)) continue;
      this.move(invocation, "killed", contextId);
      this.scheduler.after(0.003, () => this.#reroute(invocation, contextId));
    }
  }

  #reroute(invocation: InvocationRecord, contextId: string): void {
    // A purge may have happened in between.
    if (this.writer.statusOf(invocation.invocation_id) === null) return;
    this.move(invocation, "rerouted", contextId);
    this.requeue(invocation);
  }

  /** A power failure: it stops silently, and its running invocations stay unchanged until they are recovered. */
  crashRunner(runner: Runner): void {
    runner.alive = false;
    for (const execution of runner.executions) execution.stopped = true;
  }

  // Queue

  /** Starts a taker for every message that has none yet, because messages can also be added by others. */
  pump(): void {
    const waiting = this.#waiting(Number.POSITIVE_INFINITY).length;
    for (let missing = waiting - this.#dispatches; missing > 0; missing--) this.#scheduleDispatch();
  }

  /** Messages that may be taken. Undeclared queues have no consumers: no runner of the demo names one. */
  #waiting(until: EpochSeconds): Message[] {
    const { queues } = this.#broker;
    return this.writer
      .messages(until)
      .filter(({ invocation_id, queue_name }) => queues.includes(queue_name) && !this.left.has(invocation_id));
  }

  #scheduleDispatch(): void {
    this.#dispatches++;
    this.scheduler.spawn(this.#dispatch(), this.random.between(0.01, 0.4));
  }

  *#dispatch(): Steps {
    for (;;) {
      const waiting = this.#waiting(this.now);
      const slot = this.#freeSlot(waiting);
      if (slot || waiting.length === 0) {
        this.#dispatches--;
        if (slot) this.#takeNext(slot, waiting);
        return;
      }
      yield this.random.between(0.3, 1);
    }
  }

  #consumedBy(runner: Runner): readonly string[] {
    const own = this.writer.namedQueues ? (runner.spec.queues ?? []) : [];
    return own.length > 0 ? own : this.#broker.queues;
  }

  /** Takes the next message from the runner's queues in turn (`round_robin`). */
  #takeNext(slot: Slot, waiting: readonly Message[]): void {
    const { runner } = slot;
    const queues = this.#consumedBy(runner);
    for (let step = 0; step < queues.length; step++) {
      const at = (runner.nextQueue + step) % queues.length;
      const message = waiting.find(({ queue_name }) => queue_name === queues[at]);
      if (message === undefined) continue;
      this.writer.takeMessage(message);
      runner.nextQueue = (at + 1) % queues.length;
      this.#take(message.invocation_id, slot);
      return;
    }
  }

  /** Handles a taken message: stops its invocation by running concurrency control, or starts it. */
  #take(id: string, { runner, worker }: Slot): void {
    const invocation = this.writer.definitionOf(id);
    const status = this.writer.statusOf(id)?.status;
    // It was queued twice, or purged in the meantime.
    if (!invocation || status === undefined || !statusInfo(status).available) return;
    const task = this.#tasks.get(invocation.task_id_key);
    // `retry` cannot change to a concurrency-controlled status (storage-format.md 2.2).
    if (task?.concurrency && status !== "retry" && this.#isBusy(task)) {
      this.#stopByConcurrency(invocation, task.concurrency === "drop" && status === "registered", runner.id);
      return;
    }
    this.start(invocation, runner, worker);
  }

  /** Makes a runner the owner of the invocation and runs it. */
  start(invocation: InvocationRecord, runner: Runner, worker: string | null = runner.workers[0] ?? null): void {
    const id = invocation.invocation_id;
    const run = (this.#runs.get(id) ?? 0) + 1;
    this.#runs.set(id, run);
    const random = this.random.of(`${id} ${run}`);
    const contextId = worker ?? (WORKERS[runner.spec.cls] ? this.#startWorker(runner, `${id} ${run}`) : runner.id);
    const execution: Execution = { invocation, runner, contextId, random, waiting: false, stopped: false };
    runner.executions.add(execution);
    this.move(invocation, "pending", contextId);
    this.scheduler.spawn(this.#execute(execution), this.random.between(0.004, 0.09));
  }

  #isBusy(task: TaskSpec): boolean {
    return ["pending", "running", "paused"].some((status) =>
      this.writer
        .withStatus(status)
        .some((one) => this.writer.definitionOf(one.invocation_id)?.task_id_key === task.key),
    );
  }

  #stopByConcurrency(invocation: InvocationRecord, forGood: boolean, contextId: string): void {
    if (forGood) {
      this.move(invocation, "concurrency_controlled_final", contextId);
      return;
    }
    this.move(invocation, "concurrency_controlled", contextId);
    this.scheduler.after(this.random.between(0.3, 1.5), () => this.#reroute(invocation, contextId));
  }

  /** A free slot of a runner that consumes the queue of one of these messages. */
  #freeSlot(messages: readonly Message[]): Slot | null {
    const free = this.runners.filter(
      (runner) =>
        runner.alive &&
        occupied(runner) < runner.spec.slots &&
        messages.some(({ queue_name }) => this.#consumedBy(runner).includes(queue_name)),
    );
    if (free.length === 0) return null;
    const runner = this.random.pick(free);
    const busy = new Set([...runner.executions].map((execution) => execution.contextId));
    const idle = runner.workers.filter((worker) => !busy.has(worker));
    return { runner, worker: idle.length > 0 ? this.random.pick(idle) : (runner.workers[0] ?? null) };
  }

  // Execution

  *#execute(execution: Execution): Steps {
    const { invocation, contextId, runner } = execution;
    if (execution.stopped) return;
    if (!this.#stillOwned(execution)) {
      runner.executions.delete(execution);
      return;
    }
    const task = this.#tasks.get(invocation.task_id_key);
    this.writer.startRunning(invocation, contextId, this.now);
    this.triggers.statusChanged(invocation, "running", this.now);
    const run = new TaskRun(this, execution);
    try {
      const body = task ? task.body(run) : unknownTask(run);
      for (;;) {
        const step = body.next();
        if (step.done) {
          this.#report(execution, step.value);
          break;
        }
        yield step.value;
        // After a crash the execution is kept with the runner.
        if (execution.stopped) return;
        if (!this.#stillOwned(execution)) break;
      }
    } catch (error) {
      this.#reportError(execution, error, task?.maxRetries ?? 0);
    }
    runner.executions.delete(execution);
  }

  /** False if the row was purged or recovered by someone else: then this execution writes nothing more. */
  #stillOwned({ invocation, contextId }: Execution): boolean {
    return this.writer.statusOf(invocation.invocation_id)?.runner_id === contextId;
  }

  #report({ invocation, contextId }: Execution, result: PythonValue): void {
    this.#runs.delete(invocation.invocation_id);
    const stored = this.writer.succeed(invocation.invocation_id, pythonJson(result), contextId, this.now);
    this.triggers.statusChanged(invocation, "success", this.now);
    this.triggers.resultReported(invocation, stored, this.now);
  }

  #reportError({ invocation, contextId }: Execution, error: unknown, maxRetries: number): void {
    const retries = this.writer.statusOf(invocation.invocation_id)?.retry_count ?? 0;
    if (error instanceof RetryRequested && retries < maxRetries) {
      this.move(invocation, "retry", contextId);
      this.requeue(invocation);
      return;
    }
    this.#runs.delete(invocation.invocation_id);
    this.writer.fail(invocation.invocation_id, describeError(error), contextId, this.now);
    this.triggers.statusChanged(invocation, "failed", this.now);
    const { name, message } = error instanceof TaskError ? error : new Error("");
    this.triggers.exceptionReported(
      invocation,
      error instanceof RetryRequested ? "RetryError" : name,
      message,
      this.now,
    );
  }

  // Recovery, the bodies of pynenc's core tasks (storage-format.md 8)

  recoverPending(contextId: string): void {
    for (const due of this.writer.withStatus("pending")) {
      if (due.status_timestamp > this.now - MAX_PENDING_SECONDS) break;
      this.#recover(due.invocation_id, "pending_recovery", contextId);
    }
  }

  recoverRunning(contextId: string): void {
    const alive = this.writer.runnersSeenSince(this.now - DEAD_AFTER_SECONDS).map((runner) => runner.runner_id);
    for (const due of this.writer.withStatus("running")) {
      if (due.runner_id === null || alive.includes(due.runner_id)) continue;
      this.#recover(due.invocation_id, "running_recovery", contextId);
    }
  }

  #recover(id: string, status: string, contextId: string): void {
    const invocation = this.writer.definitionOf(id);
    if (!invocation || this.left.has(id)) return;
    this.move(invocation, status, contextId);
    this.scheduler.after(0.004, () => this.#reroute(invocation, contextId));
  }

  // Atomic service

  /** Runs the atomic service repeatedly, on the runner whose slot it is. */
  *service(until = Number.POSITIVE_INFINITY): Steps {
    for (;;) {
      yield this.#serviceIntervalSeconds * this.random.between(0.9, 1.1);
      if (this.now > until) return;
      const seen = this.writer.runnersSeenSince(this.now - DEAD_AFTER_SECONDS);
      const inTurn = runnerInTurn(
        this.now,
        seen.filter((one) => one.allow_to_run_atomic_service === 1),
      );
      const alive = this.runners.filter((runner) => runner.alive);
      // The turn of a runner that has just died is skipped.
      const runner = alive.find((one) => one.id === inTurn);
      if (runner) yield* this.#serve(runner, alive);
    }
  }

  *#serve(runner: Runner, eligible: readonly Runner[]): Steps {
    const ids = this.random.of(`service ${++this.#served}`);
    const run = { atomic_service_run_id: ids.uuid(), runner_id: runner.id };
    this.writer.heartbeat(runner.id, this.now, true, runner.spec.queues);
    if (!this.writer.startService(run, this.now)) return;
    const mishap = this.nextServiceMishap;
    this.nextServiceMishap = null;
    yield this.random.between(0.001, 0.004);
    if (mishap === "abandoned") {
      this.writer.finishService(run, this.now, "abandoned", "exception:OperationalError");
      return;
    }
    if (mishap === "blocked") {
      const rival = eligible.find((one) => one !== runner) ?? runner;
      this.writer.startService({ atomic_service_run_id: ids.uuid(), runner_id: rival.id }, this.now);
    }
    yield* this.triggers.loop(
      run,
      () => this.now,
      (call) =>
        this.register(call.task, call.arguments, call.runnerId, this.random.of(call.cause), {
          parent_event_id: call.eventId,
        }).invocation_id,
    );
    yield this.random.between(0.001, 0.004);
    this.writer.finishService(run, this.now);
    this.writer.purgeServiceRuns(this.now - SERVICE_RETENTION_SECONDS, this.triggers.referencedServiceRuns);
  }
}

function occupied(runner: Runner): number {
  return [...runner.executions].filter((execution) => !execution.waiting).length;
}

function* unknownTask(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.2, 2);
  return null;
}

function describeError(error: unknown): { name: string; pynencError: boolean; data: string } {
  if (error instanceof TaskError) return { name: error.name, pynencError: false, data: error.data };
  if (error instanceof RetryRequested) return { name: "RetryError", pynencError: true, data: "{}" };
  // Any other error is a defect of the demo, not raised by a task.
  throw error;
}

/** The interface for the code of a running task. */
export class TaskRun {
  readonly app: DemoApp;
  readonly #execution: Execution;

  constructor(app: DemoApp, execution: Execution) {
    this.app = app;
    this.#execution = execution;
  }

  get random(): Random {
    return this.#execution.random;
  }

  get invocation(): InvocationRecord {
    return this.#execution.invocation;
  }

  get contextId(): string {
    return this.#execution.contextId;
  }

  /** 0 for the first attempt. */
  get attempt(): number {
    return this.app.writer.statusOf(this.invocation.invocation_id)?.retry_count ?? 0;
  }

  /** An argument as text; empty if missing or not plain JSON. */
  text(name: string): string {
    const value = parsedOrNull((JSON.parse(this.invocation.serialized_arguments) as StoredValues)[name]);
    return String(value ?? "");
  }

  number(name: string): number {
    const value = Number(this.text(name));
    return Number.isFinite(value) ? value : 0;
  }

  *work(low: number, high: number): Steps {
    yield this.random.between(low, high);
  }

  /** Calls another task. Inside of a workflow the call is recorded, so that a replay finds the same invocation. */
  call(task: string, args: Values = {}): InvocationRecord {
    const child = this.app.call(task, args, this.contextId, this.random, this.invocation);
    const workflow = this.invocation.workflow_id;
    if (workflow === this.invocation.invocation_id) {
      this.set(`task_invocation:${child.call_id_key}`, child.invocation_id);
    }
    return child;
  }

  /** Waits until all are final and returns the statuses. With `pause` the thread is released meanwhile. */
  *wait(children: readonly InvocationRecord[], { pause = false } = {}): Steps<string[]> {
    const { writer } = this.app;
    const own = this.invocation.invocation_id;
    const isFinal = (id: string) => statusInfo(writer.statusOf(id)?.status ?? "success").final;
    const open = children.filter((child) => !isFinal(child.invocation_id));
    for (const child of open) writer.block(own, child.invocation_id, this.app.now);
    if (pause && open.length > 0) this.app.move(this.invocation, "paused", this.contextId);
    this.#execution.waiting = true;
    while (children.some((child) => !isFinal(child.invocation_id))) yield 0.25;
    this.#execution.waiting = false;
    if (pause && open.length > 0) this.app.move(this.invocation, "running", this.contextId);
    return children.map((child) => writer.statusOf(child.invocation_id)?.status ?? "");
  }

  emit(code: string, payload: Values): void {
    this.app.emit(code, payload, this.contextId, this.random, this.invocation);
  }

  // Workflow data (storage-format.md 3.4)

  set(key: string, value: PythonValue): void {
    const workflow = this.invocation.workflow_id;
    if (workflow !== null) this.app.writer.setWorkflowData(workflow, key, pythonJson(value), this.app.now);
  }

  /** The deterministic helpers of a workflow, each used `count` times. */
  useDeterministicHelpers(count: number): void {
    const base = this.app.now;
    this.set("workflow:base_time", isoFromEpoch(base));
    for (let n = 1; n <= count; n++) {
      this.set(`random:${n}`, this.random.next());
      this.set(`time:${n}`, isoFromEpoch(base + n));
      this.set(`uuid:${n}`, this.random.uuid());
    }
    for (const kind of ["random", "time", "uuid"]) this.set(`counter:${kind}`, count);
  }
}

function parsedOrNull(stored: string | undefined): unknown {
  if (stored === undefined) return null;
  try {
    return JSON.parse(stored);
  } catch {
    // A reference, NaN, or another serializer's text.
    return null;
  }
}
