/** Tables of one app in an SQLite file: names, columns, layout (storage.md 0.3, 3). The only place that spells table names. */
import type { Capabilities, ComponentName, LayoutReport } from "../ports.ts";

/** Known tables by component, as the part of the name after `<prefix>__<component>_` (storage.md 3.2 to 3.6). */
const KNOWN_TABLES = {
  broker: ["message_queue"],
  orchestrator: ["invocations", "invocation_args", "runner_heartbeats", "blocking_edges", "atomic_service_executions"],
  state_backend: [
    "invocations",
    "history",
    "results",
    "exceptions",
    "runner_contexts",
    "workflows",
    "workflow_sub_invocations",
    "workflow_data",
    "app_info",
  ],
  client_data_store: ["data"],
  trigger: [
    "conditions",
    "triggers",
    "condition_triggers",
    "valid_conditions",
    "source_task_conditions",
    "execution_claims",
    "trigger_run_claims",
    "events",
    "event_conditions",
    "event_triggered_invocations",
    "trigger_runs",
    "trigger_run_conditions",
    "schema_version",
  ],
} as const satisfies Record<ComponentName, readonly string[]>;

export type TableOf<C extends ComponentName> = (typeof KNOWN_TABLES)[C][number];

/** The word for the component inside table names differs from the port's name for two of them (storage.md 3.1). */
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

/** Tables present in one file, with their columns; taken from `sqlite_master`, never guessed. */
export type FileSchema = ReadonlyMap<string, readonly Column[]>;

/** What one app has in a file. */
export class AppTables {
  readonly prefix: string;
  readonly #schema: FileSchema;
  readonly #database: string;

  /** @param database name of an attached file in SQL; `main` is the file of the connection. */
  constructor(prefix: string, schema: FileSchema, database = "main") {
    this.prefix = prefix;
    this.#schema = schema;
    this.#database = database;
  }

  has<C extends ComponentName>(component: C, table: TableOf<C>, column?: string): boolean {
    const columns = this.#schema.get(tableName(this.prefix, component, table));
    return columns !== undefined && (column === undefined || columns.some((c) => c.name === column));
  }

  /** Quoted name for SQL. Ask `has` first. */
  sql<C extends ComponentName>(component: C, table: TableOf<C>): string {
    return `${this.#database}."${tableName(this.prefix, component, table)}"`;
  }

  columns<C extends ComponentName>(component: C, table: TableOf<C>): readonly Column[] {
    return this.#schema.get(tableName(this.prefix, component, table)) ?? [];
  }

  /** Present tables of a component, known ones first. */
  present<C extends ComponentName>(component: C): { table: TableOf<C>; name: string }[] {
    const known: readonly TableOf<C>[] = KNOWN_TABLES[component];
    return known
      .map((table) => ({ table, name: tableName(this.prefix, component, table) }))
      .filter(({ name }) => this.#schema.has(name));
  }

  /** Tables with the app's prefix that no layout up to 0.4.0 has. */
  unknown(): string[] {
    const known = new Set<string>();
    for (const [component, tables] of Object.entries(KNOWN_TABLES)) {
      for (const table of tables) known.add(tableName(this.prefix, component as ComponentName, table));
    }
    const start = `${this.prefix}__`;
    return [...this.#schema.keys()].filter((name) => name.startsWith(start) && !known.has(name));
  }
}

/**
 * Columns of the tables that actions insert into, as layouts up to 0.3.1 have them. A NOT NULL column without default that is not
 * listed belongs to a newer layout: inserting would fail or, worse, write half a record (storage.md 7.4, 13.14).
 */
const INSERTED_COLUMNS: { component: ComponentName; table: string; columns: readonly string[] }[] = [
  { component: "broker", table: "message_queue", columns: ["id", "invocation_id", "created_at"] },
  {
    component: "orchestrator",
    table: "invocations",
    columns: [
      "invocation_id",
      "task_id_key",
      "call_id_key",
      "status",
      "status_runner_id",
      "status_timestamp",
      "retry_count",
      "auto_purge_timestamp",
    ],
  },
  { component: "orchestrator", table: "invocation_args", columns: ["invocation_id", "arg_key", "arg_value"] },
  {
    component: "state_backend",
    table: "invocations",
    columns: [
      "invocation_id",
      "call_id_key",
      "task_id_key",
      "arguments_id",
      "serialized_arguments",
      "parent_invocation_id",
      "parent_call_id",
      "parent_event_id",
      "workflow_id",
      "workflow_type_key",
      "parent_workflow_id",
    ],
  },
  {
    component: "state_backend",
    table: "history",
    columns: ["invocation_id", "history_timestamp", "history_status", "history_json"],
  },
  {
    component: "state_backend",
    table: "runner_contexts",
    columns: ["runner_id", "runner_cls", "parent_ctx_id", "pid", "hostname", "thread_id"],
  },
];

/** What the app's components have and lack. `tablesOf` gives the tables of a component's own file. */
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
    queue_shared: false,
    queue_needs_records: false,
    purge_is_atomic: true,
    writes_refused: writesRefused(tablesOf),
  };
}

function writesRefused(tablesOf: (component: ComponentName) => AppTables): string | null {
  for (const { component, table, columns } of INSERTED_COLUMNS) {
    const unknown = tablesOf(component)
      .columns(component, table as TableOf<typeof component>)
      .filter((c) => c.not_null && !c.has_default && !columns.includes(c.name));
    if (unknown.length > 0) {
      const names = unknown.map((c) => c.name).join(", ");
      return `the ${component} table "${table}" has required columns this monitor does not know (${names}); a newer pynenc wrote this store`;
    }
  }
  return null;
}

/** Tells the layout by tables and columns; nothing in the data names a version (storage.md 0.3). */
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
  const unknown_tables = [
    ...new Set(
      ["broker", "orchestrator", "state_backend", "client_data_store", "trigger"].flatMap((c) =>
        tablesOf(c as ComponentName).unknown(),
      ),
    ),
  ];
  const label = layoutLabel({
    newer,
    lastService,
    modern: executions || parentEvent,
    optionalWorkflow,
    complete: orchestrator.has("orchestrator", "invocations") && state.has("state_backend", "invocations"),
  });
  return { label, evidence, trigger_schema: triggerSchema, unknown_tables };
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
