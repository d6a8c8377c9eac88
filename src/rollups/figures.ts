/** The totals of the buckets of a span. */
import type { EpochSeconds } from "../pynenc/time.ts";
import { ONE_SLICE, type TimeSpan } from "./buckets.ts";
import type { Member } from "./members.ts";
import { BINS, QuantileBins } from "./quantile-bins.ts";
import type { Rollup } from "./rollup.ts";
import {
  BUSY_SECONDS,
  CONTINUED,
  ENTERED_WORDS,
  entering,
  FIRST_SEEN,
  LAST_SEEN,
  LONGEST_RUN,
  LONGEST_WAIT,
  leaving,
  merged,
  PAUSED_SECONDS,
  RUN_BINS,
  WAIT_BINS,
} from "./slots.ts";

export class Figures {
  /** Numbers of all slots except durations and instants. */
  readonly #counts = new Map<number, number>();
  readonly wait = new QuantileBins();
  readonly run = new QuantileBins();
  firstSeen: EpochSeconds | null = null;
  lastSeen: EpochSeconds | null = null;

  /** Entries that entered a status. */
  entered(status: string): number {
    return this.#counts.get(entering(status)) ?? 0;
  }

  /** Entries that left a status. */
  left(status: string): number {
    return this.#counts.get(leaving(status)) ?? 0;
  }

  /** Entries by status, only statuses that occur. */
  get byStatus(): Record<string, number> {
    return Object.fromEntries(
      ENTERED_WORDS.flatMap((word) => (this.entered(word) > 0 ? [[word, this.entered(word)]] : [])),
    );
  }

  /** Entries into each status minus entries out of it, only where they differ. */
  get changes(): Record<string, number> {
    const changes = ENTERED_WORDS.map((word): [string, number] => [word, this.entered(word) - this.left(word)]);
    return Object.fromEntries(changes.filter(([, change]) => change !== 0));
  }

  /** Entries of all statuses. */
  get entries(): number {
    return ENTERED_WORDS.reduce((sum, word) => sum + this.entered(word), 0);
  }

  get pausedSeconds(): number {
    return this.#counts.get(PAUSED_SECONDS) ?? 0;
  }

  /** Runs that began. */
  get started(): number {
    return this.entered("running") + this.entered("resumed") - (this.#counts.get(CONTINUED) ?? 0);
  }

  get busySeconds(): number {
    return this.#counts.get(BUSY_SECONDS) ?? 0;
  }

  add(slot: number, number: number): void {
    if (slot >= RUN_BINS) this.run.add(slot - RUN_BINS, number);
    else if (slot >= WAIT_BINS && slot < WAIT_BINS + BINS) this.wait.add(slot - WAIT_BINS, number);
    else if (slot === LONGEST_WAIT) this.wait.reach(number);
    else if (slot === LONGEST_RUN) this.run.reach(number);
    else if (slot === FIRST_SEEN) this.firstSeen = merged(slot, this.firstSeen ?? number, number);
    else if (slot === LAST_SEEN) this.lastSeen = merged(slot, this.lastSeen ?? number, number);
    else this.#counts.set(slot, (this.#counts.get(slot) ?? 0) + number);
  }
}

/**
 * Totals of a span, grouped by a key of its members.
 *
 * @param span as returned by `Buckets.aligned`: only complete buckets are counted.
 * @param keyOf returns undefined to leave a member out.
 */
export function figuresBy<Key>(
  rollup: Rollup,
  span: TimeSpan,
  keyOf: (member: Member, number: number) => Key | undefined,
): Map<Key, Figures> {
  const found = new Map<Key, Figures>();
  const figuresOf = byMember(rollup, (member, number) => {
    const key = keyOf(member, number);
    if (key === undefined) return null;
    const figures = found.get(key) ?? new Figures();
    found.set(key, figures);
    return figures;
  });
  rollup.buckets.forEach(span, (_, member, slot, number) => figuresOf(member)?.add(slot, number), ONE_SLICE);
  return found;
}

/**
 * Totals for each slice of a span, in order.
 *
 * @param length of a slice in seconds (`sliceLength`); the last one may be shorter.
 * @param wanted selects the members to count.
 */
export function figuresOverTime(
  rollup: Rollup,
  { from, to }: TimeSpan,
  length: number,
  wanted: (member: Member) => boolean,
): Figures[] {
  const all = Array.from({ length: Math.ceil((to - from) / length) }, () => new Figures());
  const counts = byMember(rollup, wanted);
  rollup.buckets.forEach(
    { from, to },
    (at, member, slot, number) => {
      if (counts(member)) all[Math.floor((at - from) / length)]?.add(slot, number);
    },
    { from, length },
  );
  return all;
}

/** Lengths of slices in seconds. Anything longer is a number of weeks. */
const LENGTHS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800,
];
const WEEK = 604_800;

/** The shortest slice length that covers the span with at most `most` slices and is not shorter than any of its buckets. */
export function sliceLength(rollup: Rollup, span: TimeSpan, most: number): number {
  return roundLength(span, most, rollup.buckets.longestIn(span));
}

/** The shortest round length in seconds, at least `least`, that covers the span with at most `most` slices. */
export function roundLength({ from, to }: TimeSpan, most: number, least = 1): number {
  const fits = (length: number) => length >= least && (to - from) / length <= most;
  return LENGTHS.find(fits) ?? Math.ceil((to - from) / most / WEEK) * WEEK;
}

/** Entries that were counted in a span. */
export function entriesBetween(rollup: Rollup, span: TimeSpan): number {
  return figuresBy(rollup, span, (member) => (member.kind === "task" ? "all" : undefined)).get("all")?.entries ?? 0;
}

/** Computes a value per member, once each. */
export function byMember<Made>(
  rollup: Rollup,
  make: (member: Member, number: number) => Made,
): (number: number) => Made | null {
  const made: (Made | undefined)[] = [];
  return (number) => {
    const known = made[number];
    if (known !== undefined) return known;
    const member = rollup.members.at(number);
    if (member === undefined) return null;
    const now = make(member, number);
    made[number] = now;
    return now;
  };
}
