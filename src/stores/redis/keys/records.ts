import type { RedisDb } from "../server/db.ts";

/** What stands at the keys of these ids, each id once and in their order; without those whose text is missing or cannot be read. */
export async function recordsOf<T>(
  db: RedisDb,
  ids: readonly string[],
  keyOf: (id: string) => string,
  parse: (id: string, text: string) => T | null,
): Promise<T[]> {
  const distinct = [...new Set(ids)];
  const texts = await db.strings(distinct.map(keyOf));
  return distinct.flatMap((id, i) => {
    const text = texts[i] ?? null;
    return text === null ? [] : (parse(id, text) ?? []);
  });
}
