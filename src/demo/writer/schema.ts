import { tablePrefix } from "../../pynenc/identifiers.ts";
import type { Connection } from "../../stores/sqlite/file/connection.ts";

/** Data layouts the demo can write, named after a pynenc version that creates them (storage-format.md 0.3). */
export type Layout = (typeof LAYOUTS)[number];

/** Oldest first. */
export const LAYOUTS = ["0.2.3", "0.3.1", "0.4.0"] as const;

/** The default layout. */
export const NEWEST_LAYOUT: Layout = "0.4.0";

/**
 * Every table of an app without its prefix, in pynenc's order of creation (storage-format.md 3.2 to 3.6; equal to `sqlite_master` of real files). A
 * line is a column, a key over several columns, or `INDEX suffix` with the SQL after `ON <table>`. Layouts in brackets are those that have the line;
 * the first line may say that for the whole table.
 */
const TABLES = {
  broker_message_queue: `
    id INTEGER PRIMARY KEY AUTOINCREMENT
    invocation_id TEXT NOT NULL
    [0.4.0] queue_name TEXT NOT NULL
    [0.4.0] priority REAL NOT NULL
    created_at REAL NOT NULL DEFAULT (julianday('now'))
    [0.2.3 0.3.1] INDEX created_at (created_at)
    [0.4.0] INDEX route (queue_name, priority DESC, created_at ASC, id ASC)`,
  orchestrator_invocations: `
    invocation_id TEXT PRIMARY KEY
    task_id_key TEXT NOT NULL
    call_id_key TEXT NOT NULL
    status TEXT NOT NULL
    status_runner_id TEXT
    status_timestamp REAL NOT NULL
    retry_count INTEGER NOT NULL DEFAULT 0
    auto_purge_timestamp REAL
    INDEX task_id (task_id_key)
    INDEX call_id (call_id_key)
    INDEX status (status)`,
  orchestrator_invocation_args: `
    invocation_id TEXT NOT NULL
    arg_key TEXT NOT NULL
    arg_value TEXT NOT NULL
    PRIMARY KEY (invocation_id, arg_key)
    INDEX key_value (arg_key, arg_value)`,
  orchestrator_runner_heartbeats: `
    runner_id TEXT PRIMARY KEY
    creation_timestamp REAL NOT NULL
    allow_to_run_atomic_service INTEGER NOT NULL
    last_heartbeat REAL NOT NULL
    [0.2.3] last_service_start TEXT
    [0.2.3] last_service_end TEXT
    [0.4.0] consumed_queues TEXT NOT NULL DEFAULT '[]'
    INDEX heartbeat (last_heartbeat)
    INDEX creation (creation_timestamp)`,
  orchestrator_atomic_service_executions: `[0.3.1 0.4.0]
    runner_id TEXT NOT NULL
    start_time TEXT NOT NULL
    end_time TEXT
    atomic_service_run_id TEXT NOT NULL PRIMARY KEY
    status TEXT NOT NULL DEFAULT 'running'
    reason TEXT NOT NULL DEFAULT ''
    INDEX time (start_time, end_time)
    INDEX status (status)
    UNIQUE INDEX single_running (status) WHERE status = 'running'`,
  orchestrator_blocking_edges: `
    waiter_id TEXT NOT NULL
    waited_id TEXT NOT NULL
    PRIMARY KEY (waiter_id, waited_id)
    INDEX waited_id (waited_id)
    INDEX waiter_id (waiter_id)`,
  state_backend_results: `
    invocation_id TEXT PRIMARY KEY
    result_data BLOB NOT NULL`,
  state_backend_exceptions: `
    invocation_id TEXT PRIMARY KEY
    exception_data BLOB NOT NULL`,
  state_backend_invocations: `
    invocation_id TEXT PRIMARY KEY
    call_id_key TEXT NOT NULL
    task_id_key TEXT NOT NULL
    arguments_id TEXT NOT NULL
    serialized_arguments TEXT NOT NULL
    parent_invocation_id TEXT
    parent_call_id TEXT
    [0.3.1 0.4.0] parent_event_id TEXT
    [0.2.3] workflow_id TEXT NOT NULL
    [0.2.3] workflow_type_key TEXT NOT NULL
    [0.3.1 0.4.0] workflow_id TEXT
    [0.3.1 0.4.0] workflow_type_key TEXT
    parent_workflow_id TEXT
    INDEX parent (parent_invocation_id)
    [0.3.1 0.4.0] INDEX parent_event (parent_event_id)`,
  state_backend_runner_contexts: `
    runner_id TEXT PRIMARY KEY
    runner_cls TEXT NOT NULL
    parent_ctx_id TEXT
    pid INTEGER NOT NULL
    hostname TEXT NOT NULL
    thread_id INTEGER NOT NULL`,
  state_backend_history: `
    invocation_id TEXT NOT NULL
    history_timestamp REAL NOT NULL
    history_status TEXT NOT NULL
    history_json TEXT NOT NULL
    PRIMARY KEY (invocation_id, history_timestamp, history_status)`,
  state_backend_workflows: `
    workflow_id TEXT PRIMARY KEY
    workflow_type_key TEXT NOT NULL
    parent_workflow_id TEXT
    INDEX type (workflow_type_key)`,
  state_backend_app_info: `
    app_id TEXT PRIMARY KEY
    app_info_json TEXT NOT NULL`,
  state_backend_workflow_data: `
    workflow_id TEXT NOT NULL
    data_key TEXT NOT NULL
    data_value BLOB NOT NULL
    PRIMARY KEY (workflow_id, data_key)`,
  state_backend_workflow_sub_invocations: `
    parent_workflow_id TEXT NOT NULL
    sub_invocation_id TEXT NOT NULL
    PRIMARY KEY (parent_workflow_id, sub_invocation_id)`,
  client_data: `
    data_key TEXT PRIMARY KEY
    data_value BLOB NOT NULL
    created_at REAL NOT NULL DEFAULT (julianday('now'))
    INDEX created (created_at)`,
  trg_conditions: `
    condition_id TEXT PRIMARY KEY
    condition_json TEXT NOT NULL
    last_cron_execution TIMESTAMP`,
  trg_triggers: `
    trigger_id TEXT PRIMARY KEY
    task_id_key TEXT NOT NULL
    logic_value TEXT NOT NULL
    argument_provider_json TEXT`,
  trg_condition_triggers: `
    condition_id TEXT NOT NULL
    trigger_id TEXT NOT NULL
    PRIMARY KEY (condition_id, trigger_id)`,
  trg_valid_conditions: `
    valid_condition_id TEXT PRIMARY KEY
    valid_condition_json TEXT NOT NULL`,
  trg_source_task_conditions: `
    task_id_key TEXT NOT NULL
    condition_id TEXT NOT NULL
    PRIMARY KEY (task_id_key, condition_id)`,
  trg_execution_claims: `
    claim_key TEXT PRIMARY KEY
    expiration TIMESTAMP`,
  trg_trigger_run_claims: `
    trigger_run_id TEXT PRIMARY KEY
    expiration TIMESTAMP`,
  trg_events: `[0.3.1 0.4.0]
    event_id TEXT PRIMARY KEY
    event_code TEXT NOT NULL
    event_timestamp REAL NOT NULL
    event_json TEXT NOT NULL
    matched_condition_count INTEGER NOT NULL DEFAULT 0
    triggered_invocation_count INTEGER NOT NULL DEFAULT 0
    emitted_by_invocation_id TEXT
    emitted_by_task_id TEXT
    emitted_by_runner_context_id TEXT
    INDEX code_time (event_code, event_timestamp)
    INDEX time (event_timestamp)
    INDEX emit_inv (emitted_by_invocation_id) WHERE emitted_by_invocation_id IS NOT NULL`,
  trg_event_conditions: `[0.3.1 0.4.0]
    event_id TEXT NOT NULL
    condition_id TEXT NOT NULL
    valid_condition_id TEXT
    matched INTEGER NOT NULL
    PRIMARY KEY (event_id, condition_id)
    INDEX cond (condition_id)`,
  trg_event_triggered_invocations: `[0.3.1 0.4.0]
    event_id TEXT NOT NULL
    invocation_id TEXT NOT NULL
    trigger_run_id TEXT
    linked_at REAL NOT NULL
    PRIMARY KEY (event_id, invocation_id)
    INDEX inv (invocation_id)`,
  trg_trigger_runs: `[0.3.1 0.4.0]
    trigger_run_id TEXT PRIMARY KEY
    trigger_id TEXT NOT NULL
    task_id_key TEXT NOT NULL
    logic_value TEXT NOT NULL
    claimed_at REAL
    executed_at REAL
    triggered_invocation_id TEXT
    trigger_run_json TEXT NOT NULL
    INDEX inv (triggered_invocation_id)
    INDEX task_time (task_id_key, executed_at)`,
  trg_trigger_run_conditions: `[0.3.1 0.4.0]
    trigger_run_id TEXT NOT NULL
    context_type TEXT
    condition_id TEXT
    valid_condition_id TEXT
    event_id TEXT
    source_invocation_id TEXT
    INDEX run (trigger_run_id)
    INDEX evt (event_id)
    INDEX src_inv (source_invocation_id)
    INDEX valid (valid_condition_id)`,
  trg_schema_version: `[0.3.1 0.4.0]
    key TEXT PRIMARY KEY
    value INTEGER NOT NULL`,
} as const;

