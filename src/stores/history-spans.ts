import type { HistoryEnd, HistorySpan } from "./ports/state-backend.ts";

/** A candidate for the first or last entry of a history. */
export interface SpanEntry extends HistoryEnd {
  invocation_id: string;
}

/** First and last entry per invocation. The entries must be in the order of writing and include both ends of each history. */
export function historySpans(entries: readonly SpanEntry[]): HistorySpan[] {
  const spans = new Map<string, HistorySpan>();
  for (const { invocation_id, status, timestamp, written_at } of entries) {
    const end = { status, timestamp, written_at };
    const span = spans.get(invocation_id);
    if (span === undefined) spans.set(invocation_id, { invocation_id, first: end, last: end });
    else {
      if (isBefore(end, span.first)) span.first = end;
      if (!isBefore(end, span.last)) span.last = end;
    }
  }
  return [...spans.values()];
}

/** Entries written at the same instant, which happens with threads, are ordered by status time. */
function isBefore(a: HistoryEnd, b: HistoryEnd): boolean {
  return a.written_at < b.written_at || (a.written_at === b.written_at && a.timestamp < b.timestamp);
}
