import type { EpochSeconds } from "../../pynenc/time.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { type TableKey, tableColumns } from "./schema.ts";
import type { DemoWriter } from "./writer.ts";

/** Tables with rows of an invocation and of the workflow it defines. */
const BY_INVOCATION: readonly (readonly [TableKey, string])[] = [
  ["orchestrator_blocking_edges", "waited_id"],
  ["orchestrator_blocking_edges", "waiter_id"],
  ["orchestrator_invocation_args", "invocation_id"],
  ["orchestrator_invocations", "invocation_id"],
  ["state_backend_results", "invocation_id"],
  ["state_backend_exceptions", "invocation_id"],
  ["state_backend_history", "invocation_id"],
  ["state_backend_invocations", "invocation_id"],
  ["state_backend_workflows", "workflow_id"],
  ["state_backend_workflow_data", "workflow_id"],
  ["state_backend_workflow_sub_invocations", "parent_workflow_id"],
];

/** Limit of invocations removed per pass, so that the transaction stays short. */
const BATCH = 500;

/**
 * Removes invocations, events and runs that became final, were emitted or ran before an instant, so that a long-running demo does not grow without
 * limit. pynenc removes less: its state backend keeps everything.
 */
export function removeBefore(writer: DemoWriter, before: EpochSeconds): void {
  const due = ids(writer, "orchestrator_invocations", "invocation_id", "auto_purge_timestamp < ?", before);
  for (const [table, column] of BY_INVOCATION) removeAll(writer, table, column, due);

  const events = ids(writer, "trg_events", "event_id", "event_timestamp < ?", before);
  for (const table of ["trg_event_conditions", "trg_event_triggered_invocations", "trg_events"] as const) {
    removeAll(writer, table, "event_id", events);
  }
  const runs = ids(writer, "trg_trigger_runs", "trigger_run_id", "executed_at < ?", before);
  for (const table of ["trg_trigger_run_conditions", "trg_trigger_runs"] as const) {
    removeAll(writer, table, "trigger_run_id", runs);
  }
  writer.run("DELETE FROM $trg_trigger_run_claims WHERE expiration < ?", isoFromEpoch(before));
}

function ids(writer: DemoWriter, table: TableKey, column: string, condition: string, before: EpochSeconds): string[] {
  if (tableColumns(table, writer.layout).length === 0) return [];
  const sql = `SELECT ${column} AS id FROM $${table} WHERE ${condition} LIMIT ${BATCH}`;
  return writer.all<{ id: string }>(sql, before).map((row) => row.id);
}

function removeAll(writer: DemoWriter, table: TableKey, column: string, values: readonly string[]): void {
  for (const value of values) writer.remove(table, column, value);
}
