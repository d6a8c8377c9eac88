/** Storage figures of an app. */
import { StoreUnreachableError } from "../../../errors.ts";
import { COMPONENTS } from "../../ports/common.ts";
import type { StorageFigure } from "../../ports/layout.ts";
import { numberOf, numberOrNull, type RedisDb } from "../server/db.ts";
import { type Collection, collectionsOf, componentOf, familyOf, sectionOf } from "./families.ts";
import type { RedisReading } from "./reading.ts";

/** Databases up to this many keys are counted; in larger ones a sample is. */
const COUNTED_KEYS = 100_000;

/** Keys in a sample. The count of a family with a tenth of all keys is accurate to two percent. */
const SAMPLE = 50_000;

/** Keys measured per family. */
const MEASURED_KEYS = 20;

/** Keys of one family found by a walk. */
interface WalkedFamily {
  figure: Pick<StorageFigure, "name" | "component">;
  keys: number;
  /** The first keys found. */
  examples: string[];
}

/**
 * Keys of each family, members of each collection, and their memory, estimated from a few keys of each. In a large database the number of keys is
 * estimated from the first keys of a SCAN: it returns keys in hash order, which is unrelated to their family, so they are a fair sample. A family
 * without a key in the sample is omitted.
 */
export async function storageFigures(reading: RedisReading): Promise<StorageFigure[]> {
  const databases = new Map(COMPONENTS.map((component) => [reading.db(component).location, reading.db(component)]));
  const figures = await Promise.all([...databases.values()].map((db) => figuresIn(reading, db)));
  return figures
    .flat()
    .sort((a, b) => COMPONENTS.indexOf(a.component) - COMPONENTS.indexOf(b.component) || (a.name < b.name ? -1 : 1));
}

async function figuresIn(reading: RedisReading, db: RedisDb): Promise<StorageFigure[]> {
  const isHere = ({ component }: Pick<StorageFigure, "component">) => reading.db(component).location === db.location;
  const collections = (await collectionsIn(reading)).filter(isHere);
  const [size = 0, ...members] = (
    await db.exchange([["DBSIZE"], ...collections.map(({ count, key }) => [count, key])])
  ).map(numberOf);
  const counted = collections
    .map(({ name, component, key }, i) => ({ figure: { name, component }, keys: members[i] ?? 0, examples: [key] }))
    .filter(({ keys }) => keys > 0);
  const { families, share } = await familiesIn(reading, db, size, collections);
  const walked = families.filter(({ figure }) => isHere(figure));
  const exact = share === 1;
  const bytes = await averageBytes(db, [...counted, ...walked]);
  return [
    ...counted.map(({ figure, keys }, i) => ({ ...figure, rows: keys, exact: true, bytes: totalBytes(bytes[i], 1) })),
    ...walked.map(({ figure, keys, examples }, i) => {
      const rows = Math.round(keys / share);
      // With only a few sizes the estimate for the keys outside the sample is unreliable.
      const enough = exact || examples.length === MEASURED_KEYS;
      return { ...figure, rows, exact, bytes: enough ? totalBytes(bytes[counted.length + i], rows) : null };
    }),
  ];
}

/** Collections with fixed names, and the queues of 0.4, whose names are discovered. */
export async function collectionsIn(reading: RedisReading): Promise<Collection[]> {
  const { queues } = await reading.queues();
  const named = queues
    .filter(({ type }) => type === "zset")
    .map(({ key }): Collection => {
      return { component: "broker", name: reading.keys.rest("broker", key) ?? key, key, count: "ZCARD" };
    });
  const found = new Set(named.map(({ key }) => key));
  return [...named, ...collectionsOf(reading.keys).filter(({ key }) => !found.has(key))];
}

/** Families with the keys found, and the fraction of all keys of the database that was scanned. */
async function familiesIn(
  reading: RedisReading,
  db: RedisDb,
  size: number,
  ownCollections: readonly Collection[],
): Promise<{ families: WalkedFamily[]; share: number }> {
  const { keys } = reading;
  const exact = size <= COUNTED_KEYS;
  const collections = new Set(ownCollections.map(({ key }) => key));
  const families = new Map<string, WalkedFamily>();
  const seen = new Set<string>();
  for await (const examples of db.scan(exact ? keys.everything() : "*")) {
    for (const key of examples) {
      if (seen.has(key)) continue;
      seen.add(key);
      const parts = keys.split(key);
      const section = parts === null ? null : sectionOf(parts.section);
      if (parts === null || section === null || collections.has(key)) continue;
      const name = familyOf(section, parts.rest);
      const family = families.get(name) ?? { figure: { name, component: componentOf(section) }, keys: 0, examples: [] };
      families.set(name, family);
      family.keys++;
      if (family.examples.length < MEASURED_KEYS) family.examples.push(key);
    }
    if (!exact && seen.size >= SAMPLE) break;
  }
  return { families: [...families.values()], share: exact ? 1 : Math.min(1, seen.size / size) };
}

/** Average memory per key of each of these; null for all if the server does not support MEMORY USAGE. */
async function averageBytes(db: RedisDb, family: readonly WalkedFamily[]): Promise<(number | null)[]> {
  try {
    // Sent in one batch, because each of many small batches would be a packet of its own.
    const keys = family.flatMap(({ examples }) => examples);
    const usage = await db.exchange(keys.map((key) => ["MEMORY", "USAGE", key]));
    return family.map(({ examples }) => {
      const sizes = usage.splice(0, examples.length).flatMap((reply) => numberOrNull(reply) ?? []);
      return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    });
  } catch (error) {
    // Some hosting providers do not offer the command, and some users may not use it.
    if (error instanceof StoreUnreachableError && error.reason !== "timeout") return family.map(() => null);
    throw error;
  }
}

function totalBytes(average: number | null | undefined, times: number): number | null {
  return average === null || average === undefined ? null : Math.round(average * times);
}
