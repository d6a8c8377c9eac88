import type { BrokerOverview } from "../../src/api/components.ts";
import { count } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { QueueHealthTable } from "../fragments/queue/queue-health-table.tsx";
import { QueueTable } from "../fragments/queue/queue-table.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DangerZone } from "../fragments/ui/danger-zone.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { SettingsTable } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

export function BrokerContent({ model, readOnly }: View<WithVerdicts<BrokerOverview>>) {
  const links = useLinks();
  const hidden = !model.queue_peek && model.messages > 0;
  const unlisted = model.oldest_queued_at === null && model.waiting > 0;
  const { waiting } = model;
  const unconsumed =
    waiting > 0 && model.active_runners === 0 && model.queues.some(({ health }) => health !== "unknown");
  return (
    <>
      <PageHeader
        title="Queue"
        summary={`The ${model.named_queues ? "queues" : "queue"} of invocations waiting for a runner.`}
      />
      {!model.present && (
        <Notice tone="warn">
          The broker has no data in this store: the app keeps its queue in memory or in another store, which this
          monitor cannot see.
        </Notice>
      )}
      {model.queue_shared && (
        <Notice tone="info">
          Apps configured with the same server, virtual host and queue share this queue, so their messages are counted
          here too.
        </Notice>
      )}
      <Notes notes={model.queue_note === null ? [] : [model.queue_note]} />
      <VerdictsHere of={model} />
      <Tiles>
        <Tile
          label={model.named_queues ? "In all queues" : "In the queue"}
          value={<Count value={model.messages} />}
          href={links.queue()}
          hint={waiting === model.messages ? "messages" : `${count(waiting)} of them waiting`}
        />
        <Tile
          label="Oldest waiting"
          value={<Oldest model={model} />}
          hint={unlisted ? "not available from this broker" : "in the queue since"}
        />
        <Tile
          label="Active runners"
          value={<Count value={model.active_runners} />}
          href={links.runners()}
          tone={unconsumed ? "bad" : "plain"}
          hint="take messages"
        />
      </Tiles>
      <Lately lately={model.lately} charts={["registered", "queued", "wait"]} />
      {model.named_queues && (
        <Card title="Queues" flush>
          <QueueHealthTable queues={model.queues} more_queues={model.more_queues} />
        </Card>
      )}
      <Card
        title={model.named_queues ? "Taken next in each queue" : "Taken next"}
        flush
        actions={
          !hidden &&
          model.messages > model.next.length && <a href={links.queue()}>All {counted(model.messages, "message")}</a>
        }
      >
        <QueueTable
          messages={model.next}
          named={model.named_queues}
          caption="Messages that runners will take next"
          empty={
            <Empty title={emptyTitle(model)}>
              {hidden && <p>RabbitMQ cannot list messages without consuming them, so only the count is shown.</p>}
              {!hidden && model.present && model.queues_complete && <p>No message is waiting for a runner.</p>}
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
            label: model.named_queues ? "Purge all queues …" : "Purge the queue …",
            href: links.purgeBroker(),
            text: "Deletes all messages: runners no longer receive these invocations.",
          },
        ]}
      />
    </>
  );
}

function Oldest({ model: { waiting, queues_complete, oldest_queued_at } }: { model: BrokerOverview }) {
  if (oldest_queued_at !== null) return <Time iso={oldest_queued_at} relative />;
  return <>{waiting === 0 && queues_complete ? "none" : "unknown"}</>;
}

function emptyTitle({ present, queue_peek, queues_complete, messages }: BrokerOverview): string {
  if (!present) return "No queue in this store";
  if (!queues_complete && messages === 0) return "No message found yet";
  if (queue_peek && messages > 0) return "No waiting messages";
  return queue_peek || messages === 0 ? "The queue is empty" : "This queue can only be counted";
}
