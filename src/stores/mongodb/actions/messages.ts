/** Messages in the app's form. */
import type { EpochSeconds } from "../../../pynenc/time.ts";
import { DEFAULT_ROUTING, type MessageRoute, type Routing } from "../../ports/actions.ts";
import { dateOf } from "../collections/fields.ts";
import { hasNamedQueues } from "../collections/named-queues.ts";
import type { MongoReading } from "../collections/reading.ts";
import { loadedDriver } from "../server/client.ts";
import type { Document } from "../server/db.ts";

export interface Messages {
  /** Where a message of this task goes; null in layouts with a single unnamed queue. */
  routeOf(task: string): MessageRoute | null;
  messageOf(invocationId: string, route: MessageRoute | null): Document;
}

/** @param at when they are put in; null for now */
export async function messagesOf(
  reading: MongoReading,
  { tasks, fallback }: Routing = DEFAULT_ROUTING,
  at: EpochSeconds | null = null,
): Promise<Messages> {
  const named = await hasNamedQueues(reading);
  // The time is the same for all, as for a batch of pynenc's own: the order of insertion decides then.
  const created_at = dateOf(at ?? Date.now() / 1000);
  return {
    // A task may have the name of a member of Object.prototype.
    routeOf: (task) => (named ? ((Object.hasOwn(tasks, task) ? tasks[task] : undefined) ?? fallback) : null),
    messageOf: (invocation_id, route) => ({
      invocation_id,
      ...(route === null
        ? {}
        : // A whole number would be written as one: the plugin writes floats.
          { queue_name: route.queue_name, priority: new (loadedDriver().Double)(route.priority) }),
      created_at,
    }),
  };
}
