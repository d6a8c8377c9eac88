/**
 * Compares the rows that a rollup was counted from with the stored rows, read again from the newest to the oldest. A rollup only knows the number of rows
 * and the sum of their fingerprints (`RowPrint`) per hour, so a difference shows which hour is affected, but not which row.
 */
import { PRINTS, type RowPrint } from "../pynenc/row-prints.ts";
import { type EpochSeconds, MICROSECOND } from "../pynenc/time.ts";
import { HOUR, ONE_SLICE, type TimeSpan } from "./buckets.ts";
import type { Rollup } from "./rollup.ts";
import { BUILDS_ON, DIGEST, merged, ROWS } from "./slots.ts";

/** Before 0.2.4, entries were written slightly out of order (storage-format.md 0.2). */
export const DISORDER = 30;
const DISORDERED_ENTRIES = 200;

/** Rows that were counted but have not been read again yet. */
interface HourLeft {
  rows: number;
  digest: number;
}

/** Rows that were counted in a span. */
export function rowsIn(rollup: Rollup, span: TimeSpan): HourLeft {
  const found = { rows: 0, digest: 0 };
  rollup.buckets.forEach(
    span,
    (_, __, slot, number) => {
      if (slot === ROWS) found.rows += number;
      if (slot === DIGEST) found.digest = merged(DIGEST, found.digest, number);
    },
    ONE_SLICE,
  );
  return found;
}

/**
 * The instant since which all stored rows have been read.
 *
 * @param since its value before these rows were read; infinite at first.
 * @param times when they were written, in the order of storage, oldest first.
 * @returns null if rows are not stored in the order of time: then nothing is known about unread ones.
 */
export function readSince(since: EpochSeconds | null, times: readonly EpochSeconds[]): EpochSeconds | null {
  if (since === null || times.length === 0) return since;
  const newest = times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY);
  // Unread rows may have the same time as the oldest one read.
  return newest > since + DISORDER ? null : Math.max(...times.slice(0, DISORDERED_ENTRIES)) + MICROSECOND;
}

export class HistoryCheck {
  /** By hour since the epoch. */
  readonly #left = new Map<number, HourLeft>();
  readonly #buildsOn = new Map<number, EpochSeconds>();
  #read: EpochSeconds | null = Number.POSITIVE_INFINITY;
  #lowest: EpochSeconds = Number.POSITIVE_INFINITY;
  #matching: EpochSeconds | null = null;
  #since: EpochSeconds | null = null;
  #differs = false;

  /** @param rollup as it is now: what is counted later is not compared. */
  constructor(rollup: Rollup) {
    rollup.buckets.forEach(
      { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
      (at, _, slot, number) => {
        const hour = Math.floor(at / HOUR);
        if (slot === ROWS) this.#hour(hour).rows += number;
        if (slot === DIGEST) add(this.#hour(hour), number);
        if (slot === BUILDS_ON) this.#buildsOn.set(hour, merged(slot, this.#buildsOn.get(hour) ?? number, number));
      },
      { from: 0, length: HOUR },
    );
  }

  /** The stored rows are not the ones that were counted. */
  get differs(): boolean {
    return this.#differs;
  }

  /** Everything counted since this instant matches the stored rows, including older rows that it depends on; null if that is not known yet. */
  get since(): EpochSeconds | null {
    return this.#since;
  }

  /** All rows since this instant have been read again, and are the ones that were counted; null if that is not known yet. */
  get matching(): EpochSeconds | null {
    return this.#matching;
  }

  /** The hours whose rows the counts of a span depend on: its own, from the first one with rows, and those in which its invocations began. */
  dependsOn({ from, to }: TimeSpan): TimeSpan {
    let first = Number.POSITIVE_INFINITY;
    for (const hour of this.#left.keys()) first = Math.min(first, hour);
    let oldest = Math.max(from, first * HOUR);
    for (const [hour, builtOn] of this.#buildsOn) {
      if ((hour + 1) * HOUR > from && hour * HOUR < to) oldest = Math.min(oldest, builtOn);
    }
    return { from: Math.floor(oldest / HOUR) * HOUR, to: Math.ceil(to / HOUR) * HOUR };
  }

  /**
   * Compares the next older rows.
   *
   * @param last these are the oldest stored rows.
   */
  take(prints: readonly RowPrint[], last: boolean): void {
    for (const { written_at, print } of prints) {
      this.#lowest = Math.min(this.#lowest, written_at);
      take(this.#hour(Math.floor(written_at / HOUR)), print);
    }
    this.#read = readSince(
      this.#read,
      prints.map(({ written_at }) => written_at),
    );
    // If rows are not in order of time, a missing row may still follow.
    this.#differs = [...this.#left.values()].some(({ rows, digest }) => (rows === 0 ? digest !== 0 : rows < 0 || last));
    this.#matching = this.#matchingSince();
    this.#since = this.#provenSince();
  }

  /**
   * Takes note that a part of the rollup was counted again.
   *
   * @param before rows of that part before it was counted again.
   * @param after rows of that part now.
   * @returns false if some of its rows may have been compared already and others not.
   */
  shift({ from, to }: TimeSpan, before: HourLeft, after: HourLeft): boolean {
    if (from >= this.#lowest) return true;
    if (to > this.#lowest) return false;
    const left = this.#hour(Math.floor(from / HOUR));
    left.rows += after.rows - before.rows;
    add(left, after.digest);
    add(left, PRINTS - before.digest);
    return true;
  }

  #hour(hour: number): HourLeft {
    const known = this.#left.get(hour) ?? { rows: 0, digest: 0 };
    this.#left.set(hour, known);
    return known;
  }

  #matchingSince(): EpochSeconds | null {
    if (this.#read === null) return null;
    let read = Math.ceil(this.#read / HOUR) * HOUR;
    for (const [hour, { rows, digest }] of this.#left) {
      if (rows !== 0 || digest !== 0) read = Math.max(read, (hour + 1) * HOUR);
    }
    return read;
  }

  #provenSince(): EpochSeconds | null {
    const matching = this.#matching;
    if (matching === null) return null;
    let since = matching;
    for (const [hour, oldest] of this.#buildsOn) {
      if (oldest < matching) since = Math.max(since, (hour + 1) * HOUR);
    }
    return since;
  }
}

/** Takes rows that are stored from those that were counted: nothing is left if they are the same. */
export function takeFrom(left: HourLeft, prints: readonly RowPrint[]): void {
  for (const { print } of prints) take(left, print);
}

function take(left: HourLeft, print: number): void {
  left.rows--;
  add(left, PRINTS - print);
}

function add(left: HourLeft, print: number): void {
  left.digest = merged(DIGEST, left.digest, print);
}
