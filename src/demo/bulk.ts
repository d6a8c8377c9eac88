import { historyJson } from "../pynenc/history-json.ts";
import { argumentsId, callKey } from "../pynenc/identifiers.ts";
import type { InvocationRecord } from "../pynenc/records.ts";
import { statusInfo } from "../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch, toMicros } from "../pynenc/time.ts";
import { checkTransition } from "../pynenc/transitions.ts";
import type { Connection } from "../stores/sqlite/file/connection.ts";
import { inImmediateTransaction } from "../stores/sqlite/file/driver.ts";
import {
  BROKER,
  BULK_EXCEPTION,
  CONSUMED,
  DURATIONS,
  EVENT_CODES,
  pickLife,
  routeOf,
  TASKS,
  WAITING,
} from "./bulk-app.ts";
import { createRandom, type Random } from "./story/random.ts";
import { publishedBroker, SHOP_MODULE } from "./story/story.ts";
import { eventContext, onEvent, type ValidCondition, validCondition } from "./writer/conditions.ts";
import type { TriggerDefinition } from "./writer/operations.ts";
import { createSchema, dropIndexes } from "./writer/schema.ts";
import type { DemoWriter } from "./writer/writer.ts";

export interface BulkOptions {
  readonly invocations: number;
  /** Current time of the data; nothing happens after it. */
  readonly now: EpochSeconds;
  readonly seed: number;
}

const SPAN_SECONDS = 7 * 86_400;

/** Invocations come in bursts, so that members of a family are alive at the same time. */
const BURST = 12;

/** Limit of invocations that still wait in the queue at the end; at most one in a hundred does. */
const BACKLOG = 60;

const BACKLOG_SECONDS = 20;

/** One in this many invocations is triggered by an event, and one in this many emits an event that satisfies no condition. */
const TRIGGER_RUN_EVERY = 20;

/** Share of roots that define a workflow; their children are its members. */
const WORKFLOW_SHARE = 0.015;

const CHILD_SHARE = 0.5;

const HISTORY_DELAY = 0.000_087;

/** Invocations between two yields: small enough that commands to a server are released before the garbage collector promotes them. */
const BATCH = 2_000;

const RUNNERS = 30;

const ARGUMENT_VALUES = 5_000;

interface Step {
  readonly at: EpochSeconds;
  readonly status: string;
  readonly owner: string | null;
  readonly actor: string;
}

/** An invocation with everything that happens to it until `now`. */
interface Plan {
  readonly record: InvocationRecord;
  readonly steps: readonly Step[];
}

interface Moment {
  readonly at: EpochSeconds;
  readonly plan: Plan;
  readonly step: Step;
}

/**
 * Writes many invocations fast, with proportional families, workflows, events and trigger runs, spread over the seven days before `now`. Rows are
 * inserted in time order. The file should contain only this app: journaling is off while writing, so a crash ruins it. Afterwards it is in WAL mode
 * and checkpointed, as pynenc leaves it.
 */
export function writeBulk(writer: DemoWriter, options: BulkOptions): void {
  const { db } = writer;
  writeWithoutJournal(db);
  db.pragma("synchronous = OFF");
  // In KiB, used as needed: keys are random, so the complete index of the history should stay in memory.
  db.pragma("cache_size = -1048576");
  dropIndexes(db, writer.appId, writer.layout, ["orchestrator_invocations", "state_backend_invocations"]);
  // One transaction: keys are random, so each commit would write most pages of the indexes again.
  try {
    inImmediateTransaction(db, () => {
      for (const _ of bulkBatches(writer, options));
    });
  } finally {
    createSchema(db, writer.appId, writer.layout);
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma("cache_size = -2000");
    db.pragma("wal_checkpoint(TRUNCATE)");
  }
}

