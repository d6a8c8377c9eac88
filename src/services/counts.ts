/** Figures that many pages share. They are memoised: call these before `store.read`, never inside it. */
import { STATUSES, statusInfo } from "../pynenc/statuses.ts";
import type { EventCounters } from "../stores/ports.ts";
import type { OpenedApp } from "./opened-app.ts";

export interface StatusCount {
  status: string;
  count: number;
  final: boolean;
  /** False for a word that this monitor does not know. */
  known: boolean;
}

/** A count for each of the 13 statuses, zeros included, then for every other word that the store holds. */
export async function statusCounts(app: OpenedApp): Promise<StatusCount[]> {
  const counts = await countByStatus(app);
  const words = [...new Set([...STATUSES.map((s) => s.name), ...Object.keys(counts).sort()])];
  return words.map((status) => {
    const { final, known } = statusInfo(status);
    return { status, count: counts[status] ?? 0, final, known };
  });
}

/** Stored status words with their counts; absent words are zero. */
export function countByStatus(app: OpenedApp): Promise<Record<string, number>> {
  return app.memo("status counts", (reads) => reads.orchestrator.countByStatus());
}

export function countByTaskAndStatus(
  app: OpenedApp,
): Promise<{ task_id_key: string; status: string; count: number }[]> {
  return app.memo("task counts", (reads) => reads.orchestrator.countByTaskAndStatus());
}

/** Statuses of atomic-service executions with their counts. */
export function executionCounts(app: OpenedApp): Promise<Record<string, number>> {
  return app.memo("execution counts", (reads) => reads.orchestrator.countExecutionsByStatus());
}

/** Null where the layout records no events. */
export function eventCounters(app: OpenedApp): Promise<EventCounters | null> {
  return app.memo("event counters", (reads) => reads.trigger.eventCounters());
}

export interface InvocationTotals {
  /** Invocations with a current status. */
  with_status: number;
  /** Invocations with a definition in the state backend. */
  defined: number;
}

/** They differ after an orchestrator auto-purge (more definitions) or a purge of the state backend (fewer). */
export async function invocationTotals(app: OpenedApp): Promise<InvocationTotals> {
  const counts = await countByStatus(app);
  const defined = await app.memo("definitions", (reads) => reads.state_backend.countDefined());
  return { with_status: Object.values(counts).reduce((sum, n) => sum + n, 0), defined };
}
