import type { IdKind } from "../../../src/pynenc/id-kinds.ts";
import type { IdReads } from "../../../src/stores/ports/ids.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import type { MemoryRows } from "./rows.ts";

export function idReads(rows: MemoryRows): Sync<IdReads> {
  const stored: Record<IdKind, () => string[]> = {
    invocation: () => [...rows.statuses, ...rows.definitions].map((row) => row.invocation_id),
    workflow: () => rows.workflows.map((row) => row.workflow_id),
    event: () => rows.events.map((row) => row.event_id),
    trigger_run: () => rows.runs.map((row) => row.trigger_run_id),
    trigger: () => rows.triggers.map((row) => row.trigger_id),
    condition: () => rows.conditions.map((row) => row.condition_id),
    valid_condition: () => rows.valid_conditions.map((row) => row.valid_condition_id),
    runner: () => [...rows.contexts, ...rows.heartbeats].map((row) => row.runner_id),
    atomic_service_run: () => rows.executions.map((row) => row.atomic_service_run_id),
    call: () => rows.statuses.map((row) => row.call_id_key),
    client_data: () => rows.values.map((row) => row.data_key),
  };
  return {
    known: (ids) => ids.filter(({ kind, id }) => stored[kind]().includes(id)),
    matching: (parts, limit) =>
      parts.map(({ kind, beginning, ending }) => {
        const ids = [...new Set(stored[kind]())]
          .filter((id) => id.startsWith(beginning) && id.slice(beginning.length).endsWith(ending))
          .sort();
        return { ids: ids.slice(0, limit), complete: ids.length <= limit };
      }),
  };
}
