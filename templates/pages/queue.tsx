import type { QueuePage } from "../../src/services/broker.ts";
import { Card } from "../fragments/card.tsx";
import { DangerZone } from "../fragments/danger-zone.tsx";
import { Empty } from "../fragments/empty.tsx";
import { QueueTable } from "../fragments/queue-table.tsx";
import { NoRows, ViewPager } from "../fragments/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { count, NOTHING, visibleLine } from "../text.ts";
import type { View } from "./view.ts";

export function QueueContent(view: View<QueuePage>) {
  const links = useLinks();
  const waiting = unseen(view.model);
  const { present, named_queues, queue, queues, messages, page } = view.model;
  return (
    <>
      <PageHeader title="Queue" trail={[{ label: "Broker", href: links.broker() }]} summary={summaryOf(view.model)} />
      {named_queues && (
        <p class="muted">
          {queue === null ? "All queues" : <a href={links.queue()}>All queues</a>}
          {queues.map((one) => (
            <span key={one.queue_name}>
              {" · "}
              {one.queue_name === queue ? (
                <strong>{visibleLine(one.queue_name ?? NOTHING)}</strong>
              ) : (
                <a href={links.queue({ queue: one.queue_name ?? undefined })}>
                  {visibleLine(one.queue_name ?? NOTHING)}
                </a>
              )}{" "}
              ({count(one.messages)})
            </span>
          ))}
        </p>
      )}
      <Card title="Messages" flush>
        <QueueTable
          messages={messages}
          named={named_queues}
          caption={
            named_queues
              ? "Messages by queue, in the order in which they are taken"
              : "Messages in the queue, oldest first"
          }
          empty={
            <NoRows page={page} view={view}>
              <Empty title={emptyTitle(view.model)}>
                <p>
                  {waiting > 0 && "Which ones they are cannot be told. "}
                  {waiting === 0 && present && "Every invocation that was routed has been taken by a runner. "}
                  {!present && "The app keeps it in memory or in another store. "}
                  What runs now is in the <a href={links.invocations({ status: ["running"] })}>list of invocations</a>.
                </p>
              </Empty>
            </NoRows>
          }
        />
        {messages.length > 0 && <ViewPager page={page} view={view} />}
      </Card>
      {queue !== null && messages.length > 0 && (
        <DangerZone
          readOnly={view.readOnly}
          actions={[
            {
              label: "Purge this queue …",
              href: links.purgeBroker({ queue }),
              text: "Deletes the messages of this queue: the invocations they stand for are not executed.",
            },
          ]}
        />
      )}
    </>
  );
}

function summaryOf({ queue_peek, named_queues }: QueuePage): string {
  if (!queue_peek) return "This broker only tells how many messages wait: looking at one would take it.";
  const order = named_queues
    ? "Within each queue the greatest priority first, then the oldest; which queue is next is up to each runner."
    : "Oldest first.";
  return `${order} Looking takes nothing away: messages stay in the queue and keep their order.`;
}

/** Messages that wait and cannot be listed. */
function unseen({ queue_peek, page }: QueuePage): number {
  return queue_peek ? 0 : (page.total ?? 0);
}

function emptyTitle(model: QueuePage): string {
  if (!model.present) return "The queue is not in this store";
  const waiting = unseen(model);
  if (waiting === 0) return "The queue is empty";
  return `${count(waiting)} ${waiting === 1 ? "message waits" : "messages wait"}`;
}
