/**
 * Makes a function that computes its result once per list of rows: kept rows (kept-reads.ts) are the same list until the store changes.
 *
 * @param derive must depend on the rows alone, not on the clock. Callers share its result.
 */
export function oncePerRows<Row, Derived>(
  derive: (rows: readonly Row[]) => Derived,
): (rows: readonly Row[]) => Derived {
  const known = new WeakMap<readonly Row[], { derived: Derived }>();
  return (rows) => {
    const earlier = known.get(rows);
    if (earlier !== undefined) return earlier.derived;
    const derived = derive(rows);
    known.set(rows, { derived });
    return derived;
  };
}
