/** How the statuses of invocations changed in a stretch of time: what figures over time, which end at a full minute or hour, do not have yet. */
import { invocationIdOf } from "../../pynenc/keys.ts";
import { historiesInOrder } from "../../pynenc/life.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { WRITTEN_LATE_SECONDS } from "./invocation-life.ts";

export interface StatusMove {
  invocation_id: string;
  /** Absent if it had no status before. */
  before: string | undefined;
  after: string | undefined;
}

/**
 * By the time of the status: an entry may have been written slightly after its status was entered.
 *
 * @param span both ends are included.
 * @param most null if more entries than this were written.
 */
export async function statusMoves(
  { state_backend }: Pick<AppReads, "state_backend">,
  { from, to }: { from: EpochSeconds; to: EpochSeconds },
  most: number,
): Promise<StatusMove[] | null> {
  const written = await state_backend.historyBetween({ from, to: to + WRITTEN_LATE_SECONDS }, most + 1, "earliest");
  if (written.length > most) return null;
  const entries = written.filter(({ timestamp }) => timestamp <= to);
  const before = await state_backend.lastEntriesBefore([...new Set(entries.map(invocationIdOf))], from);
  const statusBefore = new Map(before.map((entry) => [entry.invocation_id, entry.status]));
  return [...historiesInOrder([...before, ...entries])].map(([invocation_id, history]) => ({
    invocation_id,
    before: statusBefore.get(invocation_id),
    after: history.at(-1)?.status,
  }));
}
