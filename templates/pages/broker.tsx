import type { BrokerOverview } from "../../src/api/components.ts";
import { count, visible } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { QueueHealthTable } from "../fragments/queue/queue-health-table.tsx";
import { NoMessages, QueueTable } from "../fragments/queue/queue-table.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { ComponentHead } from "../fragments/store/component-head.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
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
      <ComponentHead
        title="Queues"
        name="the queue"
        present={model.present}
        removals={[
          {
            href: links.purgeBroker(),
            label: model.named_queues ? "Purge all queues" : "Purge the queue",
            effect: "Deletes all messages: runners no longer receive these invocations.",
          },
        ]}
        readOnly={readOnly}
      >
        <p>Invocations waiting for a runner.</p>
        {model.queue_shared && (
          <p>Apps with the same server, virtual host and queue share it: their messages are counted too.</p>
        )}
        {model.queue_note !== null && <p>{visible(model.queue_note)}</p>}
      </ComponentHead>
      <VerdictsHere of={model} />
      {model.named_queues ? (
        <Card
          title={counted(model.queues.length + model.more_queues, "queue")}
          id="card-queues"
          flush
          actions={
            <span class="muted">
              <a href={links.queue()}>{counted(model.messages, "message")}</a>,{" "}
              <a href={links.runners()}>{counted(model.active_runners, "active runner")}</a>
            </span>
          }
        >
          <QueueHealthTable queues={model.queues} more_queues={model.more_queues} />
        </Card>
      ) : (
        <Tiles>
          <Tile
            label="Messages"
            value={<Count value={model.messages} />}
            href={links.queue()}
            hint={
              model.messages === 0
                ? "nothing waits"
                : waiting === model.messages
                  ? "all waiting"
                  : `${count(waiting)} of them waiting`
            }
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
      )}
      <Card
        title={model.named_queues ? "Taken next in each queue" : "Taken next"}
        flush
        actions={
          <>
            {model.named_queues && <span class="muted">highest priority first</span>}
            {!hidden && model.messages > model.next.length && (
              <a href={links.queue()}>All {counted(model.messages, "message")}</a>
            )}
          </>
        }
      >
        <QueueTable
          messages={model.next}
          named={model.named_queues}
          caption="Next messages, in the order they are taken"
          empty={<NoMessages {...model} />}
        />
      </Card>
      <Lately model={model} charts={["registered", "queued", "wait"]} />
      <Settings settings={model.settings} caption="Settings of the broker" />
    </>
  );
}

function Oldest({ model: { waiting, queues_complete, oldest_queued_at } }: { model: BrokerOverview }) {
  if (oldest_queued_at !== null) return <Time iso={oldest_queued_at} relative />;
  return <>{waiting === 0 && queues_complete ? "none" : "unknown"}</>;
}
