/** How the records of an app are written into its tables, and read back when an action has changed them. */
import type { TableKey } from "../../../src/demo/writer/schema.ts";
import type { Row } from "../../../src/demo/writer/table-writer.ts";
import { historyJson } from "../../../src/pynenc/history-json.ts";
import type { AppInfoRecord } from "../../../src/pynenc/records.ts";
import { isoFromEpoch, isoOrNull, julianDayFromEpoch } from "../../../src/pynenc/time.ts";
import type { Slice } from "../../../src/stores/ports/common.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import type { SqliteSession } from "../../../src/stores/sqlite/session.ts";
import { portsOver } from "../../../src/stores/threads/port-calls.ts";
import type { MemoryDatabase } from "./database.ts";
import type { Lists } from "./rows.ts";

type Write = (key: TableKey, row: Row) => void;

const julian = (at: number | null) => (at === null ? null : julianDayFromEpoch(at));

/** What each record adds to its tables. */
export const WRITERS: { [Name in keyof Lists]: (record: Lists[Name][number], write: Write) => void } = {
  messages: ({ invocation_id, queued_at, queue_name, priority }, write) =>
    write("broker_message_queue", {
      invocation_id,
      queue_name: queue_name ?? "",
      priority: priority ?? 0,
      created_at: julian(queued_at),
    }),
  statuses: (record, write) => write("orchestrator_invocations", { ...record }),
  indexed_arguments: (record, write) => write("orchestrator_invocation_args", { ...record }),
  heartbeats: (record, write) =>
    write("orchestrator_runner_heartbeats", {
      ...record,
      allow_to_run_atomic_service: record.allow_to_run_atomic_service ? 1 : 0,
      last_service_start: isoOrNull(record.last_service_start),
      last_service_end: isoOrNull(record.last_service_end),
      consumed_queues: JSON.stringify(record.consumed_queues),
    }),
  edges: (record, write) => write("orchestrator_blocking_edges", { ...record }),
  executions: (record, write) =>
    write("orchestrator_atomic_service_executions", {
      ...record,
      start_time: isoFromEpoch(record.start_time),
      end_time: isoOrNull(record.end_time),
    }),
  definitions: ({ whole_size: _, ...record }, write) => write("state_backend_invocations", record),
  history: (record, write) => {
    const { invocation_id, status, status_runner_id, runner_context_id, registered_by_inv_id } = record;
    const [entered, written] = [isoFromEpoch(record.timestamp), isoFromEpoch(record.written_at)];
    write("state_backend_history", {
      invocation_id,
      history_timestamp: record.written_at,
      history_status: status,
      // Null if the stored JSON is unreadable (records.ts).
      history_json:
        runner_context_id === null
          ? ""
          : historyJson(
              invocation_id,
              status,
              status_runner_id,
              runner_context_id,
              entered,
              written,
              registered_by_inv_id,
            ),
    });
  },
  results: ({ invocation_id, stored }, write) => write("state_backend_results", { invocation_id, result_data: stored }),
  exceptions: ({ invocation_id, stored }, write) =>
    write("state_backend_exceptions", { invocation_id, exception_data: stored }),
  contexts: (record, write) => write("state_backend_runner_contexts", { ...record }),
  workflows: (record, write) => write("state_backend_workflows", { ...record }),
  members: ({ workflow_id, invocation_id }, write) =>
    write("state_backend_workflow_sub_invocations", {
      parent_workflow_id: workflow_id,
      sub_invocation_id: invocation_id,
    }),
  workflow_data: ({ whole_size: _, ...record }, write) => write("state_backend_workflow_data", record),
  values: ({ data_key, text, created_at }, write) =>
    write("client_data", { data_key, data_value: text, created_at: julian(created_at) }),
  conditions: (record, write) =>
    write("trg_conditions", { ...record, last_cron_execution: isoOrNull(record.last_cron_execution) }),
  triggers: ({ condition_ids, ...record }, write) => {
    write("trg_triggers", record);
    for (const condition_id of new Set(condition_ids))
      write("trg_condition_triggers", { condition_id, trigger_id: record.trigger_id });
  },
  valid_conditions: (record, write) => write("trg_valid_conditions", { ...record }),
  watched_tasks: (task_id_key, write) => write("trg_source_task_conditions", { task_id_key, condition_id: "" }),
  events: (record, write) => {
    const { event_id, event_code, timestamp, matched_condition_ids, valid_condition_ids, payload, whole_size, ...by } =
      record;
    write("trg_events", {
      event_id,
      event_code,
      event_timestamp: timestamp,
      event_json: JSON.stringify({
        event_id,
        event_code,
        timestamp: isoFromEpoch(timestamp),
        payload,
        matched_condition_ids,
        valid_condition_ids,
        ...by,
      }),
      matched_condition_count: matched_condition_ids.length,
      ...by,
    });
    for (const [n, condition_id] of matched_condition_ids.entries())
      write("trg_event_conditions", {
        event_id,
        condition_id,
        valid_condition_id: valid_condition_ids[n] ?? null,
        matched: 1,
      });
  },
  links: (record, write) => write("trg_event_triggered_invocations", { ...record }),
  runs: (record, write) => {
    const { trigger_run_id, trigger_id, task_id_key, logic_value, claimed_at, executed_at, triggered_invocation_id } =
      record;
    write("trg_trigger_runs", {
      trigger_run_id,
      trigger_id,
      task_id_key,
      logic_value,
      claimed_at,
      executed_at,
      triggered_invocation_id,
      trigger_run_json: JSON.stringify({
        ...record,
        claimed_at: isoOrNull(claimed_at),
        executed_at: isoOrNull(executed_at),
        participants: record.participants.map((participant) => ({
          ...participant,
          context_timestamp: isoOrNull(participant.context_timestamp),
        })),
      }),
    });
    for (const { context_timestamp: _, context_summary: __, ...participant } of record.participants)
      write("trg_trigger_run_conditions", { trigger_run_id, ...participant });
  },
};

