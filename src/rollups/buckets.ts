/** Numbers by time: one bucket for each minute, and beyond two days one for each hour. */
import { type EpochSeconds, MICROSECOND } from "../pynenc/time.ts";
import { eachPacked, packed } from "./packed-bucket.ts";
import { keyOf, memberOf, merged, slotOf } from "./slots.ts";

export const MINUTE = 60;
export const HOUR = 3_600;

/** Older minutes are merged into hours, unless more are requested. */
const MINUTES_KEPT = 48 * HOUR;

/**
 * Entries are added to neighbouring buckets, which stay open: at most this many, and fewer large ones, because an open bucket takes twenty times the
 * memory of a packed one. What one stretch of the history touches fits in.
 */
const MOST_OPEN = 64;
const LARGE_OPEN = 8;
const MOST_OPEN_NUMBERS = 40_000;

/** A stretch of time: `from` belongs to it, `to` does not. */
export interface TimeSpan {
  from: EpochSeconds;
  to: EpochSeconds;
}

/** Buckets that are added to are open, the others packed (packed-bucket.ts). */
type Bucket = OpenBucket | Uint8Array;

/** A bucket to which numbers are added. */
class OpenBucket {
  readonly numbers = new Map<number, number>();

  add(member: number, slot: number, number: number): void {
    this.#put(keyOf(member, slot), number);
  }

  /** Adds all numbers of another one. */
  merge(bucket: Bucket): void {
    eachNumber(bucket, (key, number) => this.#put(key, number));
  }

  #put(key: number, number: number): void {
    const before = this.numbers.get(key);
    this.numbers.set(key, before === undefined ? number : merged(slotOf(key), before, number));
  }
}

/** Plain data from which buckets can be made again: packed buckets by their index. */
export interface SavedBuckets {
  hoursUntil: EpochSeconds;
  minutes: ReadonlyMap<number, Uint8Array>;
  hours: ReadonlyMap<number, Uint8Array>;
}

const NONE: SavedBuckets = { hoursUntil: Number.NEGATIVE_INFINITY, minutes: new Map(), hours: new Map() };

export class Buckets {
  readonly #minutes: Map<number, Bucket>;
  readonly #hours: Map<number, Bucket>;
  /** Instants before this one are counted by hour. */
  #hoursUntil: EpochSeconds;
  /** Buckets that are not packed. */
  readonly #open = new Set<OpenBucket>();
  readonly #minutesKept: number;

  /** @param minutesKept seconds before the newest entry that are counted by minute. */
  constructor({ hoursUntil, minutes, hours }: SavedBuckets = NONE, minutesKept = MINUTES_KEPT) {
    this.#minutesKept = minutesKept;
    this.#hoursUntil = hoursUntil;
    // Each in memory of its own: what is read from a file is one large piece.
    const own = (buckets: SavedBuckets["minutes"]) => [...buckets].map(([at, bytes]) => [at, bytes.slice()] as const);
    this.#minutes = new Map(own(minutes));
    this.#hours = new Map(own(hours));
  }

  saved(): SavedBuckets {
    const all = (buckets: ReadonlyMap<number, Bucket>) =>
      new Map([...buckets].map(([at, one]) => [at, one instanceof OpenBucket ? packed(one.numbers) : one]));
    return { hoursUntil: this.#hoursUntil, minutes: all(this.#minutes), hours: all(this.#hours) };
  }

  /** The bucket of an instant, to be added to before the next one is requested. */
  at(instant: EpochSeconds): OpenBucket {
    if (instant < this.#hoursUntil) return this.#opened(this.#hours, Math.floor(instant / HOUR));
    return this.#opened(this.#minutes, Math.floor(instant / MINUTE));
  }

  /**
   * Tells how new the newest entry is: minutes that are much older, two days unless said otherwise, are merged into hours from now on.
   */
  advance(newest: EpochSeconds): void {
    const until = Math.floor((newest - this.#minutesKept) / HOUR) * HOUR;
    if (until <= this.#hoursUntil) return;
    this.#hoursUntil = until;
    for (const [minute, bucket] of this.#minutes) {
      if (minute * MINUTE >= until) continue;
      this.#opened(this.#hours, Math.floor((minute * MINUTE) / HOUR)).merge(bucket);
      this.#minutes.delete(minute);
    }
    this.#packAll();
  }

  /** The span of whole buckets that covers a span. */
  aligned({ from, to }: TimeSpan): TimeSpan {
    const step = (at: EpochSeconds) => (at < this.#hoursUntil ? HOUR : MINUTE);
    const last = step(to - MICROSECOND);
    return { from: Math.floor(from / step(from)) * step(from), to: Math.ceil(to / last) * last };
  }

  /** When the bucket of an instant begins. */
  beginning(at: EpochSeconds): EpochSeconds {
    return this.aligned({ from: at, to: at }).from;
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
        eachNumber(bucket, (key, number) => visit(at, memberOf(key), slotOf(key), number));
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
        bytes += bucket instanceof OpenBucket ? bucket.numbers.size * 40 : bucket.byteLength + 200;
      }
    }
    return bytes;
  }

  #opened(buckets: Map<number, Bucket>, place: number): OpenBucket {
    const known = buckets.get(place);
    if (known instanceof OpenBucket) return known;
    if (this.#isFull()) this.#packAll();
    const open = new OpenBucket();
    if (known !== undefined) open.merge(known);
    buckets.set(place, open);
    this.#open.add(open);
    return open;
  }

  #isFull(): boolean {
    if (this.#open.size < LARGE_OPEN) return false;
    let numbers = 0;
    for (const open of this.#open) numbers += open.numbers.size;
    return this.#open.size >= MOST_OPEN || numbers >= MOST_OPEN_NUMBERS;
  }

  #packAll(): void {
    for (const buckets of [this.#minutes, this.#hours]) {
      for (const [place, bucket] of buckets) {
        if (bucket instanceof OpenBucket) buckets.set(place, packed(bucket.numbers));
      }
    }
    this.#open.clear();
  }
}

function eachNumber(bucket: Bucket, visit: (key: number, number: number) => void): void {
  if (bucket instanceof OpenBucket) for (const [key, number] of bucket.numbers) visit(key, number);
  else eachPacked(bucket, visit);
}
