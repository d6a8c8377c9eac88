import type { InvocationRecord, InvocationStatusRecord } from "../pynenc/records.ts";
import { statusInfo } from "../pynenc/statuses.ts";
import { isoOrNull } from "../pynenc/time.ts";
import type { AppReads } from "../stores/ports.ts";

/** One line of any list of invocations. */
export interface InvocationRow {
  invocation_id: string;
  /** Null when neither orchestrator nor state backend knows the invocation: only a reference to it is left. */
  task_id_key: string | null;
  call_id_key: string | null;
  status: string;
  /** `history`: the orchestrator has purged the invocation and the last history entry speaks; `none`: nothing is known. */
  status_source: "orchestrator" | "history" | "none";
  final: boolean;
  retry_count: number;
  registered_at: string | null;
  /** Latest status change. */
  status_at: string | null;
  /** Registration to the final status, or null while it has none. */
  duration_seconds: number | null;
  /** Runner that owns it now: pending, running or paused. */
  owner_runner_id: string | null;
  parent_invocation_id: string | null;
  workflow_id: string | null;
}

/** False where only references to the invocation are left. */
export function isStored({ status_source, task_id_key }: InvocationRow): boolean {
  return status_source !== "none" || task_id_key !== null;
}

export const UNKNOWN_STATUS = "unknown";

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
  span: { first: number; last: number; last_status: string } | undefined,
): InvocationRow {
  const word = status?.status ?? span?.last_status ?? UNKNOWN_STATUS;
  const info = statusInfo(word);
  const changedAt = status?.status_timestamp ?? span?.last ?? null;
  return {
    invocation_id,
    task_id_key: status?.task_id_key ?? definition?.task_id_key ?? null,
    call_id_key: status?.call_id_key ?? definition?.call_id_key ?? null,
    status: word,
    status_source: status !== undefined ? "orchestrator" : span !== undefined ? "history" : "none",
    final: info.final,
    retry_count: status?.retry_count ?? 0,
    registered_at: isoOrNull(span?.first),
    status_at: isoOrNull(changedAt),
    duration_seconds: info.final && span?.last_status === word ? span.last - span.first : null,
    owner_runner_id: info.requires_ownership ? (status?.status_runner_id ?? null) : null,
    parent_invocation_id: definition?.parent_invocation_id ?? null,
    workflow_id: definition?.workflow_id ?? null,
  };
}
