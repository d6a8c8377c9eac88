import type { QueuePage } from "../../src/services/broker.ts";
import { Card } from "../fragments/card.tsx";
import { Empty } from "../fragments/empty.tsx";
import { QueueTable } from "../fragments/queue-table.tsx";
import { NoRows, ViewPager } from "../fragments/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { count } from "../text.ts";
import type { View } from "./view.ts";

export function QueueContent(view: View<QueuePage>) {
  const links = useLinks();
  const waiting = unseen(view.model);
  const { present, queue_peek, messages, page } = view.model;
  return (
    <>
      <PageHeader
        title="Queue"
        trail={[{ label: "Broker", href: links.broker() }]}
        summary={
          queue_peek
            ? "Oldest first. Looking takes nothing away: messages stay in the queue and keep their order."
            : "This broker only tells how many messages wait: looking at one would take it."
        }
      />
      <Card title="Messages" flush>
        <QueueTable
          messages={messages}
          first={page.first_row}
          caption="Messages in the queue, oldest first"
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
    </>
  );
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
