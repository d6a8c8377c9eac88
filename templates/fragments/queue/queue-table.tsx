import type { ComponentChildren } from "preact";
import type { BrokerOverview } from "../../../src/api/components.ts";
import type { QueuedInvocation } from "../../../src/api/model/queued-invocations.ts";
import { MESSAGE_COLUMNS, OF_NAMED_QUEUES } from "../../../src/presentation/facts/message.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { useLinks } from "../../links.ts";
import { ColumnTable } from "../facts/column-table.tsx";
import { Empty } from "../ui/empty.tsx";

export interface QueueTableProps {
  messages: readonly QueuedInvocation[];
  caption: string;
  empty: ComponentChildren;
  /** Queues have names and messages priorities. */
  named: boolean;
  /** Columns that are not known. */
  hide?: readonly string[];
}

/** Messages of each queue in the order in which runners take them. */
export function QueueTable({ messages, caption, empty, named, hide = [] }: QueueTableProps) {
  return (
    <ColumnTable
      caption={caption}
      columns={MESSAGE_COLUMNS}
      hide={[...(named ? [] : OF_NAMED_QUEUES), ...hide]}
      records={messages}
      // The same invocation may be queued twice.
      keyOf={(message) => `${message.queue_name} ${message.place} ${message.invocation_id}`}
      empty={empty}
    />
  );
}

interface NoMessagesProps extends Pick<BrokerOverview, "queue_peek" | "queues_complete"> {
  /** The only queue that is looked at. */
  queue?: string | null;
  /** Messages that are not listed. */
  messages: number;
}

/** Why no message is listed. */
export function NoMessages({ queue = null, queue_peek: listed, queues_complete: complete, messages }: NoMessagesProps) {
  const links = useLinks();
  const onlyCounted = !listed && messages > 0;
  return (
    <Empty title={titleOf()}>
      {onlyCounted && "RabbitMQ cannot list messages without consuming them, so only the count is shown. "}
      {!onlyCounted && complete && queue === null && "No message is waiting for a runner. "}
      Running invocations are in the <a href={links.invocations({ status: ["running"] })}>list of invocations</a>.
    </Empty>
  );

  function titleOf(): string {
    if (onlyCounted) return `${counted(messages, "message")} in the queue`;
    if (!complete) return "No message found yet";
    if (queue !== null) return `No message is in queue ${visibleLine(queue)}`;
    return messages > 0 ? "No waiting messages" : "The queue is empty";
  }
}
