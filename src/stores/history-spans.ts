import type { HistoryEnd, HistorySpan } from "./ports/state-backend.ts";

/** An entry that may be an end of a history. */
export interface SpanEntry extends HistoryEnd {
  invocation_id: string;
}

/** The ends of each history among these entries, which are in the order of writing, both ends of each history among them. */
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

/** Entries that were written at one instant, as threads do, are in the order of their statuses. */
function isBefore(a: HistoryEnd, b: HistoryEnd): boolean {
  return a.written_at < b.written_at || (a.written_at === b.written_at && a.timestamp < b.timestamp);
}
