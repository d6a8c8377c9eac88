import { tablePrefix } from "../../pynenc/identifiers.ts";
import type { Connection } from "../../stores/sqlite/file/connection.ts";

/** Data layouts the demo can write, named after a pynenc version that creates them (storage-format.md 0.3). */
export type Layout = (typeof LAYOUTS)[number];

/** Oldest first. */
export const LAYOUTS = ["0.2.3", "0.3.1", "0.4.0"] as const;

/** The default layout. */
export const NEWEST_LAYOUT: Layout = "0.4.0";

/** SQL of a column or index, and the layouts that have it if not all do. */
type Part = string | { readonly sql: string; readonly layouts: readonly Layout[] };

interface Table {
  readonly columns: readonly Part[];
  /** A key over several columns. */
  readonly key?: string;
  /** Maps an index suffix to the SQL after `ON <table>`; a leading `UNIQUE ` makes the index unique. */
  readonly indexes?: Readonly<Record<string, Part>>;
  readonly layouts?: readonly Layout[];
}

const SINCE_EVENTS: readonly Layout[] = ["0.3.1", "0.4.0"];
const SINCE_QUEUES: readonly Layout[] = ["0.4.0"];
const UP_TO_023: readonly Layout[] = ["0.2.3"];
const UP_TO_031: readonly Layout[] = ["0.2.3", "0.3.1"];

