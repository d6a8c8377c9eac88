import type { EpochSeconds } from "../../pynenc/time.ts";

/** A generator of steps: each yielded number is a wait in seconds before the next step. */
export type Steps<T = void> = Generator<number, T, void>;

interface Entry {
  at: EpochSeconds;
  /** Ties are resolved by order of arrival, so that a run is reproducible. */
  order: number;
  steps: Iterator<number, void, void>;
}

/**
 * Virtual time. Many stories run interleaved, and steps are executed in order of time, so rows are inserted in time order as in a real app (readers
 * search the history by rowid).
 */
export class Scheduler {
  #heap: Entry[] = [];
  #order = 0;
  #current: EpochSeconds;

  constructor(start: EpochSeconds) {
    this.#current = start;
  }

  get now(): EpochSeconds {
    return this.#current;
  }

  /** Starts a story after a delay in seconds. */
  spawn(steps: Steps, delay = 0): void {
    this.#push({ at: this.#current + delay, order: this.#order++, steps });
  }

  /** Runs an action after a delay in seconds. */
  after(delay: number, action: () => void): void {
    const once = {
      next(): IteratorResult<number, void> {
        action();
        return { done: true, value: undefined };
      },
    };
    this.#push({ at: this.#current + delay, order: this.#order++, steps: once });
  }

  /** Executes every step due up to and including an instant; later calls execute the rest. */
  runUntil(end: EpochSeconds): void {
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#pop();
      // Two steps at the same instant would have equal timestamps; a microsecond apart, every reader keeps their order.
      this.#current = Math.max(next.at, this.#current + 1e-6);
      const result = next.steps.next();
      if (!result.done) this.#push({ at: this.#current + result.value, order: this.#order++, steps: next.steps });
    }
    this.#current = Math.max(this.#current, end);
  }

  /** Postpones all future steps, as if the time until the instant had not passed: a laptop that slept. */
  skipTo(instant: EpochSeconds): void {
    const gap = instant - this.#current;
    if (gap <= 0) return;
    for (const entry of this.#heap) entry.at += gap;
    this.#current = instant;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent] as Entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (!before(heap[child] as Entry, last)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
  }
}

function before(left: Entry, right: Entry): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
