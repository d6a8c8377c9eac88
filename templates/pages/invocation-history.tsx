/** The history of an invocation: each change of its status with who made it. */
import type { HistoryEntry, InvocationDetail } from "../../src/api/invocations.ts";
import { historyPart } from "../../src/presentation/facts/invocation-history.ts";
import { duration, instant } from "../../src/presentation/text.ts";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Time } from "../fragments/ui/time.tsx";

export function History({ model }: { model: InvocationDetail }) {
  const { history, history_gap } = model;
  const previous = (entry: HistoryEntry) => {
    const index = history.indexOf(entry);
    return index === history_gap?.after ? null : (history[index - 1] ?? null);
  };
  return (
    <PartCard
      part={historyPart(model)}
      id="history"
      first={ROWS}
      cells={{
        timestamp: (entry) => <HistoryTime entry={entry as HistoryEntry} previous={previous(entry as HistoryEntry)} />,
      }}
      empty={
        <Empty title="No history is stored">
          The state backend has no status change of this invocation: it may have been purged.
        </Empty>
      }
    />
  );
}

/** Changes that are shown first; the others are behind a click. */
const ROWS = 20;

/** Entries are written a moment after the change; only a machine that is very busy is worth a word. */
const NOTICEABLY_LATE_SECONDS = 0.1;

/** The date only where it changes, so that the times line up. */
function HistoryTime({ entry, previous }: { entry: HistoryEntry; previous: HistoryEntry | null }) {
  const late = (Date.parse(entry.written_at) - Date.parse(entry.timestamp)) / 1000;
  return (
    <span class="stacked">
      <Time iso={entry.timestamp} clock />
      <span class="small">
        <Time iso={entry.timestamp} day={{ previous: previous?.timestamp ?? null }} />
      </span>
      {late >= NOTICEABLY_LATE_SECONDS && (
        <span class="small" title={`The entry was written at ${instant(entry.written_at)} UTC`}>
          written {duration(late)} later
        </span>
      )}
    </span>
  );
}
