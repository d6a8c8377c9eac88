/** Prefix search in sorted names. */

/** The names with this prefix. `names` must be in the order of `sort()`. */
export function startingWith(names: readonly string[], beginning: string): string[] {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? "") < beginning) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (names[end]?.startsWith(beginning)) end++;
  return names.slice(low, end);
}
