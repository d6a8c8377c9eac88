import { parseTaskKey } from "../../pynenc/identifiers.ts";
import type { InvocationRow } from "./invocation-rows.ts";

/** An invocation beside something else, with the keys of the existing monitor (behaviour.md 3.5). */
export interface InvocationSummary {
  invocation_id: string;
  task_id_key: string | null;
  func_name: string | null;
  status: string;
  status_source: InvocationRow["status_source"];
  duration_seconds: number | null;
}

export function invocationSummary(row: InvocationRow): InvocationSummary {
  const { invocation_id, task_id_key, status, status_source, duration_seconds } = row;
  const func_name = task_id_key === null ? null : (parseTaskKey(task_id_key)?.func ?? null);
  return { invocation_id, task_id_key, func_name, status, status_source, duration_seconds };
}
