import type { QueueHealth } from "../../../src/api/health.ts";
import { QUEUE_MEANINGS } from "../../../src/presentation/facts/message.ts";
import { count, isMissed, QUEUE_STATES, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Count } from "../ui/count.tsx";

/** The queues in one line, each with what waits in it and a link to its messages. @param chosen the queue that the list is about; null for all. */
export function QueueLinks({
  queues,
  more_queues,
  chosen,
}: {
  queues: readonly QueueHealth[];
  more_queues: number;
  chosen: string | null;
}) {
  const links = useLinks();
  return (
    <ul class="status-links" aria-label="Queues">
      <li>
        <a class="status-link" href={links.queue()} aria-current={chosen === null ? "true" : undefined}>
          All
        </a>
      </li>
      {queues.map((queue) => {
        const { queue_name: name, health, waiting } = queue;
        return (
          <li key={name ?? ""}>
            <a
              class="status-link"
              href={links.queue({ queue: name ?? undefined })}
              title={QUEUE_MEANINGS[health]}
              aria-current={chosen !== null && name === chosen ? "true" : undefined}
            >
              <bdi>{visibleLine(name ?? "")}</bdi>
              <Count value={waiting} />
              {isMissed(queue) && <span class="mark mark-bad">{QUEUE_STATES[health]}</span>}
            </a>
          </li>
        );
      })}
      {more_queues > 0 && (
        <li>
          <a class="status-link" href={links.broker()}>
            {count(more_queues)} more
          </a>
        </li>
      )}
    </ul>
  );
}
