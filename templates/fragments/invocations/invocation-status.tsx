import type { StatusOf } from "../../../src/presentation/facts/fact.ts";
import { StatusBadge } from "./status-badge.tsx";

/** The status with a mark when the orchestrator does not hold it. */
export function InvocationStatus({ row }: { row: StatusOf }) {
  return (
    <span class="with-mark">
      <StatusBadge status={row.status} />
      {row.status_source === "history" && (
        <span class="mark" title="The orchestrator has no status of it; this is the last one of its history">
          from history
        </span>
      )}
      {row.status_source === "none" && row.task_id_key === null && (
        <span class="mark mark-warn" title="The store only has a reference to this invocation">
          not stored
        </span>
      )}
      {row.status_source === "none" && row.task_id_key !== null && (
        <span class="mark mark-warn" title="Its definition is stored, but neither a status nor a history">
          no status
        </span>
      )}
    </span>
  );
}
