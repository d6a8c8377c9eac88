import { listsOf } from "../../../pynenc/groups.ts";
import type { RowCount } from "../../ports/actions.ts";
import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import { PURGE_ORDER } from "../../server/action-steps.ts";
import { inChunks } from "../../server/chunks.ts";
import { type Collection, familyOf } from "../keys/families.ts";
import { collectionsIn } from "../keys/figures.ts";
import { SECTIONS, type Section } from "../keys/keys.ts";
import { layoutReads } from "../keys/layout.ts";
import type { QueueKey } from "../keys/queue-keys.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { numberOf } from "../server/db.ts";

/** Keys scanned and deleted per step. A server that loses most of its keys shrinks its hash table, and meanwhile a scan takes many times as long. */
const STEP = 1_000;

/** What a purge would delete: from the storage figures, which on a large server are estimated from a sample. */
export async function purgeable(reading: RedisReading, components: readonly ComponentName[]): Promise<RowCount[]> {
  const figures = components.length === 0 ? [] : await layoutReads(reading).figures();
  return figures
    .filter(({ component }) => components.includes(component))
    .map(({ component, name, rows, exact }) => ({ component, name, rows, exact }));
}

/**
 * Deletes every key of the components (storage-format.md 9.4). The registration of the app is stored elsewhere and is kept.
 *
 * @param beforeStep called before something is deleted.
 */
export async function purge(
  reading: RedisReading,
  components: readonly ComponentName[],
  beforeStep: () => void,
): Promise<RowCount[]> {
  const emptied = new Map<ComponentName, RowCount[]>();
  const collections = components.length === 0 ? [] : await collectionsIn(reading);
  for (const component of PURGE_ORDER) {
    if (!components.includes(component)) continue;
    const own = collections.filter((collection) => collection.component === component);
    emptied.set(component, await empty(reading, component, own, beforeStep));
  }
  // In the same order as the preview.
  return COMPONENTS.flatMap((component) => emptied.get(component) ?? []);
}

/** Keys deleted by a purge of one queue. The counter is kept, as in pynenc. */
async function keysOfQueue(reading: RedisReading, queueName: string): Promise<QueueKey[]> {
  const { named, queues } = await reading.queues();
  return named ? queues.filter(({ name }) => name === queueName) : [];
}

export async function purgeableQueue(reading: RedisReading, queueName: string): Promise<RowCount> {
  const queues = await keysOfQueue(reading, queueName);
  return queueCount(
    queueName,
    queues.map(({ messages }) => messages),
  );
}

/** Deletes the messages of one queue. */
export async function purgeQueue(reading: RedisReading, queueName: string, beforeStep: () => void): Promise<RowCount> {
  const queues = await keysOfQueue(reading, queueName);
  if (queues.length === 0) return queueCount(queueName, []);
  beforeStep();
  const replies = await reading
    .db("broker")
    .transaction([
      ...queues.map(({ key, type }) => [type === "list" ? "LLEN" : "ZCARD", key]),
      ["UNLINK", ...queues.map(({ key }) => key)],
    ]);
  return queueCount(queueName, replies.slice(0, queues.length).map(numberOf));
}

function queueCount(name: string, messages: readonly number[]): RowCount {
  return { component: "broker", name, rows: messages.reduce((sum, count) => sum + count, 0), exact: true };
}

async function empty(
  reading: RedisReading,
  component: ComponentName,
  collections: readonly Collection[],
  beforeStep: () => void,
): Promise<RowCount[]> {
  const db = reading.db(component);
  const byKey = new Map(collections.map((collection) => [collection.key, collection]));
  const rows = new Map<string, number>();
  for (const section of SECTIONS[component]) {
    for await (const found of db.scan(reading.keys.pattern(section, ""), STEP)) {
      for (const keys of inChunks(found, STEP)) {
        const deletions = deletionsOf(reading, section, keys, byKey);
        beforeStep();
        const replies = await db.transaction(deletions.flatMap(({ commands }) => commands));
        let at = 0;
        for (const { name, commands } of deletions) {
          // The first reply is the count.
          rows.set(name, (rows.get(name) ?? 0) + numberOf(replies[at]));
          at += commands.length;
        }
      }
    }
  }
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => ({ component, name, rows: count, exact: true }));
}

function deletionsOf(
  { keys: appKeys }: RedisReading,
  section: Section,
  keys: readonly string[],
  collections: ReadonlyMap<string, Collection>,
): { name: string; commands: Command[] }[] {
  const named = keys.flatMap((key): [string, string][] => {
    const rest = appKeys.rest(section, key);
    return rest === null || collections.has(key) ? [] : [[familyOf(section, rest), key]];
  });
  const deletedCollections = keys.flatMap((key) => {
    const collection = collections.get(key);
    return collection === undefined
      ? []
      : [
          {
            name: collection.name,
            commands: [
              [collection.count, key],
              ["UNLINK", key],
            ] as Command[],
          },
        ];
  });
  return [
    ...deletedCollections,
    ...[...listsOf(named)].map(([name, some]) => ({ name, commands: [["UNLINK", ...some]] })),
  ];
}
