/** Lists by key, in the order in which their values come, and the total of counts by key. */

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Groups rows by key; rows whose key is undefined are left out. */
export function rowsBy<Key, Row>(rows: Iterable<Row>, keyOf: (row: Row) => Key | undefined): Map<Key, Row[]> {
  const found = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== undefined) addTo(found, key, row);
  }
  return found;
}

/** Groups values by the key that each comes with. */
export function listsOf<Key, Value>(pairs: Iterable<readonly [Key, Value]>): Map<Key, Value[]> {
  const found = new Map<Key, Value[]>();
  for (const [key, value] of pairs) addTo(found, key, value);
  return found;
}

export function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}