/** Every table of an app without its prefix, in pynenc's order of creation (storage-format.md 3.2 to 3.6; equal to `sqlite_master` of real files). */
const TABLES = {
  broker_message_queue: {
    columns: [
      "id INTEGER PRIMARY KEY AUTOINCREMENT",
      "invocation_id TEXT NOT NULL",
      { sql: "queue_name TEXT NOT NULL", layouts: SINCE_QUEUES },
      { sql: "priority REAL NOT NULL", layouts: SINCE_QUEUES },
      "created_at REAL NOT NULL DEFAULT (julianday('now'))",
    ],
    indexes: {
      created_at: { sql: "(created_at)", layouts: UP_TO_031 },
      route: { sql: "(queue_name, priority DESC, created_at ASC, id ASC)", layouts: SINCE_QUEUES },
    },
  },
  orchestrator_invocations: {
    columns: [
      "invocation_id TEXT PRIMARY KEY",
      "task_id_key TEXT NOT NULL",
      "call_id_key TEXT NOT NULL",
      "status TEXT NOT NULL",
      "status_runner_id TEXT",
      "status_timestamp REAL NOT NULL",
      "retry_count INTEGER NOT NULL DEFAULT 0",
      "auto_purge_timestamp REAL",
    ],
    indexes: { task_id: "(task_id_key)", call_id: "(call_id_key)", status: "(status)" },
  },
  orchestrator_invocation_args: {
    columns: ["invocation_id TEXT NOT NULL", "arg_key TEXT NOT NULL", "arg_value TEXT NOT NULL"],
    key: "(invocation_id, arg_key)",
    indexes: { key_value: "(arg_key, arg_value)" },
  },
  orchestrator_runner_heartbeats: {
    columns: [
      "runner_id TEXT PRIMARY KEY",
      "creation_timestamp REAL NOT NULL",
      "allow_to_run_atomic_service INTEGER NOT NULL",
      "last_heartbeat REAL NOT NULL",
      { sql: "last_service_start TEXT", layouts: UP_TO_023 },
      { sql: "last_service_end TEXT", layouts: UP_TO_023 },
      { sql: "consumed_queues TEXT NOT NULL DEFAULT '[]'", layouts: SINCE_QUEUES },
    ],
    indexes: { heartbeat: "(last_heartbeat)", creation: "(creation_timestamp)" },
  },
  orchestrator_atomic_service_executions: {
    columns: [
      "runner_id TEXT NOT NULL",
      "start_time TEXT NOT NULL",
      "end_time TEXT",
      "atomic_service_run_id TEXT NOT NULL PRIMARY KEY",
      "status TEXT NOT NULL DEFAULT 'running'",
      "reason TEXT NOT NULL DEFAULT ''",
    ],
    indexes: {
      time: "(start_time, end_time)",
      status: "(status)",
      single_running: "UNIQUE (status) WHERE status = 'running'",
    },
    layouts: SINCE_EVENTS,
  },
  orchestrator_blocking_edges: {
    columns: ["waiter_id TEXT NOT NULL", "waited_id TEXT NOT NULL"],
    key: "(waiter_id, waited_id)",
    indexes: { waited_id: "(waited_id)", waiter_id: "(waiter_id)" },
  },
  state_backend_results: { columns: ["invocation_id TEXT PRIMARY KEY", "result_data BLOB NOT NULL"] },
  state_backend_exceptions: { columns: ["invocation_id TEXT PRIMARY KEY", "exception_data BLOB NOT NULL"] },
  state_backend_invocations: {
    columns: [
      "invocation_id TEXT PRIMARY KEY",
      "call_id_key TEXT NOT NULL",
      "task_id_key TEXT NOT NULL",
      "arguments_id TEXT NOT NULL",
      "serialized_arguments TEXT NOT NULL",
      "parent_invocation_id TEXT",
      "parent_call_id TEXT",
      { sql: "parent_event_id TEXT", layouts: SINCE_EVENTS },
      { sql: "workflow_id TEXT NOT NULL", layouts: UP_TO_023 },
      { sql: "workflow_type_key TEXT NOT NULL", layouts: UP_TO_023 },
      { sql: "workflow_id TEXT", layouts: SINCE_EVENTS },
      { sql: "workflow_type_key TEXT", layouts: SINCE_EVENTS },
      "parent_workflow_id TEXT",
    ],
    indexes: {
      parent: "(parent_invocation_id)",
      parent_event: { sql: "(parent_event_id)", layouts: SINCE_EVENTS },
    },
  },
  state_backend_runner_contexts: {
    columns: [
      "runner_id TEXT PRIMARY KEY",
      "runner_cls TEXT NOT NULL",
      "parent_ctx_id TEXT",
      "pid INTEGER NOT NULL",
      "hostname TEXT NOT NULL",
      "thread_id INTEGER NOT NULL",
    ],
  },
  state_backend_history: {
    columns: [
      "invocation_id TEXT NOT NULL",
      "history_timestamp REAL NOT NULL",
      "history_status TEXT NOT NULL",
      "history_json TEXT NOT NULL",
    ],
    key: "(invocation_id, history_timestamp, history_status)",
  },
  state_backend_workflows: {
    columns: ["workflow_id TEXT PRIMARY KEY", "workflow_type_key TEXT NOT NULL", "parent_workflow_id TEXT"],
    indexes: { type: "(workflow_type_key)" },
  },
  state_backend_app_info: { columns: ["app_id TEXT PRIMARY KEY", "app_info_json TEXT NOT NULL"] },
  state_backend_workflow_data: {
    columns: ["workflow_id TEXT NOT NULL", "data_key TEXT NOT NULL", "data_value BLOB NOT NULL"],
    key: "(workflow_id, data_key)",
  },
  state_backend_workflow_sub_invocations: {
    columns: ["parent_workflow_id TEXT NOT NULL", "sub_invocation_id TEXT NOT NULL"],
    key: "(parent_workflow_id, sub_invocation_id)",
  },
  client_data: {
    columns: [
      "data_key TEXT PRIMARY KEY",
      "data_value BLOB NOT NULL",
      "created_at REAL NOT NULL DEFAULT (julianday('now'))",
    ],
    indexes: { created: "(created_at)" },
  },
  trg_conditions: {
    columns: ["condition_id TEXT PRIMARY KEY", "condition_json TEXT NOT NULL", "last_cron_execution TIMESTAMP"],
  },
  trg_triggers: {
    columns: [
      "trigger_id TEXT PRIMARY KEY",
      "task_id_key TEXT NOT NULL",
      "logic_value TEXT NOT NULL",
      "argument_provider_json TEXT",
    ],
  },
  trg_condition_triggers: {
    columns: ["condition_id TEXT NOT NULL", "trigger_id TEXT NOT NULL"],
    key: "(condition_id, trigger_id)",
  },
  trg_valid_conditions: { columns: ["valid_condition_id TEXT PRIMARY KEY", "valid_condition_json TEXT NOT NULL"] },
  trg_source_task_conditions: {
    columns: ["task_id_key TEXT NOT NULL", "condition_id TEXT NOT NULL"],
    key: "(task_id_key, condition_id)",
  },
  trg_execution_claims: { columns: ["claim_key TEXT PRIMARY KEY", "expiration TIMESTAMP"] },
  trg_trigger_run_claims: { columns: ["trigger_run_id TEXT PRIMARY KEY", "expiration TIMESTAMP"] },
  trg_events: {
    columns: [
      "event_id TEXT PRIMARY KEY",
      "event_code TEXT NOT NULL",
      "event_timestamp REAL NOT NULL",
      "event_json TEXT NOT NULL",
      "matched_condition_count INTEGER NOT NULL DEFAULT 0",
      "triggered_invocation_count INTEGER NOT NULL DEFAULT 0",
      "emitted_by_invocation_id TEXT",
      "emitted_by_task_id TEXT",
      "emitted_by_runner_context_id TEXT",
    ],
    indexes: {
      code_time: "(event_code, event_timestamp)",
      time: "(event_timestamp)",
      emit_inv: "(emitted_by_invocation_id) WHERE emitted_by_invocation_id IS NOT NULL",
    },
    layouts: SINCE_EVENTS,
  },
  trg_event_conditions: {
    columns: [
      "event_id TEXT NOT NULL",
      "condition_id TEXT NOT NULL",
      "valid_condition_id TEXT",
      "matched INTEGER NOT NULL",
    ],
    key: "(event_id, condition_id)",
    indexes: { cond: "(condition_id)" },
    layouts: SINCE_EVENTS,
  },
  trg_event_triggered_invocations: {
    columns: [
      "event_id TEXT NOT NULL",
      "invocation_id TEXT NOT NULL",
      "trigger_run_id TEXT",
      "linked_at REAL NOT NULL",
    ],
    key: "(event_id, invocation_id)",
    indexes: { inv: "(invocation_id)" },
    layouts: SINCE_EVENTS,
  },
  trg_trigger_runs: {
    columns: [
      "trigger_run_id TEXT PRIMARY KEY",
      "trigger_id TEXT NOT NULL",
      "task_id_key TEXT NOT NULL",
      "logic_value TEXT NOT NULL",
      "claimed_at REAL",
      "executed_at REAL",
      "triggered_invocation_id TEXT",
      "trigger_run_json TEXT NOT NULL",
    ],
    indexes: { inv: "(triggered_invocation_id)", task_time: "(task_id_key, executed_at)" },
    layouts: SINCE_EVENTS,
  },
  trg_trigger_run_conditions: {
    columns: [
      "trigger_run_id TEXT NOT NULL",
      "context_type TEXT",
      "condition_id TEXT",
      "valid_condition_id TEXT",
      "event_id TEXT",
      "source_invocation_id TEXT",
    ],
    indexes: {
      run: "(trigger_run_id)",
      evt: "(event_id)",
      src_inv: "(source_invocation_id)",
      valid: "(valid_condition_id)",
    },
    layouts: SINCE_EVENTS,
  },
  trg_schema_version: { columns: ["key TEXT PRIMARY KEY", "value INTEGER NOT NULL"], layouts: SINCE_EVENTS },
} as const satisfies Record<string, Table>;

