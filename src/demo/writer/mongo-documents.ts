/** Maps a row of each table to MongoDB (storage-format.md 11.3): the changes of documents that write or remove it. */
import type { Document, ObjectId } from "mongodb";
import { pythonJson } from "../../pynenc/python-dump.ts";
import { epochFromIso, epochFromJulianDay } from "../../pynenc/time.ts";
import { loadedDriver } from "../../stores/mongodb/server/client.ts";
import { contextWithParents, type OtherRows } from "./redis-rows.ts";
import type { TableKey } from "./schema.ts";
import type { Row } from "./table-writer.ts";

/** A change of one document. */
export interface Change {
  /** Without the prefix of the app. */
  collection: string;
  /** Members by which the document is found. */
  key: Document;
  /** Insert: there is none with this key. Write: there may be one. */
  kind: "insert" | "write" | "delete";
  /** Members that it gets. */
  members: Document;
  /** A text that joins a list of it. */
  joins?: { list: string; text: string };
}

type Others = Pick<OtherRows, "contextOf">;

interface Mapping {
  /** The collection, where it is not named like the table. */
  collection?: string;
  /** Members that are unique together. */
  key: readonly string[];
  members?: (row: Row, others: Others) => Document;
  /** The instant of the document's id, where it says when something began. */
  made?: (row: Row) => number;
}

/** A table without an entry has no documents of its own: its data are in those of another. Without `members`, the columns are the members. */
const MAPPINGS: Readonly<Partial<Record<TableKey, Mapping>>> = {
  broker_message_queue: {
    key: ["invocation_id"],
    members: (row) => ({ invocation_id: row.invocation_id, created_at: fromJulian(row.created_at) }),
  },
  orchestrator_invocations: {
    key: ["invocation_id"],
    members: (row) => ({
      invocation_id: row.invocation_id,
      task_id_key: row.task_id_key,
      call_id_key: row.call_id_key,
      status: row.status,
      status_runner_id: row.status_runner_id,
      status_timestamp: fromEpoch(row.status_timestamp),
      retry_count: row.retry_count,
      auto_purge_timestamp: double(row.auto_purge_timestamp),
      transition_lock: [],
    }),
    made: (row) => Number(row.registered_at ?? row.status_timestamp),
  },
  orchestrator_invocation_args: { key: ["invocation_id", "arg_key"] },
  orchestrator_runner_heartbeats: {
    key: ["runner_id"],
    members: (row) => ({
      runner_id: row.runner_id,
      creation_timestamp: double(row.creation_timestamp),
      last_heartbeat: double(row.last_heartbeat),
      allow_to_run_atomic_service: row.allow_to_run_atomic_service === 1,
    }),
  },
  orchestrator_atomic_service_executions: { key: ["atomic_service_run_id"] },
  orchestrator_blocking_edges: {
    key: ["waiter_id", "waited_id"],
    members: ({ waiter_id, waited_id }) => ({ waiter_id, waited_id }),
  },
  state_backend_results: {
    key: ["invocation_id"],
    members: (row) => ({ invocation_id: row.invocation_id, inline: { result: text(row.result_data) } }),
  },
  state_backend_exceptions: {
    key: ["invocation_id"],
    members: (row) => ({ invocation_id: row.invocation_id, inline: { exception: text(row.exception_data) } }),
  },
  state_backend_invocations: {
    key: ["invocation_id"],
    members: ({ arguments_id: _, serialized_arguments, parent_call_id: __, ...row }) => ({
      ...row,
      arguments: { inline: JSON.parse(text(serialized_arguments)) },
    }),
  },
  state_backend_runner_contexts: {
    key: ["runner_id"],
    members: (row, others) => ({ runner_id: row.runner_id, context_json: pythonJson(contextWithParents(row, others)) }),
  },
  state_backend_history: {
    key: ["invocation_id", "history_timestamp", "history_status"],
    members: (row) => ({ ...row, history_timestamp: fromEpoch(row.history_timestamp) }),
    made: (row) => Number(row.history_timestamp),
  },
  state_backend_workflows: {
    key: ["workflow_id"],
    // Here "no parent" is null; in the table it is an empty string.
    members: (row) => ({ ...row, parent_workflow_id: row.parent_workflow_id || null }),
  },
  state_backend_app_info: { key: ["app_id"] },
  state_backend_workflow_data: {
    key: ["workflow_id", "data_key"],
    members: (row) => ({ ...row, data_value: text(row.data_value) }),
  },
  state_backend_workflow_sub_invocations: { key: ["parent_workflow_id", "sub_invocation_id"] },
  client_data: {
    collection: "arg_cache",
    key: ["cache_key"],
    members: (row) => ({
      cache_key: row.data_key,
      created_at: fromJulian(row.created_at),
      inline: { data: text(row.data_value) },
    }),
  },
  trg_conditions: {
    key: ["condition_id"],
    members: (row) => ({
      condition_id: row.condition_id,
      condition_json: row.condition_json,
      last_cron_execution: row.last_cron_execution ? fromIso(row.last_cron_execution) : null,
    }),
  },
  trg_triggers: {
    key: ["trigger_id"],
    members: (row) => ({ ...row, condition_ids: JSON.parse(text(row.condition_ids)) }),
  },
  trg_condition_triggers: { key: ["condition_id", "trigger_id"] },
  trg_valid_conditions: { key: ["valid_condition_id"] },
  trg_source_task_conditions: { key: ["task_id_key", "condition_id"] },
  trg_trigger_run_claims: {
    key: ["trigger_run_id"],
    members: (row) => ({ ...row, claimed_at: fromEpoch(row.claimed_at), expiration: fromIso(row.expiration) }),
  },
  trg_events: {
    key: ["event_id"],
    members: (row) => ({
      event_id: row.event_id,
      event_code: row.event_code,
      timestamp: fromEpoch(row.event_timestamp),
      matched: Number(row.matched_condition_count) > 0,
      triggered: false,
      triggered_invocation_ids: [],
      emitted_by_invocation_id: row.emitted_by_invocation_id,
      emitted_by_task_id: row.emitted_by_task_id,
      emitted_by_runner_context_id: row.emitted_by_runner_context_id,
      payload_json: row.event_json,
    }),
  },
  trg_trigger_runs: { key: ["trigger_run_id"], members: runMembers },
};

