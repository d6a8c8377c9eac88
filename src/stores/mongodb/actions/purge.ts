import type { RowCount } from "../../ports/actions.ts";
import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import { PURGE_ORDER } from "../../server/action-steps.ts";
import { hasNamedQueues } from "../broker/named-queues.ts";
import { COLLECTIONS, type CollectionOf, shownName } from "../collections/names.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Changes } from "./changes.ts";

/** A purge keeps it: without its registration an app is not found until one of its processes starts again (storage-format.md 7.2). */
const KEPT = "app_info";

/** Empties the collections of components, which stay with their indexes. */
export async function purge(changes: Changes, components: readonly ComponentName[]): Promise<RowCount[]> {
  const emptied = new Map<ComponentName, RowCount[]>();
  for (const component of PURGE_ORDER) {
    if (components.includes(component)) emptied.set(component, await empty(changes, component));
  }
  return COMPONENTS.flatMap((component) => emptied.get(component) ?? []);
}

async function empty(changes: Changes, component: ComponentName): Promise<RowCount[]> {
  const counts: RowCount[] = [];
  for (const [collection, name] of Object.entries(COLLECTIONS[component])) {
    if (collection === KEPT) continue;
    const rows = await changes.empty(component, collection as CollectionOf<typeof component>, {});
    if (rows > 0) counts.push({ component, name: shownName(name), rows, exact: true });
  }
  return counts;
}

/** Empties one named queue. */
export async function purgeQueue(reading: MongoReading, changes: Changes, queueName: string): Promise<RowCount> {
  const named = await hasNamedQueues(reading);
  const rows = named ? await changes.empty("broker", "messages", { queue_name: queueName }) : 0;
  return { component: "broker", name: shownName(COLLECTIONS.broker.messages), rows, exact: true };
}
