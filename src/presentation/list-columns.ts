/** The columns that a viewer can choose for each list, named after the member of the row that they show. */

/** The first column identifies the row and is always shown. */
export type ListColumns = readonly [first: ListColumn, ...others: ListColumn[]];

export type ListColumn = readonly [field: string, label: string];

export const EVENT_COLUMNS = [
  ["event_id", "Event"],
  ["event_code", "Event code"],
  ["timestamp", "Time"],
  ["matched_conditions", "Conditions"],
  ["triggered_invocation_ids", "Triggered invocations"],
  ["emitted_by_invocation_id", "Emitter invocation"],
] as const satisfies ListColumns;

export const TRIGGER_RUN_COLUMNS = [
  ["trigger_run_id", "Run"],
  ["executed_at", "Executed"],
  ["causes", "Cause"],
  ["task_id_key", "Task"],
  ["triggered_invocation", "Invocation"],
  ["trigger_id", "Trigger"],
] as const satisfies ListColumns;

export const TASK_COLUMNS = [
  ["task_id_key", "Task"],
  ["invocations_count", "Invocations"],
  ["statuses", "By status"],
  ["trends", "1 hour"],
  ["triggers", "Triggers"],
  ["last_activity", "Last activity"],
] as const satisfies ListColumns;

export const RUNNER_COLUMNS = [
  ["runner_id", "Runner"],
  ["active", "State"],
  ["parent", "Parent"],
  ["host", "Host:process"],
  ["consumed_queues", "Queues"],
  ["busy", "1 hour"],
  ["last_heartbeat", "Last heartbeat"],
  ["created_at", "First heartbeat"],
  ["age_seconds", "Lifetime"],
  ["atomic_service_eligible", "Atomic service"],
] as const satisfies ListColumns;

/** The names of the columns in an address. */
export function columnNames(columns: ListColumns): string[] {
  return columns.map(([field]) => field);
}
