/** Map with a maximum size that evicts the oldest entry. */
export class BoundedMap<T> {
  readonly #max: number;
  readonly #values = new Map<string, T>();

  constructor(max: number) {
    this.#max = max;
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
    if (this.#values.size > this.#max && first !== undefined) this.#values.delete(first);
  }
}
