/** Tables of one app in an SQLite file: names, columns, layout (storage-format.md 0.3, 3). The only place with table names. */
import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import type { Capabilities, LayoutReport } from "../../ports/layout.ts";

/**
 * Columns read from a table, in layouts up to 0.3.1 (storage-format.md 3.2 to 3.6). Without a `needed` column the table is useless; a missing one of
 * the `others` reads as NULL. Columns that exist only in some versions are in neither list: their readers check for them.
 */
interface ReadColumns {
  needed: readonly string[];
  others: readonly string[];
}

/** Known tables by component, as the part of the name after `<prefix>__<component>_`. */
const KNOWN_TABLES = {
  broker: { message_queue: { needed: ["invocation_id"], others: ["id", "created_at"] } },
  orchestrator: {
    invocations: {
      needed: ["invocation_id", "status"],
      others: [
        "task_id_key",
        "call_id_key",
        "status_runner_id",
        "status_timestamp",
        "retry_count",
        "auto_purge_timestamp",
      ],
    },
    invocation_args: { needed: ["invocation_id", "arg_key", "arg_value"], others: [] },
    runner_heartbeats: {
      needed: ["runner_id", "last_heartbeat"],
      others: ["creation_timestamp", "allow_to_run_atomic_service"],
    },
    blocking_edges: { needed: ["waiter_id", "waited_id"], others: [] },
    atomic_service_executions: {
      needed: ["atomic_service_run_id", "start_time", "end_time", "status"],
      others: ["runner_id", "reason"],
    },
  },
  state_backend: {
    invocations: {
      needed: ["invocation_id"],
      others: [
        "call_id_key",
        "task_id_key",
        "arguments_id",
        "serialized_arguments",
        "parent_invocation_id",
        "workflow_id",
        "workflow_type_key",
        "parent_workflow_id",
      ],
    },
    history: { needed: ["invocation_id", "history_timestamp", "history_status"], others: ["history_json"] },
    results: { needed: ["invocation_id", "result_data"], others: [] },
    exceptions: { needed: ["invocation_id", "exception_data"], others: [] },
    runner_contexts: {
      needed: ["runner_id"],
      others: ["runner_cls", "parent_ctx_id", "pid", "hostname", "thread_id"],
    },
    workflows: { needed: ["workflow_id", "workflow_type_key"], others: ["parent_workflow_id"] },
    workflow_sub_invocations: { needed: ["parent_workflow_id", "sub_invocation_id"], others: [] },
    workflow_data: { needed: ["workflow_id", "data_key"], others: ["data_value"] },
    app_info: { needed: ["app_id"], others: ["app_info_json"] },
  },
  client_data_store: { data: { needed: ["data_key"], others: ["data_value", "created_at"] } },
  trigger: {
    conditions: { needed: ["condition_id"], others: ["condition_json", "last_cron_execution"] },
    triggers: { needed: ["trigger_id"], others: ["task_id_key", "logic_value", "argument_provider_json"] },
    condition_triggers: { needed: ["condition_id", "trigger_id"], others: [] },
    valid_conditions: { needed: ["valid_condition_id"], others: ["valid_condition_json"] },
    source_task_conditions: { needed: ["task_id_key"], others: [] },
    execution_claims: { needed: [], others: [] },
    trigger_run_claims: { needed: [], others: [] },
    events: {
      needed: ["event_id", "event_code", "event_timestamp"],
      others: ["event_json", "matched_condition_count", "emitted_by_invocation_id", "emitted_by_task_id"],
    },
    event_conditions: { needed: ["event_id"], others: [] },
    event_triggered_invocations: { needed: ["event_id", "invocation_id"], others: ["trigger_run_id", "linked_at"] },
    trigger_runs: {
      needed: ["trigger_run_id"],
      others: [
        "trigger_id",
        "task_id_key",
        "logic_value",
        "claimed_at",
        "executed_at",
        "triggered_invocation_id",
        "trigger_run_json",
      ],
    },
    trigger_run_conditions: {
      needed: ["trigger_run_id"],
      others: ["context_type", "condition_id", "valid_condition_id", "event_id", "source_invocation_id"],
    },
    schema_version: { needed: ["key", "value"], others: [] },
  },
} as const satisfies Record<ComponentName, Record<string, ReadColumns>>;