/** @param kind whether a row with the same key may be there. */
export function writtenRow(table: TableKey, row: Row, kind: "insert" | "write", others: Others): Change[] {
  if (table === "trg_event_triggered_invocations") return [linkOf(row)];
  const mapping = MAPPINGS[table];
  if (mapping === undefined) return [];
  const { collection = table, key, made } = mapping;
  const members = membersOf(mapping, row, others);
  const id = kind === "insert" && made !== undefined ? { _id: idAt(made(row)) } : {};
  const change: Change = { collection, key: pick(members, key), kind, members: { ...id, ...members } };
  return table === "orchestrator_atomic_service_executions" ? [change, ...activeOf(row)] : [change];
}

export function removedRow(table: TableKey, row: Row, others: Others): Change[] {
  const mapping = MAPPINGS[table];
  if (mapping === undefined) return [];
  const key = pick(membersOf(mapping, row, others), mapping.key);
  return [{ collection: mapping.collection ?? table, key, kind: "delete", members: {} }];
}

function membersOf({ members }: Mapping, row: Row, others: Others): Document {
  return members === undefined ? { ...row } : members(row, others);
}

function pick(members: Document, names: readonly string[]): Document {
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}

/** The one execution that runs is in a document of its own. */
function activeOf({ atomic_service_run_id, runner_id, status }: Row): Change[] {
  if (status === "blocked") return [];
  const change = { collection: "orchestrator_atomic_service_active_execution", key: { _id: "active" } };
  return status === "running"
    ? [{ ...change, kind: "write", members: { atomic_service_run_id, runner_id } }]
    : [{ ...change, kind: "delete", members: {} }];
}

function linkOf({ event_id, invocation_id }: Row): Change {
  const joins = { list: "triggered_invocation_ids", text: text(invocation_id) };
  return { collection: "trg_events", key: { event_id }, kind: "write", members: { triggered: true }, joins };
}

interface StoredRun {
  event_ids: string[];
  source_invocation_ids: string[];
  valid_condition_ids: string[];
  participants: { condition_id: string }[];
}

function runMembers(row: Row): Document {
  const run = JSON.parse(text(row.trigger_run_json)) as StoredRun;
  return {
    trigger_run_id: row.trigger_run_id,
    trigger_id: row.trigger_id,
    task_id_key: row.task_id_key,
    logic_value: row.logic_value,
    event_ids: run.event_ids,
    event_codes: [...new Set(run.participants.flatMap(({ condition_id }) => eventCodeOf(condition_id)))].sort(),
    source_invocation_ids: run.source_invocation_ids,
    valid_condition_ids: [...run.valid_condition_ids].sort(),
    triggered_invocation_id: row.triggered_invocation_id,
    sort_time: fromEpoch(row.executed_at),
    payload_json: row.trigger_run_json,
  };
}

/** `event#<code>#<filter>` (storage-format.md 1.4). */
function eventCodeOf(conditionId: string): string[] {
  const [kind, code = ""] = conditionId.split("#");
  return kind === "event" ? [code] : [];
}

let ids = 0;

/** An id as it is made at an instant: ids of a later instant, and those made later, are greater. */
function idAt(seconds: number): ObjectId {
  const { ObjectId } = loadedDriver();
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  return new ObjectId(hex(Math.floor(seconds), 8) + hex(ids++, 16));
}

function text(value: Row[string] | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value ?? "");
}

/** pynenc's times are floats, also where they are whole. */
function double(value: Row[string] | undefined): Document | null {
  return value === null || value === undefined ? null : new (loadedDriver().Double)(Number(value));
}

/** Dates have milliseconds; what is finer is cut. */
function fromEpoch(seconds: Row[string] | undefined): Date {
  return new Date(Math.floor(Number(seconds) * 1000 + 1e-3));
}

function fromIso(value: Row[string] | undefined): Date {
  return fromEpoch(epochFromIso(text(value)) ?? 0);
}

function fromJulian(days: Row[string] | undefined): Date {
  return fromEpoch(epochFromJulianDay(Number(days)));
}
