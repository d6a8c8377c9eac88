/** History of one invocation: complete, or only both ends if it is very long. */
import type { HistoryGap } from "../../api/invocations.ts";
import { inOrder } from "../../pynenc/life.ts";
import type { HistoryRecord } from "../../pynenc/records.ts";
import { historySpans } from "../../stores/history-spans.ts";
import type { HistorySpan } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** Longer histories are not read completely. Only a retry loop has more entries. */
export const FULL_READ_LIMIT = 2_000;

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
  /** Undefined if it has no history. */
  span: HistorySpan | undefined;
}

/** One read, three more if the history is long. */
export async function historyEnds(reads: AppReads, invocationId: string): Promise<HistoryEnds> {
  const { state_backend } = reads;
  const first = await state_backend.historyOf([invocationId], FULL_READ_LIMIT + 1);
  if (first.length <= FULL_READ_LIMIT) {
    const [span] = historySpans(first);
    const whole = inOrder(first);
    const before = whole.map((_, at) => whole[at - 1] ?? null);
    if (whole.length <= 2 * HISTORY_END) return { whole, shown: whole, before, count: whole.length, gap: null, span };
    const ends = <T>(entries: readonly T[]) => [...entries.slice(0, HISTORY_END), ...entries.slice(-HISTORY_END)];
    return { whole, shown: ends(whole), before: ends(before), count: whole.length, gap: gapOf(whole.length), span };
  }
  const [count, end, [span]] = await Promise.all([
    state_backend.countHistoryOf(invocationId),
    // One more: the entry before the first one shown from this end.
    state_backend.historyOf([invocationId], HISTORY_END + 1, "latest"),
    state_backend.historySpanOf([invocationId]),
  ]);
  const [head, last] = [inOrder(first).slice(0, HISTORY_END), inOrder(end)];
  return {
    whole: null,
    shown: [...head, ...last.slice(1)],
    before: [null, ...head.slice(0, -1), ...last.slice(0, -1)],
    count,
    gap: gapOf(count),
    span,
  };
}

function gapOf(count: number): HistoryGap {
  return { after: HISTORY_END, entries: count - 2 * HISTORY_END };
}
