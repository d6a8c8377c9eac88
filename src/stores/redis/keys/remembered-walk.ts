/** Requests do not wait for a walk that takes longer than this if there is an older result. */
const SLOW_MS = 100;

/** An expensive walk is repeated once its result is older than this multiple of its duration, so walks take at most a twentieth of the server's time. */
const REUSE_FOR_COSTS = 20;

/** How long callers with an alternative wait for the first walk. */
const PATIENCE_MS = 1_500;

/**
 * Cached result of a walk over all keys of a server, valid while the server's version is unchanged. On a large server, where a walk takes seconds,
 * requests get the last result at once while the next walk runs in the background.
 */
export class RememberedWalk<T> {
  readonly #version: () => Promise<string>;
  readonly #walk: () => Promise<T>;
  readonly #isLong: () => Promise<boolean>;
  /** The last completed walk. Times are milliseconds on the monotonic clock. */
  #last: { token: string; found: T; doneAt: number; cost: number } | null = null;
  /** The walk in progress. */
  #next: { found: Promise<T>; startedAt: number } | null = null;

  /** The check of the version that all callers of this moment share: the server receives it after any change that one of them may know of. */
  #check: Promise<string> | null = null;

  /** @param isLong whether a walk takes longer than `foundInTime` would wait. */
  constructor(version: () => Promise<string>, walk: () => Promise<T>, isLong = () => Promise.resolve(false)) {
    this.#version = version;
    this.#walk = walk;
    this.#isLong = isLong;
  }

  /**
   * The result: current, or slightly outdated if a walk is expensive.
   *
   * @param version checked before, if the result need not be newer than that.
   */
  async found(version?: Promise<string>): Promise<T> {
    // Read before the walk: changes during the walk make the result newer than its token, never older.
    const token = await (version ?? this.#checked());
    const last = this.#last;
    if (last !== null && last.token === token) return last.found;
    const mayReuse = last !== null && last.cost > SLOW_MS;
    if (mayReuse && performance.now() - last.doneAt < last.cost * REUSE_FOR_COSTS) return last.found;
    this.#next ??= this.#begin(token);
    return mayReuse ? last.found : this.#next.found;
  }

  /** Like `found`; null during the first walk over a large server. */
  async foundInTime(version?: Promise<string>): Promise<T | null> {
    const walking = this.found(version);
    if (this.#last !== null) return walking;
    // If it fails later, the next caller receives the error.
    walking.catch(() => undefined);
    if (await this.#isLong()) return this.#last === null ? null : walking;
    const since = this.#next?.startedAt ?? performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), Math.max(0, since + PATIENCE_MS - performance.now()));
    });
    try {
      return await Promise.race([walking, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Call it after this process has changed names: the next caller walks again, unless the last walk took more than `keepAboveMs` milliseconds. */
  expire(keepAboveMs: number): void {
    if (this.#last !== null && this.#last.cost > keepAboveMs) return;
    this.#last = null;
    this.#next = null;
  }

  #checked(): Promise<string> {
    if (this.#check === null) {
      this.#check = this.#version();
      queueMicrotask(() => {
        this.#check = null;
      });
    }
    return this.#check;
  }

  #begin(token: string): { found: Promise<T>; startedAt: number } {
    const startedAt = performance.now();
    const walking = { found: this.#walk(), startedAt };
    walking.found.then(
      (found) => {
        // Expired: it started before the names changed.
        if (this.#next !== walking) return;
        this.#next = null;
        const doneAt = performance.now();
        this.#last = { token, found, doneAt, cost: doneAt - startedAt };
      },
      () => {
        // Current callers receive the failure; it is not cached.
        if (this.#next === walking) this.#next = null;
      },
    );
    return walking;
  }
}
