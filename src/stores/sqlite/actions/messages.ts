/** Puts messages into the queue, in the form that the table has. */
import { DEFAULT_ROUTING, type MessageRoute, type Routing } from "../../ports/actions.ts";
import { hasNamedQueues } from "../tables/tables.ts";
import type { Access } from "./changes.ts";

export interface Messages {
  /** Where a message of this task goes; null where the one queue has no name. */
  routeOf(task: string): MessageRoute | null;
  add(invocationId: string, route: MessageRoute | null): void;
}

/** Only the columns show whether queues have names, because 0.4 does not change an older table. */
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
