import type { RowCount } from "../../ports/actions.ts";
import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import { PURGE_ORDER } from "../../server/action-steps.ts";
import { hasNamedQueues } from "../collections/named-queues.ts";
import { COLLECTIONS, shownName } from "../collections/names.ts";
import { presentCollections } from "../collections/present.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Changes } from "./changes.ts";

/** A purge keeps it: without its registration an app is not found until one of its processes starts again (storage-format.md 7.2). */
const KEPT = "app_info";

/** Empties the collections of components, which stay with their indexes. */
export async function purge(
  reading: MongoReading,
  changes: Changes,
  components: readonly ComponentName[],
): Promise<RowCount[]> {
  const present = components.length === 0 ? [] : await presentCollections(reading);
  const emptied = new Map<ComponentName, RowCount[]>();
  for (const component of PURGE_ORDER) {
    if (!components.includes(component)) continue;
    const counts: RowCount[] = [];
    for (const found of present) {
      if (found.component !== component || found.collection === KEPT) continue;
      const rows = await changes.empty(component, found.collection as never, {});
      counts.push({ component, name: found.shown, rows, exact: true });
    }
    emptied.set(component, counts);
  }
  return COMPONENTS.flatMap((component) => emptied.get(component) ?? []);
}

/** Empties one named queue. */
export async function purgeQueue(reading: MongoReading, changes: Changes, queueName: string): Promise<RowCount> {
  const named = await hasNamedQueues(reading);
  const rows = named ? await changes.empty("broker", "messages", { queue_name: queueName }) : 0;
  return {
    component: "broker",
    name: shownName(COLLECTIONS.broker.messages),
    rows,
    exact: true,
  };
}
