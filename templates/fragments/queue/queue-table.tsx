import type { ComponentChildren } from "preact";
import type { QueuedInvocation } from "../../../src/api/model/queued-invocations.ts";
import { MESSAGE_COLUMNS, OF_NAMED_QUEUES } from "../../../src/presentation/facts/message.ts";
import { ColumnTable } from "../facts/column-table.tsx";

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
