import type { QueuePage } from "../../src/services/broker.ts";
import { Card } from "../fragments/card.tsx";
import { Empty } from "../fragments/empty.tsx";
import { QueueTable } from "../fragments/queue-table.tsx";
import { NoRows, ViewPager } from "../fragments/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function QueueContent(view: View<QueuePage>) {
  const links = useLinks();
  const { present, messages, page } = view.model;
  return (
    <>
      <PageHeader
        title="Queue"
        trail={[{ label: "Broker", href: links.broker() }]}
        summary="Oldest first. Looking takes nothing away: messages stay in the queue and keep their order."
      />
      <Card title="Messages" flush>
        <QueueTable
          messages={messages}
          first={page.first_row}
          caption="Messages in the queue, oldest first"
          empty={
            <NoRows page={page} view={view}>
              <Empty title={present ? "The queue is empty" : "The queue is not in this store"}>
                <p>
                  {present
                    ? "Every invocation that was routed has been taken by a runner. "
                    : "The app keeps it in memory or in another store. "}
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
