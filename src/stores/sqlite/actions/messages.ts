/** Enqueues messages in the format of the table. */
import { type EpochSeconds, julianDayFromEpoch } from "../../../pynenc/time.ts";
import { DEFAULT_ROUTING, type MessageRoute, type Routing } from "../../ports/actions.ts";
import { hasNamedQueues } from "../tables/tables.ts";
import type { Access } from "./changes.ts";

export interface Messages {
  /** Where a message of this task goes; null in layouts with a single unnamed queue. */
  routeOf(task: string): MessageRoute | null;
  add(invocationId: string, route: MessageRoute | null): void;
}

/**
 * The columns decide whether queues have names, because 0.4 does not change an older table.
 *
 * @param at when the messages are added; the time of the write by default.
 */
export function messagesOf(
  access: Access,
  { tasks, fallback }: Routing = DEFAULT_ROUTING,
  at: EpochSeconds | null = null,
): Messages {
  const { changes, tables } = access("broker");
  const named = hasNamedQueues(tables);
  const stamp = at === null ? {} : { created_at: julianDayFromEpoch(at) };
  return {
    // A task may have the name of a member of Object.prototype.
    routeOf: (task) => (named ? ((Object.hasOwn(tasks, task) ? tasks[task] : undefined) ?? fallback) : null),
    // Number and time of a message are defaults of the table, as for pynenc's own messages.
    add: (invocation_id, route) =>
      changes.insert(tables.name("broker", "message_queue"), { invocation_id, ...stamp, ...(route ?? {}) }),
  };
}
