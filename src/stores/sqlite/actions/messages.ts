/** Puts messages into the queue, in the form that the table has. */
import { DEFAULT_ROUTING, type MessageRoute, type Routing } from "../../ports.ts";
import { hasNamedQueues } from "../tables/tables.ts";
import type { Access } from "./changes.ts";

export interface Messages {
  /** Where a message of this task goes; null where the one queue has no name. */
  routeOf(task: string): MessageRoute | null;
  add(invocationId: string, route: MessageRoute | null): void;
}

/** Whether queues have names is told by the columns and by nothing else: 0.4 leaves an older table as it is. */
export function messagesOf(access: Access, { tasks, fallback }: Routing = DEFAULT_ROUTING): Messages {
  const { changes, tables } = access("broker");
  const named = hasNamedQueues(tables);
  return {
    // A task may be called as a member that every object has.
    routeOf: (task) => (named ? ((Object.hasOwn(tasks, task) ? tasks[task] : undefined) ?? fallback) : null),
    // The number and the time of a message are the table's own defaults, as for those that pynenc adds.
    add: (invocation_id, route) =>
      changes.insert(tables.name("broker", "message_queue"), { invocation_id, ...(route ?? {}) }),
  };
}
