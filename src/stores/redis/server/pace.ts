/** Detects by response times that a server is slow. Walks then pause to leave it time for other clients. */

/** Number of recent response times considered. */
const REMEMBERED = 15;

/** A server that responds within this many milliseconds never counts as slow. */
const FAST_MS = 50;

/** Nor does one within this multiple of its fastest response: it may be far away. */
const SLOW_FACTOR = 5;

/**
 * Pause as a multiple of the response time: on a slow server a background walk uses a fifth of the time, and a walk for a page half of it, because a
 * page that times out has cost the server as much and shows nothing. No pause exceeds two seconds.
 */
const PAUSES = { background: 4, page: 1 };
const LONGEST_PAUSE_MS = 2_000;

export class Pace {
  readonly #last: number[] = [];
  #fastest = Number.POSITIVE_INFINITY;

  /** @param ms time until the first reply, measured while no other command was pending. */
  record(ms: number): void {
    this.#fastest = Math.min(this.#fastest, ms);
    this.#last.push(ms);
    if (this.#last.length > REMEMBERED) this.#last.shift();
  }

  /** Milliseconds to wait before the next step of a walk; 0 if the server is not slow. */
  pause(walk: keyof typeof PAUSES): number {
    const half = median(this.#last);
    if (half <= Math.max(FAST_MS, this.#fastest * SLOW_FACTOR)) return 0;
    return Math.min(LONGEST_PAUSE_MS, half * PAUSES[walk]);
  }
}

/** 0 for an empty list. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