export type TableOf<C extends ComponentName> = { [One in C]: keyof (typeof KNOWN_TABLES)[One] & string }[C];

/** The component's name inside table names differs from the port's name for two of them (storage-format.md 3.1). */
const NAME_PART: Record<ComponentName, string> = {
  broker: "broker",
  orchestrator: "orchestrator",
  state_backend: "state_backend",
  client_data_store: "client",
  trigger: "trg",
};

export const APP_INFO_SUFFIX = "__state_backend_app_info";

/** Full table name: `demo_shop_1a2b3c4d__trg_events`. */
export function tableName(prefix: string, component: ComponentName, table: string): string {
  return `${prefix}__${NAME_PART[component]}_${table}`;
}

export interface Column {
  name: string;
  not_null: boolean;
  has_default: boolean;
  primary_key: boolean;
}

/** Tables of one file with their columns, as found in `sqlite_master`. */
export type FileSchema = ReadonlyMap<string, readonly Column[]>;

/** A table of an app, as read by a port. */
export interface ReadableTable {
  exists: boolean;
  /** Use it in SQL in place of the table name. */
  sql: string;
}

/** The tables of one app in a file. The schema never changes, so derived values are cached. */
export class AppTables {
  readonly prefix: string;
  readonly #schema: FileSchema;
  readonly #database: string;
  readonly #missing = new Map<string, readonly string[]>();
  readonly #gaps = new Map<ComponentName, readonly LayoutGap[]>();

  /** @param database schema name of an attached file; `main` is the connection's own file. */
  constructor(prefix: string, schema: FileSchema, database = "main") {
    this.prefix = prefix;
    this.#schema = schema;
    this.#database = database;
  }