/** A table of an app, without its prefix. */
export type TableKey = keyof typeof TABLES;

/** Trigger schema of 0.2.4 is 2; 3 came with `emitted_by_runner_context_id` (storage-format.md 3.6). */
const TRIGGER_SCHEMA_VERSION = 3;

/** Full name of a table: `demo_shop_1a2b3c4d__broker_message_queue`. */
export function tableName(appId: string, key: TableKey): string {
  return `${tablePrefix(appId)}__${key}`;
}

export function tableKeys(): readonly TableKey[] {
  return Object.keys(TABLES) as TableKey[];
}

/** Column names of a table in a layout, in order; empty if the layout lacks the table. */
export function tableColumns(key: TableKey, layout: Layout): readonly string[] {
  const table: Table = TABLES[key];
  if (table.layouts && !table.layouts.includes(layout)) return [];
  return present(table.columns, layout).map((sql) => sql.slice(0, sql.indexOf(" ")));
}

/** Creates missing tables and indexes of an app, like pynenc when it instantiates its components. */
export function createSchema(db: Connection, appId: string, layout: Layout = NEWEST_LAYOUT): void {
  for (const key of tableKeys()) {
    const table: Table = TABLES[key];
    if (table.layouts && !table.layouts.includes(layout)) continue;
    const name = tableName(appId, key);
    const lines = present(table.columns, layout);
    if (table.key) lines.push(`PRIMARY KEY ${table.key}`);
    db.exec(`CREATE TABLE IF NOT EXISTS ${name} (\n  ${lines.join(",\n  ")}\n)`);
    createIndexes(db, name, table, layout);
  }
  if (tableColumns("trg_schema_version", layout).length > 0) {
    db.prepare(
      `INSERT OR REPLACE INTO ${tableName(appId, "trg_schema_version")} (key, value) VALUES ('version', ?)`,
    ).run(TRIGGER_SCHEMA_VERSION);
  }
}

/** Drops the indexes of some tables; `createSchema` makes them again. Indexing a million rows at once is faster than one by one. */
export function dropIndexes(db: Connection, appId: string, keys: readonly TableKey[]): void {
  for (const key of keys) {
    const table: Table = TABLES[key];
    const name = tableName(appId, key);
    for (const suffix of Object.keys(table.indexes ?? {})) db.exec(`DROP INDEX IF EXISTS idx_${name}_${suffix}`);
  }
}

function createIndexes(db: Connection, name: string, table: Table, layout: Layout): void {
  for (const [suffix, part] of Object.entries(table.indexes ?? {})) {
    for (const sql of present([part], layout)) {
      const unique = sql.startsWith("UNIQUE ");
      const target = unique ? sql.slice("UNIQUE ".length) : sql;
      db.exec(`CREATE ${unique ? "UNIQUE " : ""}INDEX IF NOT EXISTS idx_${name}_${suffix} ON ${name}${target}`);
    }
  }
}

function present(parts: readonly Part[], layout: Layout): string[] {
  return parts.flatMap((part) => {
    if (typeof part === "string") return [part];
    return part.layouts.includes(layout) ? [part.sql] : [];
  });
}