/** A table of an app, without its prefix. */
export type TableKey = keyof typeof TABLES;

const INDEX = /^(UNIQUE )?INDEX (\w+) (.*)$/;

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
  return linesOf(key, layout)
    .filter((line) => !INDEX.test(line) && !line.startsWith("PRIMARY KEY"))
    .map((line) => line.slice(0, line.indexOf(" ")));
}

/** Creates missing tables and indexes of an app, like pynenc when it instantiates its components. */
export function createSchema(db: Connection, appId: string, layout: Layout = NEWEST_LAYOUT): void {
  for (const key of tableKeys()) {
    const lines = linesOf(key, layout);
    if (lines.length === 0) continue;
    const name = tableName(appId, key);
    const content = lines.filter((line) => !INDEX.test(line));
    db.exec(`CREATE TABLE IF NOT EXISTS ${name} (\n  ${content.join(",\n  ")}\n)`);
    for (const [, unique = "", suffix, target] of indexesOf(lines))
      db.exec(`CREATE ${unique}INDEX IF NOT EXISTS idx_${name}_${suffix} ON ${name}${target}`);
  }
  if (linesOf("trg_schema_version", layout).length > 0) {
    db.prepare(
      `INSERT OR REPLACE INTO ${tableName(appId, "trg_schema_version")} (key, value) VALUES ('version', ?)`,
    ).run(TRIGGER_SCHEMA_VERSION);
  }
}

/** Drops the indexes of some tables; `createSchema` makes them again. Indexing a million rows at once is faster than one by one. */
export function dropIndexes(db: Connection, appId: string, layout: Layout, keys: readonly TableKey[]): void {
  for (const key of keys)
    for (const [, , suffix] of indexesOf(linesOf(key, layout)))
      db.exec(`DROP INDEX IF EXISTS idx_${tableName(appId, key)}_${suffix}`);
}

/** Indexes, each as the word that makes it unique, its suffix, and the SQL after `ON <table>`. */
function indexesOf(lines: readonly string[]): RegExpExecArray[] {
  return lines.map((line) => INDEX.exec(line)).filter((found) => found !== null);
}

/** The lines of a table that a layout has; none if it lacks the table. */
function linesOf(key: TableKey, layout: Layout): string[] {
  const [whole = "", ...lines] = TABLES[key].split("\n").map((line) => line.trim());
  const has = (marked: string) => !marked.startsWith("[") || marked.slice(0, marked.indexOf("]")).includes(layout);
  return has(whole) ? lines.filter(has).map((line) => line.replace(/^\[.*\] /, "")) : [];
}
