import type { RedisDb } from "../server/db.ts";

/** The records of these ids, distinct and in order, without missing or unreadable ones. */
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