  /** Whether the table exists with its needed columns and, if given, this column. */
  has<C extends ComponentName>(component: C, table: TableOf<C>, column?: string): boolean {
    const columns = this.columns(component, table);
    if (columns.length === 0 || this.#missingColumns(component, table, "needed").length > 0) return false;
    return column === undefined || columns.some((c) => c.name === column);
  }

  /** The table for SQL that reads; missing columns read as NULL. Check `has` first. */
  sql<C extends ComponentName>(component: C, table: TableOf<C>): string {
    const missing = this.#missingColumns(component, table, "others");
    const name = this.name(component, table);
    if (missing.length === 0) return name;
    return `(SELECT rowid, *, ${missing.map((column) => `NULL AS ${column}`).join(", ")} FROM ${name})`;
  }

  /** Combines `has` and `sql`. */
  readable<C extends ComponentName>(component: C, table: TableOf<C>): ReadableTable {
    return { exists: this.has(component, table), sql: this.sql(component, table) };
  }

  /** The table itself, for SQL that counts or changes rows. */
  name<C extends ComponentName>(component: C, table: TableOf<C>): string {
    return `${this.#database}."${tableName(this.prefix, component, table).replaceAll('"', '""')}"`;
  }

  /** Empty for a missing table. */
  columns<C extends ComponentName>(component: C, table: TableOf<C>): readonly Column[] {
    return this.#schema.get(tableName(this.prefix, component, table)) ?? [];
  }

  /** Known tables of a component that exist, readable or not. */
  present<C extends ComponentName>(component: C): { table: TableOf<C>; name: string }[] {
    return knownTables(component)
      .map((table) => ({ table, name: tableName(this.prefix, component, table) }))
      .filter(({ name }) => this.#schema.has(name));
  }

  /** Tables with the app's prefix that no layout up to 0.4.0 has. */
  unknown(): string[] {
    const known = new Set<string>();
    for (const component of COMPONENTS) {
      for (const table of knownTables(component)) known.add(tableName(this.prefix, component, table));
    }
    const start = `${this.prefix}__`;
    return [...this.#schema.keys()].filter((name) => name.startsWith(start) && !known.has(name));
  }

  /** Tables of the component that lack columns we read. */
  gaps(component: ComponentName): readonly LayoutGap[] {
    return cached(this.#gaps, component, () =>
      this.present(component).flatMap(({ table }) => {
        const needed = this.#missingColumns(component, table, "needed");
        const missing = [...needed, ...this.#missingColumns(component, table, "others")];
        return missing.length > 0 ? [{ component, table, missing, readable: needed.length === 0 }] : [];
      }),
    );
  }

  #missingColumns<C extends ComponentName>(
    component: C,
    table: TableOf<C>,
    kind: keyof ReadColumns,
  ): readonly string[] {
    return cached(this.#missing, `${component} ${table} ${kind}`, () => {
      const columns = this.columns(component, table);
      if (columns.length === 0) return [];
      return readColumns(component, table)[kind].filter((name) => !columns.some((column) => column.name === name));
    });
  }
}

function cached<Key, Value>(known: Map<Key, Value>, key: Key, compute: () => Value): Value {
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const value = compute();
  known.set(key, value);
  return value;
}

function readColumns<C extends ComponentName>(component: C, table: TableOf<C>): ReadColumns {
  return KNOWN_TABLES[component][table] as ReadColumns;
}

function knownTables<C extends ComponentName>(component: C): TableOf<C>[] {
  return Object.keys(KNOWN_TABLES[component]) as TableOf<C>[];
}

/** An existing table that lacks columns we read. */
interface LayoutGap {
  component: ComponentName;
  table: string;
  missing: readonly string[];
  /** The remaining columns are shown. */
  readable: boolean;
}

/** `the table history of the state backend has no column history_json` */
function gapWords({ component, table, missing }: LayoutGap): string {
  const columns = `${missing.length === 1 ? "column" : "columns"} ${missing.join(", ")}`;
  return `the table ${table} of the ${component.replaceAll("_", " ")} has no ${columns}`;
}

/** What pages cannot show because columns are missing: one sentence per table. */
export function layoutGaps(tablesOf: (component: ComponentName) => AppTables): string[] {
  return COMPONENTS.flatMap((component) => tablesOf(component).gaps(component)).map((gap) => {
    const words = gapWords(gap);
    const effect = gap.readable ? "these values are left empty" : "the table is not shown";
    return `T${words.slice(1)}, so ${effect}.`;
  });
}

/** Tables that actions insert into, with the columns that layouts up to 0.4.0 have besides those read. */
const INSERTED: readonly (readonly [component: ComponentName, table: string, more: readonly string[]])[] = [
  ["broker", "message_queue", ["queue_name", "priority"]],
  ["orchestrator", "invocations", []],
  ["orchestrator", "invocation_args", []],
  ["state_backend", "invocations", ["parent_call_id", "parent_event_id"]],
  ["state_backend", "history", []],
  ["state_backend", "runner_contexts", []],
];

/** Whether messages have named queues and priorities: since 0.4. */
export function hasNamedQueues(tables: AppTables): boolean {
  return tables.has("broker", "message_queue", "queue_name") && tables.has("broker", "message_queue", "priority");
}

/** Capabilities of the app's components. `tablesOf` returns the tables in a component's file. */
export function capabilitiesOf(tablesOf: (component: ComponentName) => AppTables): Capabilities {
  const trigger = tablesOf("trigger");
  return {
    events: trigger.has("trigger", "events") && trigger.has("trigger", "trigger_runs"),
    executions: tablesOf("orchestrator").has("orchestrator", "atomic_service_executions"),
    components: {
      broker: tablesOf("broker").present("broker").length > 0,
      orchestrator: tablesOf("orchestrator").present("orchestrator").length > 0,
      state_backend: tablesOf("state_backend").present("state_backend").length > 0,
      client_data_store: tablesOf("client_data_store").present("client_data_store").length > 0,
      trigger: trigger.present("trigger").length > 0,
    },
    queue_peek: true,
    consumed_queues: tablesOf("orchestrator").has("orchestrator", "runner_heartbeats")
      ? tablesOf("orchestrator").has("orchestrator", "runner_heartbeats", "consumed_queues")
      : null,
    queue_shared: false,
    purge_is_atomic: true,
    writes_refused: writesRefused(tablesOf),
  };
}

function writesRefused(tablesOf: (component: ComponentName) => AppTables): string | null {
  const [gap] = COMPONENTS.flatMap((component) => tablesOf(component).gaps(component));
  if (gap !== undefined) return `${gapWords(gap)}, which pynenc up to 0.4.0 writes`;
  // Another column that must be given means a newer layout: inserting would fail or, worse, write half a record (storage-format.md 7).
  for (const [component, table, more] of INSERTED) {
    const { needed, others } = readColumns(component, table as TableOf<typeof component>);
    const unknown = tablesOf(component)
      .columns(component, table as TableOf<typeof component>)
      .filter((c) => c.not_null && !c.has_default && ![...needed, ...others, ...more].includes(c.name));
    if (unknown.length > 0) {
      const names = unknown.map((c) => c.name).join(", ");
      return `the ${component} table "${table}" has required columns this monitor does not know (${names}); a newer pynenc wrote this store`;
    }
  }
  return null;
}

/** Detects the layout from tables and columns; the data contain no version (storage-format.md 0.3). */
export function layoutOf(
  tablesOf: (component: ComponentName) => AppTables,
  triggerSchema: number | null,
): LayoutReport {
  const orchestrator = tablesOf("orchestrator");
  const state = tablesOf("state_backend");
  const broker = tablesOf("broker");
  const evidence: string[] = [];
  const saw = (condition: boolean, sentence: string): boolean => {
    if (condition) evidence.push(sentence);
    return condition;
  };
  const newer = saw(broker.has("broker", "message_queue", "queue_name"), "the broker queue has named queues");
  const executions = saw(
    orchestrator.has("orchestrator", "atomic_service_executions"),
    "atomic-service executions are recorded",
  );
  const parentEvent = saw(
    state.has("state_backend", "invocations", "parent_event_id"),
    "invocations carry parent_event_id",
  );
  const lastService = saw(
    orchestrator.has("orchestrator", "runner_heartbeats", "last_service_start"),
    "heartbeats carry last_service_start",
  );
  const workflow = state.columns("state_backend", "invocations").find((c) => c.name === "workflow_id");
  const optionalWorkflow = saw(workflow?.not_null === false, "workflow_id may be empty");
  if (triggerSchema !== null) evidence.push(`the trigger schema is version ${triggerSchema}`);
  const unknown_tables = [...new Set(COMPONENTS.flatMap((component) => tablesOf(component).unknown()))];
  const label = layoutLabel({
    newer,
    lastService,
    modern: executions || parentEvent,
    optionalWorkflow,
    complete: orchestrator.has("orchestrator", "invocations") && state.has("state_backend", "invocations"),
  });
  return { label, evidence, trigger_schema: triggerSchema, unknown_tables, gaps: layoutGaps(tablesOf) };
}

function layoutLabel(seen: {
  newer: boolean;
  lastService: boolean;
  modern: boolean;
  optionalWorkflow: boolean;
  complete: boolean;
}): string {
  if (!seen.complete) return "incomplete";
  if (seen.newer) return "0.4.0 or newer";
  if (seen.lastService) return seen.modern ? "0.2.0 to 0.2.3, opened later by a newer pynenc" : "0.2.0 to 0.2.3";
  if (seen.optionalWorkflow) return "0.3.0 to 0.3.1";
  return seen.modern ? "0.2.4" : "0.2.0 to 0.2.3";
}
