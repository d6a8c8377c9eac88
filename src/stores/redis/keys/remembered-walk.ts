/** A walk that took longer than this is not made on a request's time once there is an older one. */
const SLOW_MS = 100;

/** A dear walk is made again when it is older than so many times its cost: it never takes more than a twentieth of the server's time. */
const REUSE_FOR_COSTS = 20;

/** The first walk of all is waited for this long where something else can be told meanwhile. */
const PATIENCE_MS = 1_500;

/**
 * What a walk over all keys of a server told. It holds while the server's version does; on a large server, where a walk takes seconds,
 * requests get what the last one told at once while the next goes on behind them.
 */
export class RememberedWalk<T> {
  readonly #version: () => Promise<string>;
  readonly #walk: () => Promise<T>;
  /** The last one that ended. Times are milliseconds on the monotonic clock. */
  #last: { token: string; found: T; doneAt: number; cost: number } | null = null;
  /** The one that goes on. */
  #next: { found: Promise<T>; startedAt: number } | null = null;

  constructor(version: () => Promise<string>, walk: () => Promise<T>) {
    this.#version = version;
    this.#walk = walk;
  }

  /** As of this moment or, where a walk is dear, of a moment ago. */
  async found(): Promise<T> {
    // Taken before the walk: what changes meanwhile makes the answer newer than its token, never older.
    const token = await this.#version();
    const last = this.#last;
    if (last !== null && last.token === token) return last.found;
    const mayReuse = last !== null && last.cost > SLOW_MS;
    if (mayReuse && performance.now() - last.doneAt < last.cost * REUSE_FOR_COSTS) return last.found;
    this.#next ??= this.#begin(token);
    return mayReuse ? last.found : this.#next.found;
  }

  /** As `found`; null while the first walk over a large server goes on. */
  async foundInTime(): Promise<T | null> {
    const walking = this.found();
    if (this.#last !== null) return walking;
    const since = this.#next?.startedAt ?? performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), Math.max(0, since + PATIENCE_MS - performance.now()));
    });
    // What goes wrong later is told to the next one who asks.
    walking.catch(() => undefined);
    try {
      return await Promise.race([walking, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** We changed names ourselves: the next who asks sees that, unless the last walk took more than `dearest` milliseconds. */
  expire(keepAboveMs: number): void {
    if (this.#last !== null && this.#last.cost > keepAboveMs) return;
    this.#last = null;
    this.#next = null;
  }

  #begin(token: string): { found: Promise<T>; startedAt: number } {
    const startedAt = performance.now();
    const walking = { found: this.#walk(), startedAt };
    walking.found.then(
      (found) => {
        // It began before we changed names.
        if (this.#next !== walking) return;
        this.#next = null;
        const doneAt = performance.now();
        this.#last = { token, found, doneAt, cost: doneAt - startedAt };
      },
      () => {
        // A failure is told to those who waited for it and not kept.
        if (this.#next === walking) this.#next = null;
      },
    );
    return walking;
  }
}