export function writeAppInfo(record: AppInfoRecord, write: Write): void {
  write("state_backend_app_info", { app_id: record.app_id, app_info_json: JSON.stringify(record) });
}

const ALL: Slice = { limit: 100_000, offset: 0 };

/** All records, oldest first where the tables say so. In a snapshot. */
export function readBack(database: MemoryDatabase): Lists {
  const { broker, orchestrator, state_backend, client_data_store, trigger } = answersOf(database.session);
  const ids = state_backend.listDefined({}, ALL).map((row) => row.invocation_id);
  const definitions = new Map(state_backend.invocationsByIds(ids, ALL.limit).map((row) => [row.invocation_id, row]));
  const workflows = state_backend.workflowRuns(ALL).reverse();
  const references = client_data_store.listValues(ALL).map((value) => value.data_key);
  const events = trigger.listEvents({}, ALL, "oldest").map((event) => event.event_id);
  return {
    messages: broker.peekMessages(ALL),
    statuses: orchestrator
      .listInvocations({}, ALL)
      .map(({ cursor: _, ...row }) => row)
      .reverse(),
    indexed_arguments: database.all("orchestrator_invocation_args", "invocation_id, arg_key, arg_value"),
    heartbeats: orchestrator.heartbeats(ALL),
    edges: orchestrator.blockingEdges(ALL).reverse(),
    executions: orchestrator.executions(ALL).reverse(),
    definitions: ids.flatMap((id) => definitions.get(id) ?? []).reverse(),
    history: state_backend.historyOf(
      [...new Set(database.all<{ id: string }>("state_backend_history", "invocation_id AS id").map((row) => row.id))],
      ALL.limit,
    ),
    results: state_backend.outcomesOf(["result"], ids),
    exceptions: state_backend.outcomesOf(["exception"], ids),
    contexts: state_backend.listRunnerContexts(ALL).reverse(),
    workflows,
    members: database.all(
      "state_backend_workflow_sub_invocations",
      "parent_workflow_id AS workflow_id, sub_invocation_id AS invocation_id",
    ),
    workflow_data: workflows.flatMap(({ workflow_id }) =>
      state_backend.workflowData(workflow_id, ALL).map((row) => ({ workflow_id, ...row })),
    ),
    values: client_data_store.valuesByKeys(references, ALL.limit),
    conditions: trigger.conditionsByIds(
      database.all<{ id: string }>("trg_conditions", "condition_id AS id").map((row) => row.id),
    ),
    triggers: trigger.triggers({}, ALL),
    valid_conditions: (trigger.listValidConditions(ALL) ?? []).reverse(),
    watched_tasks: database
      .all<{ task: string }>("trg_source_task_conditions", "task_id_key AS task")
      .map((row) => row.task),
    events: trigger.eventsByIds(events),
    links: trigger.triggeredBy(events, ALL.limit),
    runs: trigger.listTriggerRuns({}, ALL).reverse(),
  };
}

/** The session's answers at once. */
function answersOf(session: SqliteSession): { [Port in keyof AppReads]: Sync<AppReads[Port]> } {
  const names = ["broker", "orchestrator", "state_backend", "client_data_store", "trigger"] as const;
  const ports: unknown = portsOver<AppReads>(names, (call) => session.call(call) as Promise<unknown>);
  return ports as { [Port in keyof AppReads]: Sync<AppReads[Port]> };
}
