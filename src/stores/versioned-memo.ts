/**
 * Caches figures that need a walk over an index (counts per status, per task) as long as the store's version token is unchanged. On a store that
 * changes all the time, an expensive figure is reused for this multiple of its cost, so that counting takes at most about a tenth of a thread,
 * however many tabs are open.
 */
const REUSE_FOR_COSTS = 10;

/** Most figures; the one that was computed longest ago goes first. Some are of a filter that a user made up. */
const MOST = 200;

/** Figures cheaper than this are recomputed after every change. */
const CHEAP_MS = 25;

interface Entry {
  token: string;
  value: Promise<unknown>;
  /** Milliseconds on the monotonic clock; Infinity while it is computed. */
  doneAt: number;
  cost: number;
}

export class VersionedMemo {
  readonly #version: () => Promise<string>;
  readonly #clock: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(version: () => Promise<string>, clock: () => number = () => performance.now()) {
    this.#version = version;
    this.#clock = clock;
  }

  /** @param version read before the value: changes during the computation make the value newer than its token, never older. */
  async get<T>(key: string, compute: () => Promise<T>, version = this.#version()): Promise<T> {
    const token = await version;
    const known = this.#entries.get(key);
    if (known !== undefined && (known.token === token || this.#fresh(known, token))) return known.value as Promise<T>;
    const startedAt = this.#clock();
    const value = compute();
    const entry: Entry = { token, value, doneAt: Number.POSITIVE_INFINITY, cost: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST) break;
      this.#entries.delete(oldest);
    }
    value.then(
      () => {
        entry.doneAt = this.#clock();
        entry.cost = entry.doneAt - startedAt;
      },
      () => {
        // Current callers receive the failure; it is not cached.
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return value;
  }

  /** Drops all cached figures, even expensive ones. */
  forget(): void {
    this.#entries.clear();
  }

  #fresh(entry: Entry, token: string): boolean {
    if (placeOf(entry.token) !== placeOf(token)) return false;
    // Already being computed: share the result.
    if (entry.doneAt === Number.POSITIVE_INFINITY) return true;
    return entry.cost > CHEAP_MS && this.#clock() - entry.doneAt < entry.cost * REUSE_FOR_COSTS;
  }
}

/** The part of a token that changes when the data is another's altogether (`Store.version`): figures of a file that is gone are not reused. */
function placeOf(token: string): string {
  return token.slice(0, token.lastIndexOf(".") + 1);
}
