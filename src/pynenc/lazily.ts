/** Made when it is asked for the first time, and kept: a command that needs none of it pays for none of it. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
