import type { SlotRunner } from "../../pynenc/atomic-slots.ts";
import { historyJson } from "../../pynenc/history-json.ts";
import { argumentsId, callKey, clientDataKey, triggerId, triggerRunId } from "../../pynenc/identifiers.ts";
import { type PythonValue, pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { registration } from "../../pynenc/registration.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch, julianDayFromEpoch, toMicros } from "../../pynenc/time.ts";
import { checkTransition } from "../../pynenc/transitions.ts";
import type { Bind, Connection, Statement } from "../../stores/sqlite/file/connection.ts";
import type { Condition, StoredValues, ValidCondition } from "./conditions.ts";
import {
  createSchema,
  type Layout,
  NEWEST_LAYOUT,
  type TableKey,
  tableColumns,
  tableKeys,
  tableName,
} from "./schema.ts";

/** A call to be registered. */
export interface NewInvocation {
  readonly invocation_id: string;
  readonly task_id_key: string;
  /** Stored strings: already serialized and, where large, externalised. */
  readonly arguments: StoredValues;
  /** The invocation whose code makes the call. */
  readonly parent?: InvocationRecord | undefined;
  /** First event of the trigger run that makes the call. */
  readonly parent_event_id?: string | null;
  /** The task is an `@app.workflow`. */
  readonly definesWorkflow?: boolean;
  /** The task uses concurrency control, so its arguments are indexed. */
  readonly indexArguments?: boolean;
  /** Put it into the queue; true unless said otherwise. */
  readonly enqueue?: boolean;
  /** Where its message goes; the default queue unless said otherwise. */
  readonly route?: Route;
}

/** Queue and priority of a message; layouts before 0.4.0 keep neither. */
export interface Route {
  readonly queue_name: string;
  /** From -100 to 100; greater is taken sooner. */
  readonly priority: number;
}

/** What pynenc gives to a task without settings of its own. */
export const DEFAULT_ROUTE: Route = { queue_name: "default", priority: 0 };

/** A runner as the store has it, with the queues that it is set to take from; none are every declared one. */
export interface SeenRunner extends RunnerContextRecord {
  readonly queues: readonly string[];
}

export interface TriggerDefinition {
  readonly trigger_id: string;
  readonly task_id_key: string;
  readonly logic: "and" | "or";
  readonly conditions: readonly Condition[];
  readonly argument_provider_json: string | null;
}

/** An emitted event with the conditions that it met. */
export interface EmittedEvent {
  readonly event_id: string;
  readonly event_code: string;
  readonly payload: StoredValues;
  readonly matches: readonly ValidCondition[];
  /** Invocation whose code emitted it; absent for code outside of any. */
  readonly emitter?: InvocationRecord | undefined;
  readonly runner_id: string;
}

/** A run of the trigger loop inside one run of the atomic service. */
export interface ServiceRun {
  readonly atomic_service_run_id: string;
  readonly runner_id: string;
}

export interface TriggerRun {
  readonly trigger: TriggerDefinition;
  readonly participants: readonly ValidCondition[];
  readonly triggered_invocation_id: string;
  readonly claimed_at: EpochSeconds;
  readonly executed_at: EpochSeconds;
  readonly service: ServiceRun;
}

/** An exception as it is stored (storage-format.md 4.5). */
export interface StoredException {
  readonly name: string;
  /** An error of pynenc itself. */
  readonly pynencError: boolean;
  /** Stored string of the exception object, or pynenc's own dictionary for its errors. */
  readonly data: string;
}

export interface StoredStatus {
  readonly status: string;
  readonly runner_id: string | null;
}

/** Serialized texts of at least so many characters are externalised (storage-format.md 4.6). */
const MIN_SIZE_TO_CACHE = 1024;
/** pynenc writes the history a moment after the status it records (storage-format.md 3.4). */
const HISTORY_DELAY = 0.000_087;
/** A trigger run claim lasts so long (storage-format.md 3.6). */
const CLAIM_SECONDS = 60;

/** Columns of one table and their values. What the layout has no column for is left out. */
export type Row = Readonly<Record<string, Bind>>;

/**
 * Writes the rows of one app as pynenc writes them in a layout: each method is one operation of pynenc with all the rows that it leaves. It
 * creates the schema like pynenc's components do. Columns and tables that a layout lacks are left out. Instants are epoch seconds;
 * the writer never asks for the time. Transactions are the caller's.
 */
export class DemoWriter {
  readonly db: Connection;
  readonly appId: string;
  /** As the app's configuration names it. */
  readonly brokerClass: string = "SQLiteBroker";
  readonly layout: Layout;
  /** Queues have names and messages priorities. */
  readonly namedQueues: boolean;
  private readonly tables: Readonly<Record<TableKey, string>>;
  private readonly columns: Readonly<Record<TableKey, readonly string[]>>;
  private readonly statements = new Map<string, Statement>();

  constructor(db: Connection, appId: string, layout: Layout = NEWEST_LAYOUT) {
    this.db = db;
    this.appId = appId;
    this.layout = layout;
    createSchema(db, appId, layout);
    this.tables = perTable((key) => tableName(appId, key));
    this.columns = perTable((key) => tableColumns(key, layout));
    this.namedQueues = this.columns.broker_message_queue.includes("queue_name");
  }

  /** A writer of another app in the same place. */
  forApp(appId: string): DemoWriter {
    return new DemoWriter(this.db, appId, this.layout);
  }

  // App and runners

  /** The row by which monitors discover an app. */
  describeApp(module: string, configValues: Readonly<Record<string, PythonValue>> | null = null): void {
    const info = {
      app_id: this.appId,
      config_values: configValues,
      config_filepath: null,
      module,
      module_filepath: moduleFile(module),
      app_variable: "app",
    };
    this.insert("state_backend_app_info", "REPLACE", { app_id: this.appId, app_info_json: pythonJson(info) });
  }

  storeRunnerContext(context: RunnerContextRecord): void {
    this.insert("state_backend_runner_contexts", "IGNORE", { ...context });
  }

  /** @param queues those that the runner, or the parent of a child runner, is set to take from; none are every declared one. */
  heartbeat(runnerId: string, at: EpochSeconds, mayRunAtomicService: boolean, queues: readonly string[] = []): void {
    const [column, mark, update] = this.namedQueues
      ? [", consumed_queues", ", ?", ", consumed_queues = excluded.consumed_queues"]
      : ["", "", ""];
    this.run(
      `INSERT INTO ${this.table("orchestrator_runner_heartbeats")}
         (runner_id, creation_timestamp, allow_to_run_atomic_service, last_heartbeat${column}) VALUES (?, ?, ?, ?${mark})
       ON CONFLICT (runner_id) DO UPDATE SET
         allow_to_run_atomic_service = excluded.allow_to_run_atomic_service, last_heartbeat = excluded.last_heartbeat${update}`,
      runnerId,
      toMicros(at),
      mayRunAtomicService ? 1 : 0,
      toMicros(at),
      ...(this.namedQueues ? [pythonJson([...queues])] : []),
    );
  }

  /** Instant of the last heartbeat, or null when the runner never sent one. */
  lastHeartbeat(runnerId: string): EpochSeconds | null {
    const row = this.statement(
      `SELECT last_heartbeat FROM ${this.table("orchestrator_runner_heartbeats")} WHERE runner_id = ?`,
    ).get(runnerId) as { last_heartbeat: number } | undefined;
    return row?.last_heartbeat ?? null;
  }

  /** Contexts with a heartbeat since an instant, in order of their first one. */
  runnersSeenSince(since: EpochSeconds): SeenRunner[] {
    const rows = this.statement(
      `SELECT c.*, ${this.namedQueues ? "h.consumed_queues" : "'[]'"} AS queues
       FROM ${this.table("state_backend_runner_contexts")} c
       JOIN ${this.table("orchestrator_runner_heartbeats")} h ON h.runner_id = c.runner_id
       WHERE h.last_heartbeat >= ? ORDER BY h.creation_timestamp, c.runner_id`,
    ).all(since) as (RunnerContextRecord & { queues: string })[];
    return rows.map((row) => ({ ...row, queues: JSON.parse(row.queues) as string[] }));
  }

  /** Runners that take turns in the atomic service and sent a heartbeat since an instant. */
  serviceRunners(since: EpochSeconds): SlotRunner[] {
    return this.statement(
      `SELECT runner_id, creation_timestamp FROM ${this.table("orchestrator_runner_heartbeats")}
       WHERE last_heartbeat >= ? AND allow_to_run_atomic_service = 1`,
    ).all(since) as SlotRunner[];
  }

  // Invocations

  /** Registers a call: definition, status, history, message and argument index, in pynenc's order (storage-format.md 7.4). */
  register(call: NewInvocation, runnerId: string, at: EpochSeconds): InvocationRecord {
    const args = argumentsId(call.arguments);
    const record: InvocationRecord = {
      invocation_id: call.invocation_id,
      call_id_key: callKey(call.task_id_key, args),
      task_id_key: call.task_id_key,
      arguments_id: args,
      serialized_arguments: pythonJson(call.arguments),
      parent_invocation_id: call.parent?.invocation_id ?? null,
      parent_event_id: call.parent_event_id ?? null,
      ...this.workflowOf(call),
    };
    this.insert("state_backend_invocations", "ABORT", { ...record, parent_call_id: null });
    const { status, history } = registration(record, runnerId, at, at + HISTORY_DELAY);
    this.insert("orchestrator_invocations", "ABORT", { ...status });
    this.insert("state_backend_history", "ABORT", {
      invocation_id: record.invocation_id,
      history_timestamp: history.timestamp,
      history_status: history.status,
      history_json: history.json,
    });
    if (call.enqueue !== false) this.enqueue(record.invocation_id, at, call.route);
    if (call.indexArguments) this.indexArguments(record, call.arguments);
    return record;
  }

  /** Whether a workflow task starts a workflow of its own, and what an ordinary call inherits (storage-format.md 1.3). */
  private workflowOf(
    call: NewInvocation,
  ): Pick<InvocationRecord, "workflow_id" | "workflow_type_key" | "parent_workflow_id"> {
    const { parent } = call;
    // Until 0.2.4 every root invocation is a workflow of its own.
    if (call.definesWorkflow || (this.layout === "0.2.3" && !parent)) {
      return {
        workflow_id: call.invocation_id,
        workflow_type_key: call.task_id_key,
        parent_workflow_id: parent?.workflow_id ?? null,
      };
    }
    return {
      workflow_id: parent?.workflow_id ?? null,
      workflow_type_key: parent?.workflow_type_key ?? null,
      parent_workflow_id: parent?.parent_workflow_id ?? null,
    };
  }

  private indexArguments({ invocation_id, task_id_key }: InvocationRecord, args: StoredValues): void {
    for (const [key, value] of Object.entries(args)) {
      this.insert("orchestrator_invocation_args", "REPLACE", {
        invocation_id,
        task_id_key,
        arg_key: key,
        arg_value: value,
      });
    }
  }

  /** Current status, or null when there is none: never registered, or purged. */
  statusOf(invocationId: string): StoredStatus | null {
    const row = this.statement(
      `SELECT status, status_runner_id AS runner_id FROM ${this.table("orchestrator_invocations")} WHERE invocation_id = ?`,
    ).get(invocationId);
    return (row as StoredStatus | undefined) ?? null;
  }

  /** How often it was sent back to be tried again. */
  retryCount(invocationId: string): number {
    const row = this.statement(
      `SELECT retry_count FROM ${this.table("orchestrator_invocations")} WHERE invocation_id = ?`,
    ).get(invocationId) as { retry_count: number } | undefined;
    return row?.retry_count ?? 0;
  }

  /** Definition as stored, or null. */
  definitionOf(invocationId: string): InvocationRecord | null {
    const row = this.statement(`SELECT * FROM ${this.table("state_backend_invocations")} WHERE invocation_id = ?`).get(
      invocationId,
    );
    return (row as InvocationRecord | undefined) ?? null;
  }

  /** Invocations with a status, oldest change first. */
  withStatus(status: string): { invocation_id: string; runner_id: string | null; status_timestamp: EpochSeconds }[] {
    return this.statement(
      `SELECT invocation_id, status_runner_id AS runner_id, status_timestamp
       FROM ${this.table("orchestrator_invocations")} WHERE status = ? ORDER BY status_timestamp, invocation_id`,
    ).all(status) as { invocation_id: string; runner_id: string | null; status_timestamp: EpochSeconds }[];
  }

  /**
   * Moves an invocation on. Throws what `checkTransition` throws when the move is not allowed; then nothing is written.
   * Entering `retry` counts, entering a final status starts the retention clock and frees those that wait.
   */
  moveStatus(invocationId: string, to: string, runnerId: string, at: EpochSeconds): void {
    const next = checkTransition(this.statusOf(invocationId), to, runnerId);
    const final = statusInfo(to).final;
    this.run(
      `UPDATE ${this.table("orchestrator_invocations")}
       SET status = ?, status_runner_id = ?, status_timestamp = ?, retry_count = retry_count + ?, auto_purge_timestamp = ?
       WHERE invocation_id = ?`,
      to,
      next.runner_id,
      toMicros(at),
      to === "retry" ? 1 : 0,
      final ? toMicros(at + HISTORY_DELAY) : null,
      invocationId,
    );
    this.recordHistory(invocationId, to, next.runner_id, runnerId, at);
    if (final) this.remove("orchestrator_blocking_edges", "waited_id", invocationId);
  }

  private recordHistory(
    invocationId: string,
    status: string,
    owner: string | null,
    actor: string,
    at: EpochSeconds,
  ): void {
    const written = toMicros(at + HISTORY_DELAY);
    this.insert("state_backend_history", "ABORT", {
      invocation_id: invocationId,
      history_timestamp: written,
      history_status: status,
      history_json: historyJson(invocationId, status, owner, actor, isoFromEpoch(at), isoFromEpoch(written), null),
    });
  }

  /** The runner starts the code: status, and the workflow rows, which pynenc writes only now (storage-format.md 3.4). */
  startRunning(invocation: InvocationRecord, runnerId: string, at: EpochSeconds): void {
    this.moveStatus(invocation.invocation_id, "running", runnerId, at);
    this.recordWorkflowStart(invocation);
  }

  /** Makes a workflow known, or its member: only invocations that started are found there. */
  recordWorkflowStart(invocation: InvocationRecord): void {
    const { workflow_id, workflow_type_key, parent_workflow_id } = invocation;
    if (workflow_id === null || workflow_type_key === null) return;
    const definesIt = workflow_id === invocation.invocation_id;
    if (definesIt) {
      // Here "no parent" is the empty string, in the invocation row it is NULL.
      const parent = parent_workflow_id ?? "";
      this.insert("state_backend_workflows", "IGNORE", { workflow_id, workflow_type_key, parent_workflow_id: parent });
    }
    const memberOf = definesIt ? parent_workflow_id : workflow_id;
    if (memberOf !== null) {
      this.insert("state_backend_workflow_sub_invocations", "IGNORE", {
        parent_workflow_id: memberOf,
        sub_invocation_id: invocation.invocation_id,
      });
    }
  }

  /** Result first, then the status: a reader never sees `success` without a result. Returns the stored string. */
  succeed(invocationId: string, result: string, runnerId: string, at: EpochSeconds): string {
    const stored = this.externalise(result, at);
    this.insert("state_backend_results", "REPLACE", { invocation_id: invocationId, result_data: stored });
    this.moveStatus(invocationId, "success", runnerId, at);
    return stored;
  }

  /** Exception first, then the status. */
  fail(invocationId: string, exception: StoredException, runnerId: string, at: EpochSeconds): void {
    const data = exception.pynencError ? exception.data : this.externalise(exception.data, at);
    this.recordException(invocationId, { ...exception, data });
    this.moveStatus(invocationId, "failed", runnerId, at);
  }

  recordException(invocationId: string, { name, pynencError, data }: StoredException): void {
    this.insert("state_backend_exceptions", "REPLACE", {
      invocation_id: invocationId,
      exception_data: pythonJson({ error_name: name, pynenc_error: pynencError, error_data: data }),
    });
  }

  /** `waiter` waits for the result of `waited`. */
  block(waiterId: string, waitedId: string, at: EpochSeconds): void {
    this.insert("orchestrator_blocking_edges", "IGNORE", { waiter_id: waiterId, waited_id: waitedId, since: at });
  }

  // Queue

  enqueue(invocationId: string, at: EpochSeconds, { queue_name, priority }: Route = DEFAULT_ROUTE): void {
    this.insert("broker_message_queue", "ABORT", {
      invocation_id: invocationId,
      queue_name,
      priority,
      created_at: julianDayFromEpoch(at),
    });
  }

  /**
   * Takes the message of a queue whose turn it is, of those that were put by now and are not left lying, or null: the highest priority first,
   * then the oldest. Others put messages too (a rerun), between two ticks of the demo: those lie ahead of its own present.
   *
   * @param queue where queues have no names, all messages are in this one
   */
  takeMessage(queue: string, leave: ReadonlySet<string>, now: EpochSeconds): string | null {
    const [inQueue, urgent] = this.namedQueues ? ["queue_name = ? AND", "priority DESC,"] : ["", ""];
    const next = this.statement(
      `SELECT id, invocation_id FROM ${this.table("broker_message_queue")}
       WHERE ${inQueue} invocation_id NOT IN (SELECT value FROM json_each(?)) AND created_at <= ?
       ORDER BY ${urgent} created_at, id LIMIT 1`,
    ).get(...(this.namedQueues ? [queue] : []), JSON.stringify([...leave]), julianDayFromEpoch(now)) as
      | { id: number; invocation_id: string }
      | undefined;
    if (!next) return null;
    this.remove("broker_message_queue", "id", next.id);
    return next.invocation_id;
  }

  /** Queues in which something waits that was put by now and is not left lying. */
  waitingQueues(leave: ReadonlySet<string>, now: EpochSeconds): string[] {
    const rows = this.statement(
      `SELECT DISTINCT ${this.queueColumn} FROM ${this.table("broker_message_queue")}
       WHERE invocation_id NOT IN (SELECT value FROM json_each(?)) AND created_at <= ?`,
    ).all(JSON.stringify([...leave]), julianDayFromEpoch(now)) as { queue_name: string }[];
    return rows.map((row) => row.queue_name);
  }

  /** Messages of all queues, oldest first; an invocation that is queued twice comes twice. Where queues have no names, all are in the default one. */
  messages(): { invocation_id: string; queue_name: string }[] {
    return this.statement(
      `SELECT invocation_id, ${this.queueColumn} FROM ${this.table("broker_message_queue")} ORDER BY created_at, id`,
    ).all() as { invocation_id: string; queue_name: string }[];
  }

  private get queueColumn(): string {
    return this.namedQueues ? "queue_name" : `'${DEFAULT_ROUTE.queue_name}' AS queue_name`;
  }

  // Client data and workflow data

  /** Stores a serialized text and gives what goes in its place: the text itself, or a reference when it is large. */
  externalise(text: string, at: EpochSeconds): string {
    if (text.length < MIN_SIZE_TO_CACHE) return text;
    const key = clientDataKey(text);
    this.insert("client_data", "REPLACE", {
      data_key: key,
      data_value: Buffer.from(text, "utf8"),
      created_at: julianDayFromEpoch(at),
    });
    return key;
  }

  setWorkflowData(workflowId: string, key: string, text: string, at: EpochSeconds): void {
    this.insert("state_backend_workflow_data", "REPLACE", {
      workflow_id: workflowId,
      data_key: key,
      data_value: this.externalise(text, at),
    });
  }

  // Triggers

  /** Registers a trigger as every runner start does, which forgets the last cron execution (storage-format.md 3.6). */
  defineTrigger(definition: Omit<TriggerDefinition, "trigger_id">): TriggerDefinition {
    const ids = definition.conditions.map((condition) => condition.condition_id);
    const trigger = { ...definition, trigger_id: triggerId(definition.task_id_key, ids, definition.logic) };
    for (const condition of definition.conditions) this.defineCondition(condition, trigger.trigger_id);
    this.insert("trg_triggers", "REPLACE", {
      trigger_id: trigger.trigger_id,
      task_id_key: trigger.task_id_key,
      logic_value: trigger.logic,
      argument_provider_json: trigger.argument_provider_json,
      condition_ids: pythonJson(ids),
    });
    return trigger;
  }

  private defineCondition(condition: Condition, trigger_id: string): void {
    const { condition_id, condition_json } = condition;
    this.insert("trg_conditions", "REPLACE", { condition_id, condition_json });
    this.insert("trg_condition_triggers", "IGNORE", { condition_id, trigger_id });
    if ("source_task" in condition) {
      this.insert("trg_source_task_conditions", "IGNORE", { task_id_key: condition.source_task, condition_id });
    }
  }

  recordCronExecution(conditionId: string, at: EpochSeconds): void {
    this.run(
      `UPDATE ${this.table("trg_conditions")} SET last_cron_execution = ? WHERE condition_id = ?`,
      isoFromEpoch(at),
      conditionId,
    );
  }

  recordValidCondition(valid: ValidCondition): void {
    const { valid_condition_id, valid_condition_json } = valid;
    this.insert("trg_valid_conditions", "REPLACE", { valid_condition_id, valid_condition_json });
  }

  clearValidCondition(validConditionId: string): void {
    this.remove("trg_valid_conditions", "valid_condition_id", validConditionId);
  }

  /** An event with its matches. The valid conditions themselves are recorded here too, before the event names them. */
  recordEvent(event: EmittedEvent, at: EpochSeconds): void {
    const emitter = event.emitter?.invocation_id ?? null;
    const emitterTask = event.emitter?.task_id_key ?? null;
    for (const valid of event.matches) this.recordValidCondition(valid);
    this.insert("trg_events", "REPLACE", {
      event_id: event.event_id,
      event_code: event.event_code,
      event_timestamp: toMicros(at),
      event_json: pythonJson({
        event_id: event.event_id,
        event_code: event.event_code,
        timestamp: isoFromEpoch(at),
        payload: event.payload,
        matched_condition_ids: event.matches.map((valid) => valid.condition.condition_id),
        valid_condition_ids: event.matches.map((valid) => valid.valid_condition_id),
        // Always empty in the JSON: the index table is the truth (storage-format.md 5.3).
        triggered_invocation_ids: [],
        emitted_by_invocation_id: emitter,
        emitted_by_task_id: emitterTask,
        emitted_by_runner_context_id: event.runner_id,
      }),
      matched_condition_count: event.matches.length,
      triggered_invocation_count: 0,
      emitted_by_invocation_id: emitter,
      emitted_by_task_id: emitterTask,
      emitted_by_runner_context_id: event.runner_id,
    });
    for (const valid of event.matches) {
      this.insert("trg_event_conditions", "REPLACE", {
        event_id: event.event_id,
        condition_id: valid.condition.condition_id,
        valid_condition_id: valid.valid_condition_id,
        matched: 1,
      });
    }
  }

  /** Claims a trigger run; false when somebody claimed the same run within the last minute. Claims are never removed. */
  claimTriggerRun(runId: string, at: EpochSeconds): boolean {
    const claims = this.table("trg_trigger_run_claims");
    const row = this.statement(`SELECT expiration FROM ${claims} WHERE trigger_run_id = ?`).get(runId) as
      | { expiration: string }
      | undefined;
    // Both texts have six digits and the same offset, so they compare as instants.
    if (row && row.expiration > isoFromEpoch(at)) return false;
    this.insert("trg_trigger_run_claims", "REPLACE", {
      trigger_run_id: runId,
      claimed_at: at,
      expiration: isoFromEpoch(at + CLAIM_SECONDS),
    });
    return true;
  }

  /** The record of an executed trigger run, its participants, and the links of their events to the new invocation. */
  recordTriggerRun(run: TriggerRun): void {
    if (this.columns.trg_trigger_runs.length === 0) return;
    const { trigger, participants } = run;
    const trigger_run_id = triggerRunIdOf(trigger, participants);
    this.insert("trg_trigger_runs", "REPLACE", {
      trigger_run_id,
      trigger_id: trigger.trigger_id,
      task_id_key: trigger.task_id_key,
      logic_value: trigger.logic,
      claimed_at: toMicros(run.claimed_at),
      executed_at: toMicros(run.executed_at),
      triggered_invocation_id: run.triggered_invocation_id,
      trigger_run_json: triggerRunJson(trigger_run_id, run),
    });
    // A run id can come again (exception triggers), and this table has no key to replace by.
    this.run(`DELETE FROM ${this.table("trg_trigger_run_conditions")} WHERE trigger_run_id = ?`, trigger_run_id);
    for (const { valid_condition_id, condition, context } of participants) {
      this.insert("trg_trigger_run_conditions", "ABORT", {
        trigger_run_id,
        context_type: context.context_type,
        condition_id: condition.condition_id,
        valid_condition_id,
        event_id: context.event_id,
        source_invocation_id: context.source_invocation_id,
      });
      if (context.event_id !== null) this.linkEvent(context.event_id, context.timestamp, trigger_run_id, run);
    }
  }

  private linkEvent(event_id: string, event_timestamp: EpochSeconds, trigger_run_id: string, run: TriggerRun): void {
    const added = this.insert("trg_event_triggered_invocations", "IGNORE", {
      event_id,
      event_timestamp,
      invocation_id: run.triggered_invocation_id,
      trigger_run_id,
      linked_at: toMicros(run.executed_at),
    });
    if (added === 0) return;
    this.run(
      `UPDATE ${this.table("trg_events")} SET triggered_invocation_count = triggered_invocation_count + 1 WHERE event_id = ?`,
      event_id,
    );
  }

  // Atomic service

  /** Starts a run of the atomic service. When another is still running a `blocked` row is left instead and the answer is false. */
  startService(run: ServiceRun, at: EpochSeconds): boolean {
    if (this.layout === "0.2.3") this.stampService(run.runner_id, "last_service_start", at);
    const prior = this.runningService();
    const iso = isoFromEpoch(at);
    this.insert("orchestrator_atomic_service_executions", "ABORT", {
      ...run,
      start_time: iso,
      end_time: prior ? iso : null,
      status: prior ? "blocked" : "running",
      reason: prior ? `prior_running:${prior.atomic_service_run_id} runner:${prior.runner_id}` : "",
    });
    return prior === null;
  }

  finishService(run: ServiceRun, at: EpochSeconds, status: "completed" | "abandoned" = "completed", reason = ""): void {
    if (this.layout === "0.2.3") {
      this.stampService(run.runner_id, "last_service_end", at);
      return;
    }
    this.run(
      `UPDATE ${this.table("orchestrator_atomic_service_executions")} SET status = ?, reason = ?, end_time = ?
       WHERE atomic_service_run_id = ? AND status = 'running'`,
      status,
      reason,
      isoFromEpoch(at),
      run.atomic_service_run_id,
    );
  }

  /** Removes executions that ended before an instant, except those that a trigger run refers to (storage-format.md 6.4). */
  purgeServiceRuns(endedBefore: EpochSeconds, keep: { has(runId: string): boolean }): void {
    if (this.layout === "0.2.3") return;
    const executions = this.table("orchestrator_atomic_service_executions");
    const due = this.statement(`SELECT atomic_service_run_id AS id FROM ${executions} WHERE end_time < ?`).all(
      isoFromEpoch(endedBefore),
    ) as { id: string }[];
    for (const { id } of due) {
      if (!keep.has(id)) this.remove("orchestrator_atomic_service_executions", "atomic_service_run_id", id);
    }
  }

  /** Ends what a process left running when it went away: only one may run at a time. */
  abandonServiceRuns(at: EpochSeconds): void {
    for (let run = this.runningService(); run !== null; run = this.runningService()) {
      this.finishService(run, at, "abandoned", "recovered_duplicate_running");
    }
  }

  private runningService(): ServiceRun | null {
    if (this.layout === "0.2.3") return null;
    const row = this.statement(
      `SELECT atomic_service_run_id, runner_id FROM ${this.table("orchestrator_atomic_service_executions")} WHERE status = 'running'`,
    ).get();
    return (row as ServiceRun | undefined) ?? null;
  }

  /** Until 0.2.3 only the last run was kept, in the heartbeat row. */
  private stampService(runnerId: string, column: "last_service_start" | "last_service_end", at: EpochSeconds): void {
    this.run(
      `UPDATE ${this.table("orchestrator_runner_heartbeats")} SET ${column} = ? WHERE runner_id = ?`,
      isoFromEpoch(at),
      runnerId,
    );
  }

  // Statements

  table(key: TableKey): string {
    return this.tables[key];
  }

  /** A statement of this app's own, prepared once. */
  statement(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private run(sql: string, ...values: (string | number | null)[]): void {
    this.statement(sql).run(...values);
  }

  /** Deletes the rows with this value. */
  remove(key: TableKey, column: string, value: string | number): void {
    this.run(`DELETE FROM ${this.table(key)} WHERE ${column} = ?`, value);
  }

  /** Inserts the columns that the layout has; the number of rows inserted. */
  protected insert(key: TableKey, conflict: "ABORT" | "IGNORE" | "REPLACE", row: Row): number {
    const present = this.columns[key];
    const columns = Object.keys(row).filter((column) => present.includes(column));
    if (columns.length === 0) return 0;
    const sql = `INSERT OR ${conflict} INTO ${this.table(key)} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    return this.statement(sql).run(...columns.map((column) => row[column] ?? null));
  }
}

/** Where a module of the demo would lie. */
export function moduleFile(module: string): string {
  return `/srv/${module.replaceAll(".", "/")}.py`;
}

function perTable<T>(value: (key: TableKey) => T): Record<TableKey, T> {
  return Object.fromEntries(tableKeys().map((key) => [key, value(key)])) as Record<TableKey, T>;
}

export function triggerRunIdOf(trigger: TriggerDefinition, participants: readonly ValidCondition[]): string {
  return triggerRunId(
    trigger.trigger_id,
    participants.map((valid) => valid.valid_condition_id),
  );
}

function triggerRunJson(trigger_run_id: string, run: TriggerRun): string {
  const { trigger, participants } = run;
  return pythonJson({
    trigger_run_id,
    trigger_id: trigger.trigger_id,
    task_id_key: trigger.task_id_key,
    logic_value: trigger.logic,
    valid_condition_ids: participants.map((valid) => valid.valid_condition_id),
    condition_ids: participants.map((valid) => valid.condition.condition_id),
    event_ids: participants.flatMap((valid) => valid.context.event_id ?? []),
    source_invocation_ids: participants.flatMap((valid) => valid.context.source_invocation_id ?? []),
    triggered_invocation_id: run.triggered_invocation_id,
    arguments_preview: {},
    claimed_at: isoFromEpoch(run.claimed_at),
    executed_at: isoFromEpoch(run.executed_at),
    participants: participants.map(({ valid_condition_id, condition, context }) => ({
      context_type: context.context_type,
      condition_id: condition.condition_id,
      valid_condition_id,
      event_id: context.event_id,
      source_invocation_id: context.source_invocation_id,
      context_timestamp: isoFromEpoch(context.timestamp),
      context_summary: context.context_summary,
    })),
    atomic_service_run_id: run.service.atomic_service_run_id,
    atomic_service_runner_id: run.service.runner_id,
  });
}
