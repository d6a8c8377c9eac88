import type { ExecutionRecord } from "../../pynenc/records.ts";
import type { OrchestratorRetention } from "../ports/actions.ts";

/** Executions that an auto-purge removes. */
export interface DueExecutions {
  by_age: ExecutionRecord[];
  by_capacity: ExecutionRecord[];
  /** Number of old ones that a trigger run refers to. */
  kept: number;
  exact: boolean;
}

/**
 * Chooses executions of the atomic service by age, then by number, but never a running one or one that a trigger run refers to (storage-format.md 6.4).
 *
 * @param referencedIn ids that trigger runs refer to; asked for only if something may be due.
 */
export async function dueExecutions(
  executions: readonly ExecutionRecord[],
  { executions_before, max_executions }: OrchestratorRetention,
  referencedIn: () => Promise<{ referenced: ReadonlySet<string>; exact: boolean }>,
): Promise<DueExecutions> {
  const ended = executions.filter(({ status }) => status !== "running");
  const old = ended.filter(({ end_time }) => end_time !== null && end_time < (executions_before ?? 0));
  const many = max_executions > 0 && executions.length > max_executions;
  if (old.length === 0 && !many) return { by_age: [], by_capacity: [], kept: 0, exact: true };
  const { referenced, exact } = await referencedIn();
  const by_age = old.filter((run) => !referenced.has(run.atomic_service_run_id));
  const removed = new Set(by_age);
  const excess = many ? executions.length - by_age.length - max_executions : 0;
  // Skips those referenced by a trigger run and chooses the next oldest instead.
  const by_capacity = ended
    .filter((run) => !removed.has(run) && !referenced.has(run.atomic_service_run_id))
    .sort((a, b) => a.start_time - b.start_time)
    .slice(0, Math.max(0, excess));
  return { by_age, by_capacity, kept: old.length - by_age.length, exact };
}
