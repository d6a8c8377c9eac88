import type { EpochSeconds } from "../../pynenc/time.ts";

/** A generator of steps: each yielded number is a wait in seconds before the next step. */
export type Steps<T = void> = Generator<number, T, void>;

interface Entry {
  at: EpochSeconds;
  steps: Iterator<number, void, void>;
}

/**
 * Virtual time. Many stories run interleaved, and steps are executed in order of time, so rows are inserted in time order as in a real app (readers
 * search the history by rowid).
 */
export class Scheduler {
  /** Soonest first. Ties are resolved by order of arrival, so that a run is reproducible. */
  readonly #entries: Entry[] = [];
  #current: EpochSeconds;

  constructor(start: EpochSeconds) {
    this.#current = start;
  }

  get now(): EpochSeconds {
    return this.#current;
  }

  /** Starts a story after a delay in seconds. */
  spawn(steps: Iterator<number, void, void>, delay = 0): void {
    const at = this.#current + delay;
    const before = this.#entries.findLastIndex((entry) => entry.at <= at);
    this.#entries.splice(before + 1, 0, { at, steps });
  }

  /** Runs an action after a delay in seconds. */
  after(delay: number, action: () => void): void {
    const once = {
      next(): IteratorResult<number, void> {
        action();
        return { done: true, value: undefined };
      },
    };
    this.spawn(once, delay);
  }

  /** Executes every step due up to and including an instant; later calls execute the rest. */
  runUntil(end: EpochSeconds): void {
    for (let next = this.#entries[0]; next !== undefined && next.at <= end; next = this.#entries[0]) {
      this.#entries.shift();
      // Two steps at the same instant would have equal timestamps; a microsecond apart, every reader keeps their order.
      this.#current = Math.max(next.at, this.#current + 1e-6);
      const result = next.steps.next();
      if (!result.done) this.spawn(next.steps, result.value);
    }
    this.#current = Math.max(this.#current, end);
  }

  /** Postpones all future steps, as if the time until the instant had not passed: a laptop that slept. */
  skipTo(instant: EpochSeconds): void {
    const gap = instant - this.#current;
    if (gap <= 0) return;
    for (const entry of this.#entries) entry.at += gap;
    this.#current = instant;
  }
}
