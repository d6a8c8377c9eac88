/** Map with a maximum size that is emptied when it is full: to find the oldest entry again and again takes long after many were removed. */
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
    if (this.#values.size >= this.#max) this.#values.clear();
    this.#values.set(id, value);
  }
}
