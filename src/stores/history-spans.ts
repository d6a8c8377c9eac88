import { rowsBy } from "../pynenc/groups.ts";
import { endsOf } from "../pynenc/life.ts";
import type { HistoryEnd, HistorySpan } from "./ports/state-backend.ts";

/** A candidate for the first or last entry of a history. */
export interface SpanEntry extends HistoryEnd {
  invocation_id: string;
}

/** First and last entry per invocation. The entries must be in the order of insertion and include all that `endsOf` may choose. */
export function historySpans(entries: readonly SpanEntry[]): HistorySpan[] {
  const histories = rowsBy(entries, (entry) => entry.invocation_id);
  return [...histories].flatMap(([invocation_id, history]) => {
    const ends = endsOf(history);
    return ends === null ? [] : [{ invocation_id, first: endOf(ends.first), last: endOf(ends.last) }];
  });
}

function endOf({ status, timestamp, written_at }: SpanEntry): HistoryEnd {
  return { status, timestamp, written_at };
}
