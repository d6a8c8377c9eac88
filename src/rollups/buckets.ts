/** Numbers over time: one bucket per minute for the last two days, one per hour before that. Minutes are also summed up by the hour (`sumHours`). */
import { type EpochSeconds, MICROSECOND } from "../pynenc/time.ts";
import { eachPacked, type JoinedBuckets, joined, packed, separated } from "./packed-bucket.ts";
import { keyOf, memberOf, merged, slotOf } from "./slots.ts";

export const MINUTE = 60;
export const HOUR = 3_600;

/** By default, older minutes are merged into hours. */
const MINUTES_KEPT = 48 * HOUR;

/**
 * Limits for open buckets. An open bucket takes twenty times the memory of a packed one, so few stay open, and fewer if they are large. Writes go to
 * neighbouring buckets: those of one batch of history fit within the limit.
 */
const MAX_OPEN = 64;
const MAX_LARGE_OPEN = 8;
const MAX_OPEN_NUMBERS = 40_000;

/** A time span. `from` is inclusive, `to` exclusive. */
export interface TimeSpan {
  from: EpochSeconds;
  to: EpochSeconds;
}

/** The time slices by which a reader adds numbers up. It does not need to know where in a slice a number belongs. */
export interface Slices {
  /** Start of any slice. */
  from: EpochSeconds;
  /** Length of each slice in seconds. */
  length: number;
  /** Everything from this instant on is one slice. */
  to?: EpochSeconds;
}

/** For readers that add everything up. */
export const ONE_SLICE: Slices = { from: 0, length: Number.POSITIVE_INFINITY };

/** Buckets being written to are open, all others are packed (packed-bucket.ts). */
type Bucket = OpenBucket | Uint8Array;

/** A bucket that accepts numbers. */
class OpenBucket {
  readonly numbers = new Map<number, number>();

  add(member: number, slot: number, number: number): void {
    this.#put(keyOf(member, slot), number);
  }

  /** Adds all numbers of another bucket. */
  merge(bucket: Bucket): void {
    eachNumber(bucket, (key, number) => this.#put(key, number));
  }

  #put(key: number, number: number): void {
    const before = this.numbers.get(key);
    this.numbers.set(key, before === undefined ? number : merged(slotOf(key), before, number));
  }
}

/** Plain data to restore buckets from: packed buckets by their index. */
export interface SavedBuckets {
  hoursUntil: EpochSeconds;
  minutes: JoinedBuckets;
  hours: JoinedBuckets;
  /** Sums of the minutes by hour. */
  sums: JoinedBuckets;
}

const NONE: SavedBuckets = {
  hoursUntil: Number.NEGATIVE_INFINITY,
  minutes: joined(new Map()),
  hours: joined(new Map()),
  sums: joined(new Map()),
};

export class Buckets {
  readonly #minutes: Map<number, Bucket>;
  readonly #hours: Map<number, Bucket>;
  /** Instants before this one are counted by the hour. */
  #hoursUntil: EpochSeconds;
  /** Sums of the minutes of an hour, by hour. Forgotten as soon as one of the minutes changes. */
  readonly #sums: Map<number, Uint8Array>;
  /** The open buckets, and where each of them belongs. */
  readonly #open = new Map<OpenBucket, { buckets: Map<number, Bucket>; index: number }>();
  readonly #minutesKept: number;

  /** @param minutesKept how many seconds before the newest entry are kept by the minute. */
  constructor({ hoursUntil, minutes, hours, sums }: SavedBuckets = NONE, minutesKept = MINUTES_KEPT) {
    this.#minutesKept = minutesKept;
    this.#hoursUntil = hoursUntil;
    this.#minutes = separated(minutes);
    this.#hours = separated(hours);
    this.#sums = separated(sums);
  }

