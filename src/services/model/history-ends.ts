/** History of one invocation: complete, or only both ends if it is very long. */
import type { HistoryGap } from "../../api/invocations.ts";
import { inOrder } from "../../pynenc/life.ts";
import type { HistoryRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** Longer histories are not read completely. Only a retry loop has more entries. */
const FULL_READ_LIMIT = 2_000;

/** Entries shown from each end of a longer history. */
export const HISTORY_END = 100;

export interface HistoryEnds {
  /** All entries, for computing durations; null if there are too many. */
  whole: readonly HistoryRecord[] | null;
  /** Entries to show: all or those at both ends, in the order in which their statuses were entered. */
  shown: readonly HistoryRecord[];
  /** For each shown entry, the previous one, which may not be shown; null for the first. */
  before: readonly (HistoryRecord | null)[];
  /** Number of entries in the history. */
  count: number;
  gap: HistoryGap | null;
}

export async function historyEnds(reads: AppReads, invocationId: string): Promise<HistoryEnds> {
  const [first, count] = await Promise.all([
    reads.state_backend.historyOf([invocationId], FULL_READ_LIMIT),
    reads.state_backend.countHistoryOf(invocationId),
  ]);
  if (count <= FULL_READ_LIMIT) {
    const whole = inOrder(first);
    const before = whole.map((_, at) => whole[at - 1] ?? null);
    if (whole.length <= 2 * HISTORY_END) return { whole, shown: whole, before, count: whole.length, gap: null };
    const ends = <T>(entries: readonly T[]) => [...entries.slice(0, HISTORY_END), ...entries.slice(-HISTORY_END)];
    return { whole, shown: ends(whole), before: ends(before), count: whole.length, gap: gapOf(whole.length) };
  }
  // One more: the entry before the first one shown from this end.
  const last = inOrder(await reads.state_backend.historyEndOf(invocationId, HISTORY_END + 1));
  const head = inOrder(first).slice(0, HISTORY_END);
  return {
    whole: null,
    shown: [...head, ...last.slice(1)],
    before: [null, ...head.slice(0, -1), ...last.slice(0, -1)],
    count,
    gap: gapOf(count),
  };
}

function gapOf(count: number): HistoryGap {
  return { after: HISTORY_END, entries: count - 2 * HISTORY_END };
}
