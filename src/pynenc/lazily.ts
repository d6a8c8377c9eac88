/** Creates a value on first use and caches it, so that a command does not pay for what it does not need. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