  saved(): SavedBuckets {
    // A command that continues from here would need longer for that than for all else.
    this.sumHours(Number.POSITIVE_INFINITY);
    const all = (buckets: ReadonlyMap<number, Bucket>) =>
      joined(new Map([...buckets].map(([at, one]) => [at, one instanceof OpenBucket ? packed(one.numbers) : one])));
    return {
      hoursUntil: this.#hoursUntil,
      minutes: all(this.#minutes),
      hours: all(this.#hours),
      sums: all(this.#sums),
    };
  }

  /** The bucket of an instant, open for writing. Use it before requesting the next one, which may pack it. */
  at(instant: EpochSeconds): OpenBucket {
    if (instant < this.#hoursUntil) return this.#opened(this.#hours, Math.floor(instant / HOUR));
    return this.#opened(this.#minutes, Math.floor(instant / MINUTE));
  }

  /**
   * Reports the time of the newest entry. Minutes much older than that (two days by default) are merged into hours.
   */
  advance(newest: EpochSeconds): void {
    const until = hoursUntil(newest, this.#minutesKept);
    if (until <= this.#hoursUntil) return;
    this.#hoursUntil = until;
    for (const [minute, bucket] of this.#minutes) {
      if (minute * MINUTE >= until) continue;
      this.#opened(this.#hours, hourOf(minute)).merge(bucket);
      this.#minutes.delete(minute);
      this.#sums.delete(hourOf(minute));
    }
    this.#packAll();
  }

  /** Extends a span to bucket boundaries. */
  aligned({ from, to }: TimeSpan): TimeSpan {
    const step = (at: EpochSeconds) => (at < this.#hoursUntil ? HOUR : MINUTE);
    const last = step(to - MICROSECOND);
    return { from: Math.floor(from / step(from)) * step(from), to: Math.ceil(to / last) * last };
  }

  /** Start of the bucket of an instant. */
  beginning(at: EpochSeconds): EpochSeconds {
    return this.aligned({ from: at, to: at }).from;
  }

  /** Length of the longest bucket of a span, in seconds. */
  longestIn({ from }: TimeSpan): number {
    return from < this.#hoursUntil ? HOUR : MINUTE;
  }

  /**
   * Adds up the minutes of hours that nothing is being written to. Questions about days then read far fewer numbers: the minutes of a week can have
   * millions.
   *
   * @param milliseconds after which no further hour is begun.
   * @returns whether hours are left.
   */
  sumHours(milliseconds: number): boolean {
    const until = performance.now() + milliseconds;
    const parts = new Map<number, Uint8Array[] | null>();
    for (const [minute, bucket] of this.#minutes) {
      const hour = hourOf(minute);
      if (this.#sums.has(hour)) continue;
      const known = parts.get(hour);
      if (bucket instanceof OpenBucket) parts.set(hour, null);
      else if (known === undefined) parts.set(hour, [bucket]);
      else known?.push(bucket);
    }
    for (const [hour, minutes] of parts) {
      if (minutes === null) continue;
      if (performance.now() >= until) return true;
      const sum = new OpenBucket();
      for (const minute of minutes) sum.merge(minute);
      this.#sums.set(hour, packed(sum.numbers));
    }
    return false;
  }

  /**
   * All numbers of the buckets that touch a span, in no particular order. The minutes of an hour may come as their sum, with the beginning of the hour,
   * where the whole hour is in the span and in one slice.
   */
  forEach(
    { from, to }: TimeSpan,
    visit: (at: EpochSeconds, member: number, slot: number, number: number) => void,
    slices: Slices,
  ): void {
    const each = (at: EpochSeconds, bucket: Bucket) =>
      eachNumber(bucket, (key, number) => visit(at, memberOf(key), slotOf(key), number));
    const summed = new Set<number>();
    for (const [hour, sum] of this.#sums) {
      const [begin, end] = [hour * HOUR, hour * HOUR + HOUR];
      if (begin < from || end > to || !isInOneSlice(slices, begin, end - MINUTE)) continue;
      summed.add(hour);
      each(begin, sum);
    }
    for (const [minute, bucket] of this.#minutes) {
      const at = minute * MINUTE;
      if (at + MINUTE > from && at < to && !summed.has(hourOf(minute))) each(at, bucket);
    }
    for (const [hour, bucket] of this.#hours) {
      const at = hour * HOUR;
      if (at + HOUR > from && at < to) each(at, bucket);
    }
  }

  /** Forgets the buckets that touch a span. */
  drop({ from, to }: TimeSpan): void {
    for (const [buckets, step] of [
      [this.#minutes, MINUTE],
      [this.#hours, HOUR],
    ] as const) {
      for (const index of buckets.keys()) {
        if (index * step + step <= from || index * step >= to) continue;
        buckets.delete(index);
        this.#sums.delete(Math.floor((index * step) / HOUR));
      }
    }
  }

  /** Approximate size of all buckets in bytes. */
  get bytes(): number {
    let bytes = 0;
    for (const buckets of [this.#minutes, this.#hours, this.#sums]) {
      for (const bucket of buckets.values()) {
        bytes += bucket instanceof OpenBucket ? bucket.numbers.size * 40 : bucket.byteLength + 200;
      }
    }
    return bytes;
  }

  #opened(buckets: Map<number, Bucket>, index: number): OpenBucket {
    const known = buckets.get(index);
    if (known instanceof OpenBucket) return known;
    if (buckets === this.#minutes) this.#sums.delete(hourOf(index));
    if (this.#isFull()) this.#packAll();
    const open = new OpenBucket();
    if (known !== undefined) open.merge(known);
    buckets.set(index, open);
    this.#open.set(open, { buckets, index });
    return open;
  }

  #isFull(): boolean {
    if (this.#open.size < MAX_LARGE_OPEN) return false;
    let numbers = 0;
    for (const open of this.#open.keys()) numbers += open.numbers.size;
    return this.#open.size >= MAX_OPEN || numbers >= MAX_OPEN_NUMBERS;
  }

  #packAll(): void {
    for (const [bucket, { buckets, index }] of this.#open) {
      // It may have been merged or dropped since.
      if (buckets.get(index) === bucket) buckets.set(index, packed(bucket.numbers));
    }
    this.#open.clear();
  }
}

/** Before this instant there are only hours. @param newest time of the newest entry. */
export function hoursUntil(newest: EpochSeconds, minutesKept = MINUTES_KEPT): EpochSeconds {
  return Math.floor((newest - minutesKept) / HOUR) * HOUR;
}

function hourOf(minute: number): number {
  return Math.floor((minute * MINUTE) / HOUR);
}

function isInOneSlice(
  { from, length, to = Number.POSITIVE_INFINITY }: Slices,
  first: EpochSeconds,
  last: EpochSeconds,
): boolean {
  if (first >= to) return true;
  if (last >= to) return false;
  return Math.floor((first - from) / length) === Math.floor((last - from) / length);
}

function eachNumber(bucket: Bucket, visit: (key: number, number: number) => void): void {
  if (bucket instanceof OpenBucket) for (const [key, number] of bucket.numbers) visit(key, number);
  else eachPacked(bucket, visit);
}
