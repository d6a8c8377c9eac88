import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads, HistorySpan } from "../../stores/ports.ts";
import { lifeOf } from "./invocation-life.ts";

/** False where only references to the invocation are left. */
export function isStored({ status_source, task_id_key }: InvocationRow): boolean {
  return status_source !== "none" || task_id_key !== null;
}

/** Rows for these ids in the order given. Three batched reads whatever their number. */
export async function invocationRows(reads: AppReads, ids: readonly string[]): Promise<InvocationRow[]> {
  if (ids.length === 0) return [];
  const [statuses, definitions, spans] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.invocationsByIds(ids),
    reads.state_backend.historySpanOf(ids),
  ]);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const definitionById = new Map(definitions.map((row) => [row.invocation_id, row]));
  const spanById = new Map(spans.map((row) => [row.invocation_id, row]));
  return ids.map((id) => invocationRow(id, statusById.get(id), definitionById.get(id), spanById.get(id)));
}

function invocationRow(
  invocation_id: string,
  status: InvocationStatusRecord | undefined,
  definition: InvocationRecord | undefined,
  span: HistorySpan | undefined,
): InvocationRow {
  const life = lifeOf(status, span);
  return {
    invocation_id,
    task_id_key: status?.task_id_key ?? definition?.task_id_key ?? null,
    call_id_key: status?.call_id_key ?? definition?.call_id_key ?? null,
    status: life.status,
    status_source: life.status_source,
    final: life.info.final,
    // NaN stands for a column that is missing.
    retry_count: Number.isNaN(status?.retry_count) ? null : (status?.retry_count ?? 0),
    registered_at: isoOrNull(life.registeredAt),
    status_at: isoOrNull(life.changedAt),
    duration_seconds: life.durationSeconds,
    owner_runner_id: life.info.requires_ownership ? (status?.status_runner_id ?? null) : null,
    parent_invocation_id: definition?.parent_invocation_id ?? null,
    workflow_id: definition?.workflow_id ?? null,
  };
}
