import type { QueueHealth, QueueState } from "../../../src/api/health.ts";
import { isMissed, NOTHING, QUEUE_STATES, visibleLine } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { useLinks } from "../../links.ts";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Time } from "../ui/time.tsx";

/** Named queues: what is waiting in each, since when, and which runners take from it. */
export function QueueHealthTable({
  queues,
  more_queues,
  chosen = null,
  note = null,
}: {
  queues: readonly QueueHealth[];
  more_queues: number;
  /** The queue that the page is about. */
  chosen?: string | null | undefined;
  /** What is uncertain about them, unless the page says it itself. */
  note?: string | null;
}) {
  const links = useLinks();
  const states = [...new Set(queues.map(({ health }) => health))];
  return (
    <>
      <DataTable
        caption="Queues"
        columns={[
          { label: "Queue", rowHeader: true },
          { label: "State" },
          { label: "Waiting", align: "end", hint: "Messages of invocations that are not final" },
          { label: "Oldest", hint: "In the queue since" },
          { label: "Active consumers", align: "end", hint: "Active runners that take messages from it" },
          {
            label: "Already final",
            align: "end",
            hint: "Messages of invocations that are already final. Usually a runner that was waiting for their results ran them itself. The leftover message is dropped when a runner takes it.",
          },
        ]}
        rows={queues.map((queue) => ({
          key: queue.queue_name ?? "",
          cells: [
            <a
              key="name"
              href={links.queue({ queue: queue.queue_name ?? undefined })}
              aria-current={chosen !== null && queue.queue_name === chosen ? "page" : undefined}
            >
              {visibleLine(queue.queue_name ?? NOTHING)}
            </a>,
            <QueueStateMark key="state" queue={queue} />,
            <Count key="waiting" value={queue.waiting} />,
            <Time key="oldest" iso={queue.oldest_queued_at} relative />,
            <Count key="consumers" value={queue.active_consumers} />,
            queue.finished === null ? (
              <span key="finished" class="muted" title="Too many messages to check each one">
                not known
              </span>
            ) : (
              <Count key="finished" value={queue.finished} />
            ),
          ],
        }))}
        empty={null}
      />
      <p class="card-foot">
        {more_queues > 0 && `${counted(more_queues, "more queue is", "more queues are")} not listed. `}
        {states.map((state) => `“${QUEUE_STATES[state]}”: ${MEANINGS[state]}.`).join(" ")}
        {note !== null && ` ${note}`}
      </p>
    </>
  );
}

/** Explanations of the states. */
const MEANINGS: Record<QueueState, string> = {
  consuming: "an active runner takes messages from it",
  not_consumed: "no active runner takes messages from it",
  not_configured: "not declared in broker.queues, so only a runner that names it in runner.queues takes from it",
  unknown: "not known which queues are declared, or which queues the runners take from",
};

function QueueStateMark({ queue }: { queue: QueueHealth }) {
  const tone = queue.health === "consuming" ? " mark-good" : isMissed(queue) ? " mark-bad" : "";
  return (
    <span class={`mark${tone}`} title={MEANINGS[queue.health]}>
      {QUEUE_STATES[queue.health]}
    </span>
  );
}

/** The queues of a runner: `mail, reports`, or every declared queue. */
export function consumedQueues(queues: readonly string[]): string {
  return queues.length === 0 ? "every declared queue" : queues.map(visibleLine).join(", ");
}