function writeWithoutJournal(db: Connection): void {
  try {
    db.pragma("journal_mode = OFF");
  } catch (error) {
    // A monitor has the file open, so the WAL remains. That is slower but works as well.
    if (!(error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")) throw error;
  }
}

/** Writes batch by batch and yields the number of invocations written so far. */
export function bulkBatches(writer: DemoWriter, options: BulkOptions): Iterable<number> {
  return new Bulk(writer, options).batches();
}

class Bulk {
  readonly #writer: DemoWriter;
  readonly #options: BulkOptions;
  readonly #random: Random;
  readonly #backlog: number;
  readonly #runners: string[] = [];
  readonly #triggers: TriggerDefinition[] = [];
  /** History entries that belong after future registrations. */
  #later: Moment[] = [];
  /** The current burst, oldest first. */
  #burst: Plan[] = [];
  readonly #argumentIds: string[] = [];

  constructor(writer: DemoWriter, options: BulkOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#random = createRandom(options.seed, "bulk");
    this.#backlog = Math.min(BACKLOG, Math.floor(options.invocations / 100));
  }

  *batches(): Generator<number, void, void> {
    const { invocations } = this.#options;
    this.#prepareApp();
    for (let first = 0; first < invocations; first += BATCH) {
      const end = Math.min(first + BATCH, invocations);
      for (let index = first; index < end; index++) this.#next(index);
      this.#writeHistoryUntil(end === invocations ? Number.POSITIVE_INFINITY : this.#registrationTime(end));
      yield end;
    }
  }

  #prepareApp(): void {
    const writer = this.#writer;
    const random = this.#random;
    const start = this.#registrationTime(0);
    writer.describeApp(SHOP_MODULE, writer.namedQueues ? { broker: publishedBroker(BROKER) } : null);
    for (let n = 0; n < RUNNERS; n++) {
      const runner_id = random.uuid();
      this.#runners.push(runner_id);
      const hostname = `worker-${1 + (n % 6)}`;
      const context = {
        runner_id,
        runner_cls: "ThreadRunner",
        parent_ctx_id: null,
        pid: 4000 + n,
        hostname,
        thread_id: 139_637_976_727_552 + n,
      };
      writer.storeRunnerContext(context);
      const queues = CONSUMED[n % CONSUMED.length];
      writer.heartbeat(runner_id, start, true, queues);
      // Two thirds of them are alive at the end.
      writer.heartbeat(
        runner_id,
        n % 3 === 0 ? this.#options.now - 7200 : this.#options.now - random.between(0, 30),
        true,
        queues,
      );
    }
    for (const [index, code] of EVENT_CODES.entries()) {
      const task = TASKS[index * 7] as string;
      const conditions = [onEvent(code)];
      this.#triggers.push(
        writer.defineTrigger({ task_id_key: task, logic: "and", conditions, argument_provider_json: null }),
      );
    }
    for (let n = 0; n < ARGUMENT_VALUES; n++) this.#argumentIds.push(argumentsId({ n: String(n) }));
  }

  /** Bursts are evenly spread; within one, invocations follow each other closely. The backlog is registered in the last seconds. */
  #registrationTime(index: number): EpochSeconds {
    const { invocations, now } = this.#options;
    const spacing = (SPAN_SECONDS * BURST) / invocations;
    if (this.#isBacklog(index)) {
      const seconds = Math.min(BACKLOG_SECONDS, (spacing * this.#backlog) / BURST);
      return now - (seconds * (invocations - index)) / this.#backlog;
    }
    const within = Math.min(0.4, spacing / BURST);
    return now - SPAN_SECONDS + Math.floor(index / BURST) * spacing + (index % BURST) * within;
  }

  #isBacklog(index: number): boolean {
    return index >= this.#options.invocations - this.#backlog;
  }

  #next(index: number): void {
    const at = this.#registrationTime(index);
    if (index % BURST === 0) this.#burst = [];
    // The event of one index triggers the invocation of the next, as if a trigger loop had run in between.
    const triggered = index % TRIGGER_RUN_EVERY === 1 && index > 1;
    const waits = this.#isBacklog(index);
    if (!triggered) {
      this.#begin(this.#plan(at, this.#random.pick(TASKS), this.#runningAt(at), null, waits));
      if (index % TRIGGER_RUN_EVERY === 11) this.#emitEvent(at);
      return;
    }
    const trigger = this.#random.pick(this.#triggers);
    const valid = this.#emitEvent(at, trigger);
    const plan = this.#plan(at + 0.002, trigger.task_id_key, null, valid.context.event_id, waits);
    this.#begin(plan);
    this.#recordRun(trigger, valid, plan.record.invocation_id, at);
  }

  /** A member of the burst that is running at that time, to act as parent or emitter. */
  #runningAt(at: EpochSeconds): Plan | null {
    if (this.#burst.length === 0 || !this.#random.chance(CHILD_SHARE)) return null;
    const candidate = this.#random.pick(this.#burst);
    const current = candidate.steps.findLast((step) => step.at <= at);
    return current?.status === "running" ? candidate : null;
  }

  #plan(at: EpochSeconds, task: string, parent: Plan | null, eventId: string | null, waits: boolean): Plan {
    const random = this.#random;
    const id = random.uuid();
    const value = random.int(0, ARGUMENT_VALUES - 1);
    const args = this.#argumentIds[value] as string;
    const mayDefineWorkflow = parent === null && eventId === null && random.chance(WORKFLOW_SHARE);
    // Until 0.2.4 every root invocation is a workflow of its own (storage-format.md 1.3).
    const definesWorkflow = mayDefineWorkflow || (this.#writer.layout === "0.2.3" && parent === null);
    const record: InvocationRecord = {
      invocation_id: id,
      call_id_key: callKey(task, args),
      task_id_key: task,
      arguments_id: args,
      serialized_arguments: `{"n": "${value}"}`,
      parent_invocation_id: parent?.record.invocation_id ?? null,
      parent_event_id: eventId,
      workflow_id: definesWorkflow ? id : (parent?.record.workflow_id ?? null),
      workflow_type_key: definesWorkflow ? task : (parent?.record.workflow_type_key ?? null),
      parent_workflow_id: null,
    };
    return { record, steps: this.#live(at, parent, waits ? WAITING : pickLife(random.next())) };
  }

  #live(start: EpochSeconds, parent: Plan | null, life: readonly string[]): Step[] {
    const random = this.#random;
    const options = this.#options;
    const steps: Step[] = [];
    let at = start;
    let runner = random.pick(this.#runners);
    let state: { status: string; runner_id: string | null } | null = null;
    for (const status of life) {
      if (at > options.now) break;
      // Recovery and later changes are made by another runner; a child is registered by its parent's runner.
      if (status === "running_recovery") runner = random.pick(this.#runners);
      const actor = status === "registered" && parent ? (parent.steps.at(-1)?.actor ?? runner) : runner;
      state = checkTransition(state, status, actor);
      steps.push({ at: toMicros(at), status, owner: state.runner_id, actor });
      const [low, high] = DURATIONS[status] ?? [0, 0];
      at += random.between(low, high);
    }
    return steps;
  }

  #begin(plan: Plan): void {
    this.#burst.push(plan);
    const { record, steps } = plan;
    const last = steps.at(-1) as Step;
    const retries = steps.reduce((count, step) => count + (step.status === "retry" ? 1 : 0), 0);
    const purgeClock = statusInfo(last.status).final ? toMicros(last.at + HISTORY_DELAY) : null;
    this.#writer.add("state_backend_invocations", { ...record, parent_call_id: null });
    const { invocation_id, task_id_key, call_id_key } = record;
    this.#writer.add("orchestrator_invocations", {
      invocation_id,
      task_id_key,
      call_id_key,
      status: last.status,
      status_runner_id: last.owner,
      status_timestamp: last.at,
      retry_count: retries,
      auto_purge_timestamp: purgeClock,
      registered_at: steps[0]?.at ?? last.at,
    });
    for (const step of steps) this.#later.push({ at: step.at, plan, step });
    if (statusInfo(last.status).available) this.#writer.enqueue(invocation_id, last.at, routeOf(task_id_key));
  }

  /** Writes history in time order, up to the earliest possible time of a future registration. */
  #writeHistoryUntil(end: EpochSeconds): void {
    this.#later.sort((left, right) => left.at - right.at);
    let index = 0;
    for (let moment = this.#later[0]; moment !== undefined && moment.at < end; moment = this.#later[++index])
      this.#happen(moment);
    this.#later = this.#later.slice(index);
  }

  #happen({ plan: { record }, step }: Moment): void {
    const { invocation_id } = record;
    const history_timestamp = toMicros(step.at + HISTORY_DELAY);
    const parent = step.status === "registered" ? record.parent_invocation_id : null;
    const history_json = historyJson(
      invocation_id,
      step.status,
      step.owner,
      step.actor,
      isoFromEpoch(step.at),
      isoFromEpoch(history_timestamp),
      parent,
    );
    const history = { invocation_id, history_timestamp, history_status: step.status, history_json };
    this.#writer.add("state_backend_history", history);
    if (step.status === "running" && record.workflow_id !== null) this.#writer.recordWorkflowStart(record);
    if (step.status === "success")
      this.#writer.add("state_backend_results", { invocation_id, result_data: '{"ok": true}' });
    if (step.status === "failed") this.#writer.recordException(invocation_id, BULK_EXCEPTION);
  }

  #emitEvent(at: EpochSeconds): void;
  #emitEvent(at: EpochSeconds, trigger: TriggerDefinition): ValidCondition;
  #emitEvent(at: EpochSeconds, trigger?: TriggerDefinition): ValidCondition | undefined {
    const condition = trigger?.conditions[0];
    const event_id = this.#random.uuid();
    const event_code = condition?.source ?? "cache.refreshed";
    const payload = { n: String(this.#random.int(0, 999)) };
    const valid = condition && validCondition(condition, eventContext(event_id, event_code, payload, at));
    const emitter = this.#runningAt(at);
    const runner_id = emitter?.steps.at(-1)?.actor ?? (this.#runners[0] as string);
    const matches = valid ? [valid] : [];
    this.#writer.recordEvent({ event_id, event_code, payload, matches, emitter: emitter?.record, runner_id }, at);
    return valid;
  }

  #recordRun(trigger: TriggerDefinition, valid: ValidCondition, invocationId: string, at: EpochSeconds): void {
    const service = { atomic_service_run_id: this.#random.uuid(), runner_id: this.#random.pick(this.#runners) };
    this.#writer.startService(service, at + 0.001);
    this.#writer.recordTriggerRun({
      trigger,
      participants: [valid],
      triggered_invocation_id: invocationId,
      claimed_at: at + 0.0015,
      executed_at: at + 0.003,
      service,
    });
    this.#writer.clearValidCondition(valid.valid_condition_id);
    this.#writer.finishService(service, at + 0.004);
  }
}
