/** Decides which recorded waits are still active, by one rule for the orchestrator page, invocations and verdicts. */
import type { BlockingEdge, InvocationStatusRecord } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** The orchestrator's status of one side of an edge; undefined if it has none. */
type Side = Pick<InvocationStatusRecord, "status"> | undefined;

/** Number of edges checked for a page, newest first. */
const CHECKED = 1_000;

export interface CheckedEdges {
  waiting: BlockingEdge[];
  /** Leftovers: see `isWaiting`. */
  stale: BlockingEdge[];
  /** Total number of edges. If it exceeds the number checked, the two lists only contain the newest. */
  recorded: number;
}

/**
 * An edge is an active wait while the orchestrator has a status for both sides and neither is final. Otherwise it is a leftover: pynenc removes edges
 * when the awaited invocation becomes final, but not those of a waiter that ended in the meantime, and not those of a killed process.
 */
export function isWaiting(waiter: Side, waited: Side): boolean {
  return [waiter, waited].every((side) => side !== undefined && !statusInfo(side.status).final);
}

/** Checks the newest edges of the app, with three reads. */
export async function checkedEdges(reads: AppReads): Promise<CheckedEdges> {
  const [edges, recorded] = await Promise.all([
    reads.orchestrator.blockingEdges({ limit: CHECKED, offset: 0 }),
    reads.orchestrator.countBlockingEdges(),
  ]);
  return { ...(await checkEdges(reads, edges)), recorded };
}

/** Splits edges into active waits and leftovers. */
export async function checkEdges(
  reads: AppReads,
  edges: readonly BlockingEdge[],
): Promise<Pick<CheckedEdges, "waiting" | "stale">> {
  const ids = new Set(edges.flatMap((edge) => [edge.waiter_id, edge.waited_id]));
  const statuses = ids.size === 0 ? [] : await reads.orchestrator.statusesByIds([...ids]);
  const sideOf = new Map(statuses.map((row) => [row.invocation_id, row]));
  const holds = (edge: BlockingEdge) => isWaiting(sideOf.get(edge.waiter_id), sideOf.get(edge.waited_id));
  return { waiting: edges.filter(holds), stale: edges.filter((edge) => !holds(edge)) };
}
