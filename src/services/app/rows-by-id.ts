/** Reads of rows by their ids: no row is read twice, and rows that several parts of an answer ask for at the same time are read together. */

/** Most rows that are known at a time. */
export const MOST_KNOWN = 10_000;

/** Rows by id; null for an id without one. */
export type KnownRows<Row> = Map<string, Row | null>;

/**
 * @param read of one snapshot; gives the rows in any order, without those that are not stored.
 * @param known what is known of this state of the store, and becomes known.
 */
export function rowsById<Row extends object>(
  read: (ids: readonly string[]) => Promise<Row[]>,
  idOf: (row: Row) => string,
  known: () => Promise<KnownRows<Row>>,
): (ids: readonly string[]) => Promise<Row[]> {
  let next: { ids: Set<string>; rows: Promise<ReadonlyMap<string, Row>> } | null = null;
  /** Being read, or read and not known, because there are too many. */
  const asked = new Map<string, Promise<ReadonlyMap<string, Row>>>();

  async function readNext(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Row>> {
    await new Promise((resolve) => setImmediate(resolve));
    next = null;
    const found = new Map((await read([...ids])).map((row) => [idOf(row), Object.freeze(row)]));
    const rows = await known();
    for (const id of ids) {
      if (rows.size >= MOST_KNOWN) break;
      rows.set(id, found.get(id) ?? null);
      asked.delete(id);
    }
    return found;
  }

  return async (ids) => {
    const rows = await known();
    const wanted = [...new Set(ids)];
    const fresh = wanted.filter((id) => !rows.has(id));
    for (const id of fresh) {
      if (asked.has(id)) continue;
      if (next === null) {
        const together = new Set<string>();
        next = { ids: together, rows: readNext(together) };
      }
      next.ids.add(id);
      asked.set(id, next.rows);
    }
    const read = await Promise.all(new Set(fresh.flatMap((id) => asked.get(id) ?? [])));
    return wanted.flatMap((id) => rows.get(id) ?? read.find((found) => found.has(id))?.get(id) ?? []);
  };
}
