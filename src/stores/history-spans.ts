import type { HistoryRecord } from "../pynenc/records.ts";
import type { HistorySpan } from "./ports.ts";

/** The ends of each history among these entries, which are in the order of writing, both ends of each history among them. */
export function historySpans(entries: readonly HistoryRecord[]): HistorySpan[] {
  const spans = new Map<string, HistorySpan>();
  for (const entry of entries) {
    const span = spans.get(entry.invocation_id);
    if (span === undefined)
      spans.set(entry.invocation_id, { invocation_id: entry.invocation_id, first: entry, last: entry });
    else {
      if (isBefore(entry, span.first)) span.first = entry;
      if (!isBefore(entry, span.last)) span.last = entry;
    }
  }
  return [...spans.values()];
}

/** Entries that were written at one instant, as threads do, are in the order of their statuses. */
function isBefore(a: HistoryRecord, b: HistoryRecord): boolean {
  return a.written_at < b.written_at || (a.written_at === b.written_at && a.timestamp < b.timestamp);
}
