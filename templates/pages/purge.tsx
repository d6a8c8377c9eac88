import type { PurgePreview } from "../../src/api/actions.ts";
import { hiddenMessageColumns } from "../../src/presentation/facts/message.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { WAITING_STATUSES } from "../../src/pynenc/statuses.ts";
import { ActionEffects } from "../fragments/actions/action-preview.tsx";
import { QueueTable } from "../fragments/queue/queue-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ConfirmForm } from "../fragments/ui/confirm-form.tsx";
import { SwitchField } from "../fragments/ui/filter-form.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Asks before a purge. */
export function PurgeContent({ model, path, query }: View<PurgePreview>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title={`Purge ${model.title}`}
        trail={[place(model, links)]}
        summary={
          <>
            Of the app <bdi class="mono">{visibleLine(model.app_id)}</bdi>.
            {!model.queue_shared && " Other apps in this store are not touched."}
          </>
        }
      />
      <ActionEffects preview={model}>{model.messages.length > 0 && <Messages model={model} />}</ActionEffects>
      <Card title="Confirm">
        {model.total === 0 && model.refused === null ? (
          <Notice tone="info">Nothing to delete.</Notice>
        ) : (
          <ConfirmForm
            appId={model.app_id}
            action={links.current(path)}
            label={`Purge ${model.title}`}
            fields={query}
            typed
            cancelHref={place(model, links).href}
            refused={model.refused}
          >
            {model.queue !== null && (
              <p>
                Only this queue. <a href={links.purgeBroker()}>Purge all queues instead</a>
              </p>
            )}
            {model.stranded_messages !== 0 && (
              <SwitchField name="empty_queue" label={emptyQueueLabel(model)} on={false} />
            )}
            <p>
              {model.target === "broker" ? (
                <>
                  The messages and their priorities are lost; the{" "}
                  <a href={links.invocations({ status: WAITING_STATUSES })}>waiting invocations</a> stay.{" "}
                </>
              ) : (
                "This cannot be undone. "
              )}
              {model.purge_is_atomic
                ? "Either everything is deleted, or nothing."
                : "It runs in steps. If it is interrupted, what was already deleted stays deleted, and you can run it again."}
            </p>
          </ConfirmForm>
        )}
      </Card>
    </>
  );
}

/** The messages that are taken first, instead of their mere number. */
function Messages({ model: { messages, queue, total } }: { model: PurgePreview }) {
  const links = useLinks();
  const more = total - messages.length;
  return (
    <>
      <QueueTable
        messages={messages}
        named={messages.some(({ queue_name }) => queue_name !== null)}
        hide={hiddenMessageColumns(queue)}
        caption="Messages that would be deleted, in the order they are taken"
        empty={null}
      />
      {more > 0 && (
        <p class="card-note">
          <a href={links.queue({ queue: queue ?? undefined })}>and {count(more)} more</a>
        </p>
      )}
    </>
  );
}

/** How many messages would be deleted as well. */
function emptyQueueLabel({ stranded_messages: stranded }: PurgePreview): string {
  if (stranded === null) return "Empty the queue first";
  return `Empty the queue first: ${stranded === 1 ? "1 message" : `${count(stranded)} messages`} more would be deleted`;
}

function place({ target, queue }: PurgePreview, links: Links): { label: string; href: string } {
  if (queue !== null) return { label: `Queue ${visibleLine(queue)}`, href: links.queue({ queue }) };
  switch (target) {
    case "all":
      return { label: "Store", href: links.store() };
    case "broker":
      return { label: "Queues", href: links.broker() };
    case "orchestrator":
      return { label: "Orchestrator", href: links.orchestrator() };
    case "state-backend":
      return { label: "State backend", href: links.stateBackend() };
    case "client-data-store":
      return { label: "Client data", href: links.clientDataStore() };
    case "triggers":
      return { label: "Triggers", href: links.triggers() };
  }
}
