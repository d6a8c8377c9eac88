import type { QueuePage } from "../../src/api/components.ts";
import { visible } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { QueueTable } from "../fragments/queue/queue-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import type { View } from "./view.ts";

/** What waited at an instant of the past. */
export function QueueThen({ view }: { view: Pick<View<QueuePage>, "model" | "path" | "query"> }) {
  const { messages, page, queue_note, queues_complete } = view.model;
  const total = page.total ?? 0;
  return (
    <>
      <PageHeader title="Queues" />
      <Card
        title={`${queues_complete ? "" : "At least "}${counted(total, "invocation")} waited`}
        id="card-waited"
        flush
      >
        <QueueTable
          messages={messages}
          named={false}
          hide={["place"]}
          caption="Invocations that waited for a runner, the longest wait first"
          empty={
            <NoRows
              page={page}
              view={view}
              title={queues_complete ? "Nothing waited for a runner" : "What waited is not known"}
            />
          }
        />
        {messages.length > 0 && <ViewPager page={page} view={view} />}
        {queue_note !== null && <p class="card-note muted">{visible(queue_note)}</p>}
      </Card>
    </>
  );
}
