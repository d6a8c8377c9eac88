import type { RowCount } from "../../../src/stores/ports/actions.ts";
import type { ComponentName } from "../../../src/stores/ports/common.ts";
import type { MemoryRows } from "./rows.ts";

type Table = { [Key in keyof MemoryRows]: MemoryRows[Key] extends unknown[] ? Key : never }[keyof MemoryRows];

/** What a purge of a component empties, under the names of the SQLite tables. The registration of the app stays. */
export const TABLES: readonly { component: ComponentName; name: string; rows: Table }[] = [
  { component: "broker", name: "message_queue", rows: "messages" },
  { component: "orchestrator", name: "invocations", rows: "statuses" },
  { component: "orchestrator", name: "invocation_args", rows: "indexed_arguments" },
  { component: "orchestrator", name: "runner_heartbeats", rows: "heartbeats" },
  { component: "orchestrator", name: "blocking_edges", rows: "edges" },
  { component: "orchestrator", name: "atomic_service_executions", rows: "executions" },
  { component: "state_backend", name: "invocations", rows: "definitions" },
  { component: "state_backend", name: "history", rows: "history" },
  { component: "state_backend", name: "results", rows: "results" },
  { component: "state_backend", name: "exceptions", rows: "exceptions" },
  { component: "state_backend", name: "runner_contexts", rows: "contexts" },
  { component: "state_backend", name: "workflows", rows: "workflows" },
  { component: "state_backend", name: "workflow_sub_invocations", rows: "members" },
  { component: "state_backend", name: "workflow_data", rows: "workflow_data" },
  { component: "client_data_store", name: "data", rows: "values" },
  { component: "trigger", name: "conditions", rows: "conditions" },
  { component: "trigger", name: "triggers", rows: "triggers" },
  { component: "trigger", name: "valid_conditions", rows: "valid_conditions" },
  { component: "trigger", name: "source_task_conditions", rows: "watched_tasks" },
  { component: "trigger", name: "events", rows: "events" },
  { component: "trigger", name: "event_triggered_invocations", rows: "links" },
  { component: "trigger", name: "trigger_runs", rows: "runs" },
];

export function rowCounts(rows: MemoryRows, components: readonly ComponentName[]): RowCount[] {
  return TABLES.filter(
    (table) => components.includes(table.component) && rows.capabilities.components[table.component],
  ).map(({ component, name, rows: table }) => ({ component, name, rows: rows[table].length, exact: true }));
}
