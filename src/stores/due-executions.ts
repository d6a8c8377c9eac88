import type { ExecutionRecord } from "../pynenc/records.ts";
import type { OrchestratorRetention } from "./ports/actions.ts";

/** Ids of executions that an auto-purge removes. */
export interface DueExecutions {
  by_age: string[];
  by_capacity: string[];
  /** Number of old ones that a trigger run refers to. */
  kept: number;
}

/**
 * Chooses executions of the atomic service by age, then by number, but never a running one or one that a trigger run refers to (storage-format.md 6.4).
 *
 * @param referenced ids that trigger runs refer to. If nothing is due without any, nothing is due with them.
 */
export function dueExecutions(
  executions: readonly ExecutionRecord[],
  { executions_before, max_executions }: OrchestratorRetention,
  referenced: ReadonlySet<string> = new Set(),
): DueExecutions {
  const ended = executions.filter(({ status }) => status !== "running");
  const old = ended.filter(({ end_time }) => end_time !== null && end_time < (executions_before ?? 0));
  const by_age = old.filter((run) => !referenced.has(run.atomic_service_run_id));
  const removed = new Set(by_age);
  const excess = max_executions > 0 ? executions.length - by_age.length - max_executions : 0;
  // Skips those referenced by a trigger run and chooses the next oldest instead.
  const by_capacity = ended
    .filter((run) => !removed.has(run) && !referenced.has(run.atomic_service_run_id))
    .sort((a, b) => a.start_time - b.start_time)
    .slice(0, Math.max(0, excess));
  return { by_age: by_age.map(idOf), by_capacity: by_capacity.map(idOf), kept: old.length - by_age.length };
}

function idOf({ atomic_service_run_id }: ExecutionRecord): string {
  return atomic_service_run_id;
}
