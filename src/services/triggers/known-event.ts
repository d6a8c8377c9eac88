/** Whether a store can contain events, and the record of one. */
import { NotFoundError } from "../../errors.ts";
import type { EventRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { conditionsNaming } from "../model/named-events.ts";

/** A sentence if the store's layout does not record events; null if it does. */
export async function whyUnrecorded(reads: AppReads): Promise<string | null> {
  const { events, components } = await reads.layout.capabilities();
  if (events) return null;
  if (!components.trigger) {
    return "This store has no trigger data: the app keeps its triggers in memory or in another store.";
  }
  const { label } = await reads.layout.report();
  return `pynenc records events and trigger runs since 0.2.4; this store is from ${label}.`;
}

/** @throws NotFoundError. Its hint says if the store cannot contain events, or which valid condition names this one. */
export async function knownEvent(reads: AppReads, id: string): Promise<EventRecord> {
  const [event] = await reads.trigger.eventsByIds([id]);
  if (event === undefined) {
    const [why, [naming]] = await Promise.all([whyUnrecorded(reads), conditionsNaming(reads, id)]);
    const named = naming === undefined ? [] : [`The valid condition ${naming} names it.`];
    throw new NotFoundError("event", id, [...(why === null ? [] : [why]), ...named].join("\n") || null);
  }
  return event;
}
