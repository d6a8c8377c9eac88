/** The layout of an app's collections: the data contain no version, but each plugin makes its own collections and indexes. */
import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import type { LayoutReads, LayoutReport, StorageFigure } from "../../ports/layout.ts";
import { number } from "./fields.ts";
import { hasNamedQueues } from "./named-queues.ts";
import { COLLECTIONS } from "./names.ts";
import { type PresentCollection, presentCollections } from "./present.ts";
import type { MongoReading } from "./reading.ts";

/** Collections of an app that can be listed. */
const MOST_UNKNOWN = 100;

export function layoutReads(reading: MongoReading): LayoutReads {
  return {
    async report() {
      const [present, named, unknown_tables] = await Promise.all([
        reading.once(presentCollections),
        reading.once(hasNamedQueues),
        unknownCollections(reading),
      ]);
      return { ...described(present, named), trigger_schema: null, unknown_tables, gaps: [] };
    },

    async capabilities() {
      const [present, newest] = await Promise.all([
        reading.once(presentCollections),
        reading
          .of("orchestrator", "runner_heartbeats")
          .findOne({}, { sort: { last_heartbeat: -1 }, only: { consumed_queues: 1 } }),
      ]);
      const components = COMPONENTS.map((component) => [component, present.some((one) => one.component === component)]);
      return {
        events: has(present, "events"),
        executions: has(present, "executions"),
        components: Object.fromEntries(components) as Record<ComponentName, boolean>,
        queue_peek: true,
        consumed_queues: newest === null ? null : Array.isArray(newest.consumed_queues),
        queue_shared: false,
        purge_is_atomic: false,
        writes_refused: null,
      };
    },

    figures: async () => {
      const present = await reading.once(presentCollections);
      return Promise.all(present.map((one) => figureOf(reading, one)));
    },

    files: async () => [],
  };
}

function has(present: readonly PresentCollection[], collection: PresentCollection["collection"]): boolean {
  return present.some((one) => one.collection === collection);
}

function described(present: readonly PresentCollection[], named: boolean): Pick<LayoutReport, "label" | "evidence"> {
  if (!has(present, "invocations")) return { label: "incomplete", evidence: [] };
  const newer = has(present, "events") || has(present, "executions");
  const evidence = [
    ...(named ? ["the broker has named queues"] : []),
    ...(has(present, "events") ? ["events and trigger runs are recorded"] : []),
    ...(has(present, "executions") ? ["atomic-service executions are recorded"] : []),
  ];
  if (named) return { label: "0.4.0 or newer", evidence };
  if (newer) return { label: "0.3.0 or newer", evidence };
  return { label: "0.2.0 to 0.2.3", evidence: ["no collection that only plugins for pynenc 0.2.4 or newer make"] };
}

/** Collections of the app that no known plugin makes. */
async function unknownCollections(reading: MongoReading): Promise<string[]> {
  const { prefix } = reading.names;
  const known = new Set(COMPONENTS.flatMap((component) => Object.values<string>(COLLECTIONS[component])));
  const names = await Promise.all(
    COMPONENTS.map((component) => reading.db(component).collections(new RegExp(`^${prefix}_`))),
  );
  const rest = [...new Set(names.flat())].filter((name) => !known.has(name.slice(prefix.length + 1)));
  return rest.sort().slice(0, MOST_UNKNOWN);
}

/** The server's own figures. Bytes are those on its disk, with the indexes. */
async function figureOf(
  reading: MongoReading,
  { component, collection, shown }: PresentCollection,
): Promise<StorageFigure> {
  const { name, count } = reading.of(component, collection as never);
  const [rows, bytes] = await Promise.all([
    count({}),
    reading
      .db(component)
      .command({ collStats: name })
      .then(({ storageSize, totalIndexSize }) => number(storageSize) + number(totalIndexSize))
      // A user may lack the permission for it.
      .catch(() => null),
  ]);
  return { name: shown, component, rows, exact: true, bytes: Number.isFinite(bytes) ? bytes : null };
}
