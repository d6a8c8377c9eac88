import type { ComponentChildren } from "preact";
import type { QueuedInvocation } from "../../../src/api/components.ts";
import { count, NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { InvocationStatus } from "../invocations/invocation-table.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";

export interface QueueTableProps {
  messages: readonly QueuedInvocation[];
  caption: string;
  empty: ComponentChildren;
  /** Queues have names and messages priorities. */
  named: boolean;
}

/** Messages of each queue in the order in which runners take them. */
export function QueueTable({ messages, caption, empty, named }: QueueTableProps) {
  const links = useLinks();
  return (
    <DataTable
      caption={caption}
      columns={[
        ...(named ? [{ label: "Queue" }] : []),
        { label: "Position", align: "end", hint: named ? "In its queue; 1 is taken next" : "1 is taken next" },
        ...(named ? [{ label: "Priority", align: "end" as const, hint: "Higher is taken first" }] : []),
        { label: "Invocation", rowHeader: true },
        { label: "Task" },
        { label: "Status" },
        { label: "Waiting since", hint: "When the message was added to the queue" },
        {
          label: "Registered",
          hint: "When the invocation was created; long before Waiting since if it was rerouted or retried",
        },
        { label: "Retries", align: "end" },
      ]}
      rows={messages.map((message) => ({
        // The same invocation may be queued twice.
        key: `${message.queue_name} ${message.place} ${message.invocation_id}`,
        cells: [
          ...(named
            ? [
                <a key="queue" href={links.queue({ queue: message.queue_name ?? undefined })}>
                  {visibleLine(message.queue_name ?? NOTHING)}
                </a>,
              ]
            : []),
          <span key="place" class="number muted">
            {count(message.place)}
          </span>,
          ...(named
            ? [
                <span key="priority" class="number">
                  {message.priority ?? NOTHING}
                </span>,
              ]
            : []),
          <Id key="id" value={message.invocation_id} href={links.invocation(message.invocation_id)} />,
          message.task_id_key === null ? (
            <span key="task" class="muted">
              not stored
            </span>
          ) : (
            <TaskName key="task" task_id_key={message.task_id_key} href={links.task(message.task_id_key)} />
          ),
          <span key="status">
            <InvocationStatus row={message} />
            {message.final && (
              <span
                class="muted"
                title="Usually a runner that waited for it ran it. A runner that takes the message drops it."
              >
                {" "}
                already final
              </span>
            )}
          </span>,
          <Time key="queued" iso={message.queued_at} relative />,
          <Time key="registered" iso={message.registered_at} relative />,
          <Count key="retries" value={message.retry_count} />,
        ],
      }))}
      empty={empty}
    />
  );
}
