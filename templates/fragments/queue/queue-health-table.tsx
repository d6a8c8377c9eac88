import type { QueueHealth } from "../../../src/api/health.ts";
import { QUEUE_COLUMNS, QUEUE_MEANINGS } from "../../../src/presentation/facts/message.ts";
import { NOTHING, QUEUE_STATES, visibleLine } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { useLinks } from "../../links.ts";
import { ColumnTable } from "../facts/column-table.tsx";

/** Named queues: what is waiting in each, since when, and which runners take from it. */
export function QueueHealthTable({
  queues,
  more_queues,
  note = null,
}: {
  queues: readonly QueueHealth[];
  more_queues: number;
  /** What is uncertain about them, unless the page says it itself. */
  note?: string | null;
}) {
  const links = useLinks();
  const odd = [...new Set(queues.map(({ health }) => health))].filter((state) => state !== "consuming");
  const notes = [
    ...(more_queues > 0 ? [`${counted(more_queues, "more queue is", "more queues are")} not listed.`] : []),
    ...odd.map((state) => `“${QUEUE_STATES[state]}”: ${QUEUE_MEANINGS[state]}.`),
    ...(note === null ? [] : [note]),
  ];
  return (
    <>
      <ColumnTable
        caption="Queues"
        columns={QUEUE_COLUMNS}
        cells={{
          queue_name: ({ queue_name: name }) => (
            <a href={links.queue({ queue: name ?? undefined })}>{visibleLine(name ?? NOTHING)}</a>
          ),
        }}
        hide={queues.every(({ finished }) => finished === 0) ? ["finished"] : []}
        records={queues}
        keyOf={(queue) => queue.queue_name ?? ""}
        empty={null}
      />
      {notes.length > 0 && <p class="card-foot">{notes.join(" ")}</p>}
    </>
  );
}
