import type { QueuePage } from "../../src/api/components.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { NotChecked, VerdictsHere } from "../fragments/health/verdicts.tsx";
import { QueueLinks } from "../fragments/queue/queue-links.tsx";
import { NoMessages, QueueTable } from "../fragments/queue/queue-table.tsx";
import { ComponentHead } from "../fragments/store/component-head.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

export function QueueContent(view: View<WithVerdicts<QueuePage>>) {
  const links = useLinks();
  const { present, named_queues, queue_note, queue, queues, more_queues, messages, page } = view.model;
  return (
    <>
      <ComponentHead
        title={queue === null ? "Messages" : `Queue ${visibleLine(queue)}`}
        trail={[{ label: "Queues", href: links.broker() }]}
        name="the queue"
        present={present}
        removals={
          queue === null || messages.length === 0
            ? []
            : [
                {
                  href: links.purgeBroker({ queue }),
                  label: "Purge this queue",
                  effect: "Deletes the messages of this queue: runners no longer receive these invocations.",
                },
              ]
        }
        readOnly={view.readOnly}
      >
        <p>{summaryOf(view.model)}</p>
        {queue_note !== null && <p>{visible(queue_note)}</p>}
      </ComponentHead>
      <VerdictsHere of={{ ...view.model, not_looked_at: [] }} at={links.queue({ queue: queue ?? undefined })} />
      <Card
        title={named_queues ? "Messages, highest priority first" : "Messages"}
        flush
        actions={named_queues && <QueueLinks queues={queues} more_queues={more_queues} chosen={queue} />}
      >
        <QueueTable
          messages={messages}
          named={named_queues}
          caption={
            named_queues ? "Messages by queue, in the order they are taken" : "Messages in the queue, oldest first"
          }
          empty={
            <NoRows page={page} view={view}>
              <NoMessages {...view.model} messages={view.model.queue_peek ? 0 : (page.total ?? 0)} />
            </NoRows>
          }
        />
        {messages.length > 0 && <ViewPager page={page} view={view} />}
      </Card>
      <NotChecked parts={view.model.not_looked_at ?? []} />
    </>
  );
}

function summaryOf({ queue_peek, named_queues }: QueuePage): string {
  if (!queue_peek) return "Messages of this queue are counted, not listed.";
  const order = named_queues
    ? "Within each queue, highest priority first, then oldest; each runner decides which queue is next."
    : "Oldest first.";
  return `${order} Viewing does not consume messages: they stay in the queue, in their order.`;
}
