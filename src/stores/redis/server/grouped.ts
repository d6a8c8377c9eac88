/** Groups values by name, keeping their order. */
export function grouped<T>(pairs: Iterable<readonly [name: string, value: T]>): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const [name, value] of pairs) {
    const some = found.get(name);
    if (some === undefined) found.set(name, [value]);
    else some.push(value);
  }
  return found;
}
