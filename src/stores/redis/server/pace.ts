/** Whether a server is slow now, by how long it takes to answer us: then walks leave it time for others. */

/** Number of recent answers considered. */
const REMEMBERED = 15;

/** A server that answers within this many milliseconds never counts as slow. */
const QUICK_MS = 50;

/** Nor does one within this multiple of its fastest answer: it may be far away. */
const SLOWER = 5;

/**
 * While it is slow, a walk that nobody waits for takes a fifth of the time, and one for a page half of it: a page that is given up has cost the
 * server as much and shows nothing. Two seconds later it goes on in any case.
 */
const PAUSES = { behind: 4, page: 1 };
const LONGEST_PAUSE_MS = 2_000;

export class Pace {
  readonly #last: number[] = [];
  #quickest = Number.POSITIVE_INFINITY;

  /** @param ms that were waited for the first of an answer while nothing else was asked. */
  answered(ms: number): void {
    this.#quickest = Math.min(this.#quickest, ms);
    this.#last.push(ms);
    if (this.#last.length > REMEMBERED) this.#last.shift();
  }

  /** Milliseconds to wait before the next step of a walk; 0 where the server is not slow. */
  pause(walk: keyof typeof PAUSES): number {
    const half = median(this.#last);
    if (half <= Math.max(QUICK_MS, this.#quickest * SLOWER)) return 0;
    return Math.min(LONGEST_PAUSE_MS, half * PAUSES[walk]);
  }
}

/** 0 of nothing. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
