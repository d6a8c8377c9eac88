import type { InvocationRow, InvocationSummary } from "../../api/model/invocation-rows.ts";
import { parseTaskKey } from "../../pynenc/identifiers.ts";

export function invocationSummary(row: InvocationRow): InvocationSummary {
  const { invocation_id, task_id_key, status, status_source, duration_seconds, duration_at_least } = row;
  const func_name = task_id_key === null ? null : (parseTaskKey(task_id_key)?.func ?? null);
  return {
    invocation_id,
    task_id_key,
    func_name,
    status,
    status_source,
    duration_seconds,
    ...(duration_at_least && { duration_at_least }),
  };
}
