import type { BrokerOverview } from "../../src/services/broker.ts";
import { Card } from "../fragments/card.tsx";
import { Count } from "../fragments/count.tsx";
import { DangerZone } from "../fragments/danger-zone.tsx";
import { Empty } from "../fragments/empty.tsx";
import { Notice } from "../fragments/notice.tsx";
import { QueueTable } from "../fragments/queue-table.tsx";
import { SettingsTable } from "../fragments/settings-table.tsx";
import { Tile, Tiles } from "../fragments/tile.tsx";
import { Time } from "../fragments/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { count } from "../text.ts";
import type { View } from "./view.ts";

export function BrokerContent({ model, readOnly }: View<BrokerOverview>) {
  const links = useLinks();
  const unconsumed = model.messages > 0 && model.active_runners === 0;
  return (
    <>
      <PageHeader title="Broker" summary="The queue of invocations that wait for a runner." />
      {!model.present && (
        <Notice tone="warn">
          The broker keeps nothing in this store: the app has its queue in memory or in another store, and this monitor
          cannot see it.
        </Notice>
      )}
      {unconsumed && (
        <Notice tone="error">
          Messages wait and no runner is active: nothing will be executed until a runner is started.{" "}
          <a href={links.runners({ show: "all" })}>All runners</a>
        </Notice>
      )}
      <Tiles>
        <Tile label="In the queue" value={<Count value={model.messages} />} href={links.queue()} hint="messages" />
        <Tile
          label="Oldest message"
          value={model.oldest_queued_at === null ? "none" : <Time iso={model.oldest_queued_at} relative />}
          hint="in the queue since"
        />
        <Tile
          label="Active runners"
          value={<Count value={model.active_runners} />}
          href={links.runners()}
          tone={unconsumed ? "bad" : "plain"}
          hint="take messages"
        />
      </Tiles>
      <Card
        title="Taken next"
        flush
        actions={model.messages > model.next.length && <a href={links.queue()}>All {count(model.messages)} messages</a>}
      >
        <QueueTable
          messages={model.next}
          caption="Messages that runners will take next"
          empty={
            <Empty title={model.present ? "The queue is empty" : "No queue in this store"}>
              {model.present && <p>Every invocation that was routed has been taken by a runner.</p>}
            </Empty>
          }
        />
      </Card>
      <Card title="Settings" flush>
        <SettingsTable settings={model.settings} caption="Settings of the broker" />
      </Card>
      <DangerZone
        readOnly={readOnly}
        actions={[
          {
            label: "Purge the queue …",
            href: links.purgeBroker(),
            text: "Deletes all messages: the invocations they stand for are not executed.",
          },
        ]}
      />
    </>
  );
}
