/** Map with a maximum size that evicts the oldest entry. */
export class BoundedMap<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#values.has(id);
  }

  get(id: string): T | undefined {
    return this.#values.get(id);
  }

  set(id: string, value: T): void {
    this.#values.set(id, value);
    const [first] = this.#values.keys();
    if (this.#values.size > this.#most && first !== undefined) this.#values.delete(first);
  }
}
