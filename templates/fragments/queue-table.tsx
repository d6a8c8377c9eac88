import type { ComponentChildren } from "preact";
import type { QueuedInvocation } from "../../src/services/broker.ts";
import { useLinks } from "../links.ts";
import { count } from "../text.ts";
import { Count } from "./count.tsx";
import { DataTable } from "./data-table.tsx";
import { Id } from "./id.tsx";
import { InvocationStatus } from "./invocation-table.tsx";
import { TaskName } from "./task-name.tsx";
import { Time } from "./time.tsx";

export interface QueueTableProps {
  messages: readonly QueuedInvocation[];
  caption: string;
  empty: ComponentChildren;
  /** Place of the first message in the queue, from 1. */
  first?: number | undefined;
}

/** Messages in the order in which runners take them. */
export function QueueTable({ messages, caption, empty, first = 1 }: QueueTableProps) {
  const links = useLinks();
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "Place", align: "end", hint: "1 is taken next" },
        { label: "Invocation", rowHeader: true },
        { label: "Task" },
        { label: "Status" },
        { label: "Waiting since", hint: "When the message was put into the queue" },
        {
          label: "Registered",
          hint: "When the invocation was made; long before it waits when it was rerouted or retried",
        },
        { label: "Retries", align: "end" },
      ]}
      rows={messages.map((message, index) => ({
        // The same invocation may be queued twice.
        key: `${first + index} ${message.invocation_id}`,
        cells: [
          <span key="place" class="number muted">
            {count(first + index)}
          </span>,
          <Id key="id" value={message.invocation_id} href={links.invocation(message.invocation_id)} />,
          message.task_id_key === null ? (
            <span key="task" class="muted">
              not stored
            </span>
          ) : (
            <TaskName key="task" task_id_key={message.task_id_key} href={links.task(message.task_id_key)} />
          ),
          <InvocationStatus key="status" row={message} />,
          <Time key="queued" iso={message.queued_at} relative />,
          <Time key="registered" iso={message.registered_at} relative />,
          <Count key="retries" value={message.retry_count} />,
        ],
      }))}
      empty={empty}
    />
  );
}
