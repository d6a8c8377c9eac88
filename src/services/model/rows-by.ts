/** Groups rows by key and keeps their order. */
export function rowsBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const same = found.get(key);
    if (same === undefined) found.set(key, [row]);
    else same.push(row);
  }
  return found;
}
