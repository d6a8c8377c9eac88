/** Which recorded waits still hold: one rule for the orchestrator's page, for invocations and for problems. */
import type { BlockingEdge, InvocationStatusRecord } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** The orchestrator's status of one side of an edge; undefined if it has none. */
type Side = Pick<InvocationStatusRecord, "status"> | undefined;

/** Edges checked for a page, latest wait first. */
const JUDGED = 1_000;

export interface JudgedEdges {
  waiting: BlockingEdge[];
  /** Left over: see `isWaiting`. */
  stale: BlockingEdge[];
  /** Edges in all; when there are more than were judged, the two lists are of the latest. */
  recorded: number;
}

/**
 * An edge is a wait while the orchestrator has a status of both sides and neither is final. Otherwise it is left over: pynenc removes edges when
 * what is waited for becomes final, but not those of a waiter that ended meanwhile, and none that a process left when it was killed.
 */
export function isWaiting(waiter: Side, waited: Side): boolean {
  return [waiter, waited].every((side) => side !== undefined && !statusInfo(side.status).final);
}

/** The latest edges of the app, judged. Three reads whatever their number. */
export async function judgedEdges(reads: AppReads): Promise<JudgedEdges> {
  const [edges, recorded] = await Promise.all([
    reads.orchestrator.blockingEdges({ limit: JUDGED, offset: 0 }),
    reads.orchestrator.countBlockingEdges(),
  ]);
  return { ...(await judged(reads, edges)), recorded };
}

/** These edges, judged. */
export async function judged(
  reads: AppReads,
  edges: readonly BlockingEdge[],
): Promise<Pick<JudgedEdges, "waiting" | "stale">> {
  const ids = new Set(edges.flatMap((edge) => [edge.waiter_id, edge.waited_id]));
  const statuses = ids.size === 0 ? [] : await reads.orchestrator.statusesByIds([...ids]);
  const sideOf = new Map(statuses.map((row) => [row.invocation_id, row]));
  const holds = (edge: BlockingEdge) => isWaiting(sideOf.get(edge.waiter_id), sideOf.get(edge.waited_id));
  return { waiting: edges.filter(holds), stale: edges.filter((edge) => !holds(edge)) };
}
