/** Numbers by time: one bucket for each minute, and beyond two days one for each hour. */
import type { EpochSeconds } from "../pynenc/time.ts";
import { merged, SLOTS } from "./slots.ts";

export const MINUTE = 60;
export const HOUR = 3_600;

/** Older minutes are merged into hours. */
const MINUTES_KEPT = 48 * HOUR;

/** Buckets that are kept open: those that are added to are neighbours. The others are packed. */
const MOST_OPEN = 64;

/** A stretch of time: `from` belongs to it, `to` does not. */
export interface TimeSpan {
  from: EpochSeconds;
  to: EpochSeconds;
}

/** One bucket in few bytes: equal places of the two arrays belong together. */
interface PackedBucket {
  keys: Uint32Array;
  numbers: Numbers;
}

/** Float32Array has whole numbers up to 16 million, and seven digits of others. */
type Numbers = Float32Array | Float64Array;

type Bucket = OpenBucket | PackedBucket;

/** A bucket to which numbers are added. */
class OpenBucket {
  readonly numbers = new Map<number, number>();

  add(member: number, slot: number, number: number): void {
    const key = member * SLOTS + slot;
    const before = this.numbers.get(key);
    this.numbers.set(key, before === undefined ? number : merged(slot, before, number));
  }

  /** Adds all numbers of another one. */
  merge(bucket: Bucket): this {
    eachNumber(bucket, (key, number) => this.add(Math.floor(key / SLOTS), key % SLOTS, number));
    return this;
  }
}

export class Buckets {
  readonly #array: typeof Float32Array | typeof Float64Array;
  readonly #minutes = new Map<number, Bucket>();
  readonly #hours = new Map<number, Bucket>();
  /** Instants before this one are counted by hour. */
  #hoursUntil: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** Buckets that are not packed. */
  #open = 0;

  /** @param array of the numbers of buckets that are not added to. */
  constructor(array: typeof Float32Array | typeof Float64Array) {
    this.#array = array;
  }

  /** The bucket of an instant, to be added to before the next one is asked for. */
  at(instant: EpochSeconds): OpenBucket {
    const [buckets, step] = instant < this.#hoursUntil ? [this.#hours, HOUR] : [this.#minutes, MINUTE];
    const place = Math.floor(instant / step);
    const known = buckets.get(place);
    if (known instanceof OpenBucket) return known;
    if (this.#open >= MOST_OPEN) this.#packAll();
    const open = new OpenBucket();
    if (known !== undefined) open.merge(known);
    buckets.set(place, open);
    this.#open++;
    return open;
  }

  /**
   * Tells how new the newest entry is: minutes that are more than two days older are merged into hours from now on.
   */
  advance(newest: EpochSeconds): void {
    const until = Math.floor((newest - MINUTES_KEPT) / HOUR) * HOUR;
    if (until <= this.#hoursUntil) return;
    this.#hoursUntil = until;
    for (const [minute, bucket] of this.#minutes) {
      if (minute * MINUTE >= until) continue;
      const hour = Math.floor((minute * MINUTE) / HOUR);
      const merged = this.#hours.get(hour);
      this.#hours.set(
        hour,
        this.#packed((merged === undefined ? new OpenBucket() : new OpenBucket().merge(merged)).merge(bucket)),
      );
      this.#minutes.delete(minute);
    }
  }

  /** The span of whole buckets that covers a span. */
  aligned({ from, to }: TimeSpan): TimeSpan {
    const step = (at: EpochSeconds) => (at < this.#hoursUntil ? HOUR : MINUTE);
    const last = step(to - 1e-6);
    return { from: Math.floor(from / step(from)) * step(from), to: Math.ceil(to / last) * last };
  }

  /** Length of the longest bucket of a span, in seconds. */
  longestIn({ from }: TimeSpan): number {
    return from < this.#hoursUntil ? HOUR : MINUTE;
  }

  /** All numbers of the buckets that touch a span, in no particular order. */
  forEach(
    { from, to }: TimeSpan,
    visit: (at: EpochSeconds, member: number, slot: number, number: number) => void,
  ): void {
    for (const [buckets, step] of [
      [this.#minutes, MINUTE],
      [this.#hours, HOUR],
    ] as const) {
      for (const [place, bucket] of buckets) {
        const at = place * step;
        if (at + step <= from || at >= to) continue;
        eachNumber(bucket, (key, number) => visit(at, Math.floor(key / SLOTS), key % SLOTS, number));
      }
    }
  }

  /** Forgets the buckets that touch a span. */
  drop({ from, to }: TimeSpan): void {
    for (const [buckets, step] of [
      [this.#minutes, MINUTE],
      [this.#hours, HOUR],
    ] as const) {
      for (const place of buckets.keys()) {
        if (place * step + step > from && place * step < to) buckets.delete(place);
      }
    }
  }

  /** Bytes of all buckets, about. */
  get bytes(): number {
    let bytes = 0;
    for (const buckets of [this.#minutes, this.#hours]) {
      for (const bucket of buckets.values()) {
        bytes +=
          bucket instanceof OpenBucket
            ? bucket.numbers.size * 40
            : bucket.keys.byteLength + bucket.numbers.byteLength + 200;
      }
    }
    return bytes;
  }

  #packAll(): void {
    for (const buckets of [this.#minutes, this.#hours]) {
      for (const [place, bucket] of buckets) {
        if (bucket instanceof OpenBucket) buckets.set(place, this.#packed(bucket));
      }
    }
    this.#open = 0;
  }

  #packed(bucket: Bucket): PackedBucket {
    if (!(bucket instanceof OpenBucket)) return bucket;
    return { keys: Uint32Array.from(bucket.numbers.keys()), numbers: this.#array.from(bucket.numbers.values()) };
  }
}

function eachNumber(bucket: Bucket, visit: (key: number, number: number) => void): void {
  if (bucket instanceof OpenBucket) {
    for (const [key, number] of bucket.numbers) visit(key, number);
    return;
  }
  const { keys, numbers } = bucket;
  for (let at = 0; at < keys.length; at++) visit(keys[at] ?? 0, numbers[at] ?? 0);
}
