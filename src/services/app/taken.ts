import { STATUSES } from "../../pynenc/statuses.ts";
import type { OrchestratorReads, StatusRow } from "../../stores/ports/orchestrator.ts";

/** Maximum runners, and invocations that they hold, read at once. */
export const MAX_TAKERS = 1_000;

/** Statuses of invocations that a worker has taken and not finished. */
const TAKEN_STATUSES = ["pending", "running", "paused", "resumed"];

/** Statuses of all invocations that are not final. */
export const OPEN_STATUSES: readonly string[] = [
  ...new Set([...STATUSES.flatMap(({ name, final }) => (final ? [] : [name])), ...TAKEN_STATUSES]),
];

/** Invocations that a worker has taken and not finished, newest registration first; null if there are more than `MAX_TAKERS`. */
export async function takenInvocations(orchestrator: OrchestratorReads): Promise<readonly StatusRow[] | null> {
  const rows = await orchestrator.listInvocations({ statuses: TAKEN_STATUSES }, { limit: MAX_TAKERS + 1, offset: 0 });
  return rows.length > MAX_TAKERS ? null : rows;
}
