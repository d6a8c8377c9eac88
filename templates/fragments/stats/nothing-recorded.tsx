import type { Stats } from "../../../src/api/stats.ts";
import { asFarAsRead, visible } from "../../../src/presentation/text.ts";
import { Card } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Time } from "../ui/time.tsx";

export interface NothingRecordedProps {
  model: Pick<Stats, "newest" | "complete">;
  /** The same page about another range. */
  href: (range: { from: string; to: string }) => string;
}

const HOUR_MS = 3_600_000;

/** Shown for a range without history entries: says when the newest one was written, and links there. */
export function NothingRecorded({ model, href }: NothingRecordedProps) {
  const { newest } = model;
  if (newest === null) {
    return (
      <Empty title="No history is stored">Figures appear here when invocations have been registered and run.</Empty>
    );
  }
  const end = Date.parse(newest) + 60_000;
  return (
    <Empty title={`Nothing was recorded in this range${asFarAsRead(model)}`}>
      The newest history entry is from <Time iso={newest} relative />.{" "}
      {!Number.isNaN(end) && (
        <a href={href({ from: new Date(end - HOUR_MS).toISOString(), to: new Date(end).toISOString() })}>
          Show the hour before it
        </a>
      )}
    </Empty>
  );
}

/** In place of figures that have not been read yet. Scripts ask for them again, also where the page does not refresh (client/live.ts). */
export function NotRead({ title, note }: { title: string; note: string }) {
  return (
    <Card title={title}>
      <p class="muted" data-unread>
        {visible(note)}
      </p>
    </Card>
  );
}
