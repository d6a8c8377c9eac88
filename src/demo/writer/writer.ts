import { historyJson } from "../../pynenc/history-json.ts";
import { argumentsId, callKey, clientDataKey, triggerId } from "../../pynenc/identifiers.ts";
import { type PythonValue, pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { registration } from "../../pynenc/registration.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch, julianDayFromEpoch, toMicros } from "../../pynenc/time.ts";
import { checkTransition } from "../../pynenc/transitions.ts";
import type { Condition, StoredValues, ValidCondition } from "./conditions.ts";
import {
  DEFAULT_ROUTE,
  type EmittedEvent,
  type Message,
  type NewInvocation,
  type Route,
  type SeenRunner,
  type ServiceRun,
  type StoredException,
  type StoredStatus,
  type TriggerDefinition,
  type TriggerRun,
} from "./operations.ts";
import { TableWriter } from "./table-writer.ts";
import { triggerRunIdOf, triggerRunJson } from "./trigger-run-json.ts";

/** Serialized texts of at least this many characters are externalised (storage-format.md 4.6). */
const MIN_SIZE_TO_CACHE = 1024;

/** Delay of a history entry after the status it records (storage-format.md 3.4). */
const HISTORY_DELAY = 0.000_087;

/** Lifetime of a trigger run claim (storage-format.md 3.6). */
const CLAIM_SECONDS = 60;

/**
 * Writes the rows of one app like pynenc in a layout: each method is one operation of pynenc with all the rows it leaves. Instants are epoch seconds;
 * the writer never reads the clock. The caller manages transactions.
 */
export class DemoWriter extends TableWriter {
  /** As named in the app's configuration. */
  readonly brokerClass: string = "SQLiteBroker";

  /** A writer for another app in the same store. */
  forApp(appId: string): DemoWriter {
    return new DemoWriter(this.db, appId, this.layout);
  }

  // App and runners

  /** Writes the row by which monitors discover an app. */
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

  /** @param queues queues that the runner (or the parent of a child runner) is configured to consume; an empty list means every declared one. */
  heartbeat(runnerId: string, at: EpochSeconds, mayRunAtomicService: boolean, queues: readonly string[] = []): void {
    const beat = {
      allow_to_run_atomic_service: mayRunAtomicService ? 1 : 0,
      last_heartbeat: toMicros(at),
      consumed_queues: pythonJson([...queues]),
    };
    const first = { runner_id: runnerId, creation_timestamp: toMicros(at), ...beat };
    if (this.insert("orchestrator_runner_heartbeats", "IGNORE", first) === 0)
      this.update("orchestrator_runner_heartbeats", "runner_id", runnerId, beat);
  }

  /** Contexts with a heartbeat since an instant, in order of their first heartbeat. */
  runnersSeenSince(since: EpochSeconds): SeenRunner[] {
    const rows = this.all<SeenRunner & { queues: string }>(
      `SELECT c.*, h.creation_timestamp, h.allow_to_run_atomic_service, ${this.namedQueues ? "h.consumed_queues" : "'[]'"} AS queues
       FROM $state_backend_runner_contexts c JOIN $orchestrator_runner_heartbeats h ON h.runner_id = c.runner_id
       WHERE h.last_heartbeat >= ? ORDER BY h.creation_timestamp, c.runner_id`,
      since,
    );
    return rows.map((row) => ({ ...row, queues: JSON.parse(row.queues) as string[] }));
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
      ...this.#workflowOf(call),
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
    if (call.indexArguments) this.#indexArguments(record, call.arguments);
    return record;
  }

  /** Whether a workflow task starts a workflow of its own, and what an ordinary call inherits (storage-format.md 1.3). */
  #workflowOf(call: NewInvocation): Pick<InvocationRecord, "workflow_id" | "workflow_type_key" | "parent_workflow_id"> {
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

  #indexArguments({ invocation_id }: InvocationRecord, args: StoredValues): void {
    for (const [arg_key, arg_value] of Object.entries(args))
      this.insert("orchestrator_invocation_args", "REPLACE", { invocation_id, arg_key, arg_value });
  }

  /** Current status, or null if never registered or purged. */
  statusOf(invocationId: string): StoredStatus | null {
    return this.one(
      "SELECT status, status_runner_id AS runner_id, retry_count FROM $orchestrator_invocations WHERE invocation_id = ?",
      invocationId,
    );
  }

  /** Definition as stored, or null. */
  definitionOf(invocationId: string): InvocationRecord | null {
    return this.one("SELECT * FROM $state_backend_invocations WHERE invocation_id = ?", invocationId);
  }

  /** Invocations with a status, oldest change first. */
  withStatus(status: string): { invocation_id: string; runner_id: string | null; status_timestamp: EpochSeconds }[] {
    return this.all(
      `SELECT invocation_id, status_runner_id AS runner_id, status_timestamp
       FROM $orchestrator_invocations WHERE status = ? ORDER BY status_timestamp, invocation_id`,
      status,
    );
  }

  /**
   * Changes the status of an invocation. Throws like `checkTransition` if the transition is not allowed; then nothing is written. Entering `retry`
   * increases the retry count; entering a final status starts the retention time and releases its waiters.
   */
  moveStatus(invocationId: string, to: string, runnerId: string, at: EpochSeconds): void {
    const current = this.statusOf(invocationId);
    const next = checkTransition(current, to, runnerId);
    const final = statusInfo(to).final;
    this.update("orchestrator_invocations", "invocation_id", invocationId, {
      status: to,
      status_runner_id: next.runner_id,
      status_timestamp: toMicros(at),
      retry_count: (current?.retry_count ?? 0) + (to === "retry" ? 1 : 0),
      auto_purge_timestamp: final ? toMicros(at + HISTORY_DELAY) : null,
    });
    this.#recordHistory(invocationId, to, next.runner_id, runnerId, at);
    if (final) this.remove("orchestrator_blocking_edges", "waited_id", invocationId);
  }

  #recordHistory(invocationId: string, status: string, owner: string | null, actor: string, at: EpochSeconds): void {
    const written = toMicros(at + HISTORY_DELAY);
    this.insert("state_backend_history", "ABORT", {
      invocation_id: invocationId,
      history_timestamp: written,
      history_status: status,
      history_json: historyJson(invocationId, status, owner, actor, isoFromEpoch(at), isoFromEpoch(written), null),
    });
  }

  /** The runner starts the code: writes the status and the workflow rows, which pynenc writes only now (storage-format.md 3.4). */
  startRunning(invocation: InvocationRecord, runnerId: string, at: EpochSeconds): void {
    this.moveStatus(invocation.invocation_id, "running", runnerId, at);
    this.recordWorkflowStart(invocation);
  }

  /** Records a workflow or a member of it: only started invocations are recorded. */
  recordWorkflowStart(invocation: InvocationRecord): void {
    const { workflow_id, workflow_type_key, parent_workflow_id } = invocation;
    if (workflow_id === null || workflow_type_key === null) return;
    const definesIt = workflow_id === invocation.invocation_id;
    if (definesIt) {
      // Here "no parent" is an empty string; in the invocation row it is NULL.
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

  /** Writes the result before the status, so that a reader never sees `success` without a result. Returns the stored string. */
  succeed(invocationId: string, result: string, runnerId: string, at: EpochSeconds): string {
    const stored = this.externalise(result, at);
    this.insert("state_backend_results", "REPLACE", { invocation_id: invocationId, result_data: stored });
    this.moveStatus(invocationId, "success", runnerId, at);
    return stored;
  }

  /** Writes the exception before the status. */
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
   * Messages in the order in which they are taken: highest priority, then oldest. An invocation queued twice appears twice.
   *
   * @param until those added later are left out: others (a rerun) may add messages between two ticks of the demo, later than its current time
   */
  messages(until: EpochSeconds = Number.POSITIVE_INFINITY): Message[] {
    // In layouts without named queues, all are in the default queue.
    const [queue, urgent] = this.namedQueues
      ? ["queue_name", "priority DESC, "]
      : [`'${DEFAULT_ROUTE.queue_name}' AS queue_name`, ""];
    return this.all(
      `SELECT id, invocation_id, ${queue} FROM $broker_message_queue WHERE created_at <= ? ORDER BY ${urgent}created_at, id`,
      julianDayFromEpoch(until),
    );
  }

  takeMessage({ id }: Message): void {
    this.remove("broker_message_queue", "id", id);
  }

  // Client data and workflow data

  /** Externalises a serialized text if it is large. Returns the text itself or the reference to store in its place. */
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

  /** Registers a trigger like every runner start does, which resets the last cron execution (storage-format.md 3.6). */
  defineTrigger(definition: Omit<TriggerDefinition, "trigger_id">): TriggerDefinition {
    const ids = definition.conditions.map((condition) => condition.condition_id);
    const trigger = { ...definition, trigger_id: triggerId(definition.task_id_key, ids, definition.logic) };
    for (const condition of definition.conditions) this.#defineCondition(condition, trigger.trigger_id);
    this.insert("trg_triggers", "REPLACE", {
      trigger_id: trigger.trigger_id,
      task_id_key: trigger.task_id_key,
      logic_value: trigger.logic,
      argument_provider_json: trigger.argument_provider_json,
      condition_ids: pythonJson(ids),
    });
    return trigger;
  }

  #defineCondition(condition: Condition, trigger_id: string): void {
    const { condition_id, condition_json } = condition;
    this.insert("trg_conditions", "REPLACE", { condition_id, condition_json });
    this.insert("trg_condition_triggers", "IGNORE", { condition_id, trigger_id });
    if (["status", "result", "exception"].includes(condition.kind))
      this.insert("trg_source_task_conditions", "IGNORE", { task_id_key: condition.source, condition_id });
  }

  recordCronExecution(conditionId: string, at: EpochSeconds): void {
    this.update("trg_conditions", "condition_id", conditionId, { last_cron_execution: isoFromEpoch(at) });
  }

  recordValidCondition(valid: ValidCondition): void {
    const { valid_condition_id, valid_condition_json } = valid;
    this.insert("trg_valid_conditions", "REPLACE", { valid_condition_id, valid_condition_json });
  }

  clearValidCondition(validConditionId: string): void {
    this.remove("trg_valid_conditions", "valid_condition_id", validConditionId);
  }

  /** Records an event with its matches. Also records the valid conditions, before the event refers to them. */
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
        // Always empty in the JSON; the index table has the data (storage-format.md 5.3).
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

  /** Claims a trigger run; false if the same run was claimed within the last minute. Claims are never removed. */
  claimTriggerRun(runId: string, at: EpochSeconds): boolean {
    const row = this.one<{ expiration: string }>(
      "SELECT expiration FROM $trg_trigger_run_claims WHERE trigger_run_id = ?",
      runId,
    );
    // Both texts have six digits and the same offset, so they compare as instants.
    if (row && row.expiration > isoFromEpoch(at)) return false;
    this.insert("trg_trigger_run_claims", "REPLACE", {
      trigger_run_id: runId,
      claimed_at: at,
      expiration: isoFromEpoch(at + CLAIM_SECONDS),
    });
    return true;
  }

  /** Writes the record of an executed trigger run, its participants, and the links of their events to the new invocation. */
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
    // A run id can be repeated (exception triggers), and this table has no key for a replacement.
    this.run(`DELETE FROM $trg_trigger_run_conditions WHERE trigger_run_id = ?`, trigger_run_id);
    for (const { valid_condition_id, condition, context } of participants) {
      this.insert("trg_trigger_run_conditions", "ABORT", {
        trigger_run_id,
        context_type: context.context_type,
        condition_id: condition.condition_id,
        valid_condition_id,
        event_id: context.event_id,
        source_invocation_id: context.source_invocation_id,
      });
      if (context.event_id !== null) this.#linkEvent(context.event_id, context.timestamp, trigger_run_id, run);
    }
  }

  #linkEvent(event_id: string, event_timestamp: EpochSeconds, trigger_run_id: string, run: TriggerRun): void {
    const added = this.insert("trg_event_triggered_invocations", "IGNORE", {
      event_id,
      event_timestamp,
      invocation_id: run.triggered_invocation_id,
      trigger_run_id,
      linked_at: toMicros(run.executed_at),
    });
    if (added === 0) return;
    this.run(
      `UPDATE $trg_events SET triggered_invocation_count = triggered_invocation_count + 1 WHERE event_id = ?`,
      event_id,
    );
  }

  // Atomic service

  /** Starts a run of the atomic service. If another is still running, writes a `blocked` row instead and returns false. */
  startService(run: ServiceRun, at: EpochSeconds): boolean {
    const prior = this.#runningService();
    const iso = isoFromEpoch(at);
    // Until 0.2.3 only the last run was stored, in the heartbeat row.
    this.update("orchestrator_runner_heartbeats", "runner_id", run.runner_id, { last_service_start: iso });
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
    const end_time = isoFromEpoch(at);
    this.update("orchestrator_runner_heartbeats", "runner_id", run.runner_id, { last_service_end: end_time });
    const id = run.atomic_service_run_id;
    if (this.#runningService()?.atomic_service_run_id !== id) return;
    this.update("orchestrator_atomic_service_executions", "atomic_service_run_id", id, { status, reason, end_time });
  }

  /** Removes executions that ended before an instant, except those referenced by a trigger run (storage-format.md 6.4). */
  purgeServiceRuns(endedBefore: EpochSeconds, keep: { has(runId: string): boolean }): void {
    if (this.layout === "0.2.3") return;
    const due = this.all<{ id: string }>(
      "SELECT atomic_service_run_id AS id FROM $orchestrator_atomic_service_executions WHERE end_time < ?",
      isoFromEpoch(endedBefore),
    );
    for (const { id } of due) {
      if (!keep.has(id)) this.remove("orchestrator_atomic_service_executions", "atomic_service_run_id", id);
    }
  }

  /** Ends runs left by a process that has gone, because only one may run at a time. */
  abandonServiceRuns(at: EpochSeconds): void {
    for (let run = this.#runningService(); run !== null; run = this.#runningService()) {
      this.finishService(run, at, "abandoned", "recovered_duplicate_running");
    }
  }

  #runningService(): ServiceRun | null {
    if (this.layout === "0.2.3") return null;
    return this.one(
      "SELECT atomic_service_run_id, runner_id FROM $orchestrator_atomic_service_executions WHERE status = 'running'",
    );
  }
}

/** Path that a module of the demo would have. */
export function moduleFile(module: string): string {
  return `/srv/${module.replaceAll(".", "/")}.py`;
}
