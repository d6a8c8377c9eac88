/** The role of a runner in a history entry (storage-format.md 2.1, 3.4). */
import type { HistoryRecord } from "./records.ts";

export interface RunnerRole {
  runner_id: string;
  /**
   * `worker`: it owned the invocation after this change or until it. `registrar`: it registered the invocation, which does not make it an owner. A
   * runner that recovers another runner's invocation, or puts it back into the queue, has neither role.
   */
  role: "worker" | "registrar";
}

/** An invocation in these statuses has no owner, and only its last owner can have entered them: they end that owner's work. */
export const ENDS_OF_WORK: readonly string[] = ["success", "failed", "retry", "killed"];

type Entry = Pick<HistoryRecord, "status" | "status_runner_id" | "runner_context_id">;

export function hasRole(
  { status, status_runner_id, runner_context_id }: Entry,
  { runner_id, role }: RunnerRole,
): boolean {
  if (role === "registrar") return status === "registered" && runner_context_id === runner_id;
  if (status === "registered") return false;
  return status_runner_id === runner_id || (runner_context_id === runner_id && ENDS_OF_WORK.includes(status));
}
