/**
 * How many invocations of each task were registered, pending or running, and how many each runner had running, so that this is known for any bucket
 * of a minute or more without reading entries.
 *
 * Each minute stores how many invocations entered a group and how many left it. The count of a bucket is those in the group when it begins plus those
 * that enter during it. An invocation that leaves and returns within one bucket would count twice, so returns are stored per bucket length and
 * subtracted.
 *
 * Times are those at which statuses were entered (not written, as in all other counts), to match the bars of the timeline.
 */
import {
  bucketOf,
  eachGroupChange,
  type GroupChange,
  lastBucket,
  micros,
  OCCUPANCY_GROUPS,
  type OccupancyGroup,
  type Presence,
} from "../pynenc/occupancy.ts";
import type { HistoryRecord } from "../pynenc/records.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { Buckets, HOUR, MINUTE, type SavedBuckets, type Slices, type TimeSpan } from "./buckets.ts";
import { runnerSince } from "./facts.ts";
import { keyOf, memberOf, slotOf } from "./slots.ts";

/**
 * Bucket lengths for which returns are stored. In each of the two rows every length divides the next one, so a return within a bucket of one length
 * is also a return in all longer ones of the row: storing the shortest is enough.
 */
const ROWS: readonly (readonly number[])[] = [
  [60, 120, 600, 1_800, 3_600, 7_200, 21_600, 86_400, 604_800],
  [300, 900, 10_800, 43_200, 172_800],
];
const STEPS = ROWS.flat();
const MICROS_OF_ROWS = ROWS.map((row) => row.map((step) => ({ slot: STEPS.indexOf(step), length: micros(step) })));
const MICROS_OF_MINUTE = micros(MINUTE);

/** How long single minutes are kept: enough for a week in buckets of less than an hour. */
const MINUTES_KEPT = 8 * 24 * HOUR;

/** Entries written in the last minutes may be counted again (`Follower`), so they are kept apart, by when they were written. */
const FRESH_MINUTES = 125;

const GROUPS = OCCUPANCY_GROUPS.length;
// Slots of a bucket, by group.
const ENTERED = 0;
const LEFT = GROUPS;
/** By the shortest length in its row, then by group. */
const CAME_BACK = 2 * GROUPS;

/** More would mean years in buckets of a week. */
const MAX_BUCKETS = 1_000;

/** For one task or runner. Runners only have the group `running`. */
export interface MemberOccupancy {
  /** Its number among the members of the rollup. */
  member: number;
  group: OccupancyGroup;
  /** Invocations that were in the group just before the first bucket and were still in it when that began. */
  before: number;
  /** By bucket. */
  counts: number[];
}

/** Plain data to restore it from. */
export interface SavedOccupancy {
  settled: SavedBuckets;
  fresh: ReadonlyMap<number, ReadonlyMap<number, ReadonlyMap<number, number>>>;
  freshFrom: number;
  present: ReadonlyMap<number, number>;
  exact: boolean;
}

/** Changes of one group of a member. */
class GroupRow {
  readonly entered: number[];
  readonly left: number[];
  readonly back: number[];
  /** Sum of all changes after the last bucket. */
  later = 0;

  /** @param length number of buckets. */
  constructor(length: number) {
    this.entered = new Array<number>(length).fill(0);
    this.left = new Array<number>(length).fill(0);
    this.back = new Array<number>(length).fill(0);
  }
}

export class Occupancy {
  readonly #settled: Buckets;
  /** By the minute in which it was written, then by the minute it counts for, then by key. */
  readonly #fresh: Map<number, Map<number, Map<number, number>>>;
  /** Counts of entries written before this are final. */
  #freshFrom: number;
  /** Invocations in a group after everything counted so far, by key of `ENTERED`. */
  readonly #present: Map<number, number>;
  /** False once final counts had to be dropped. */
  #exact: boolean;

  constructor(saved?: SavedOccupancy) {
    this.#settled = new Buckets(saved?.settled, MINUTES_KEPT);
    this.#fresh = new Map(
      [...(saved?.fresh ?? [])].map(([written, minutes]) => [
        written,
        new Map([...minutes].map(([minute, numbers]) => [minute, new Map(numbers)])),
      ]),
    );
    this.#freshFrom = saved?.freshFrom ?? Number.NEGATIVE_INFINITY;
    this.#present = new Map(saved?.present);
    this.#exact = saved?.exact ?? true;
  }

  saved(): SavedOccupancy {
    return {
      settled: this.#settled.saved(),
      fresh: this.#fresh,
      freshFrom: this.#freshFrom,
      present: this.#present,
      exact: this.#exact,
    };
  }

  /** Approximate size in bytes. */
  get bytes(): number {
    let numbers = this.#present.size;
    for (const minutes of this.#fresh.values()) for (const one of minutes.values()) numbers += one.size;
    return this.#settled.bytes + numbers * 40;
  }

  get exact(): boolean {
    return this.#exact;
  }

  /**
   * Counts entries of one invocation.
   *
   * @param runnerNumber returns the member number of a runner.
   * @param history as in `Rollup.fold`.
   * @param counted says by index which entries to count.
   */
  count(
    task: number,
    runnerNumber: (runner_id: string) => number,
    history: readonly HistoryRecord[],
    counted: readonly boolean[],
  ): void {
    /** The current runner; null if no runner runs the invocation or its id is not stored. */
    let runner: number | null = null;
    /** When each runner last ran it. */
    const had = new Map<number, Presence>();
    eachGroupChange(history, (index, change) => {
      const entry = history[index];
      if (entry === undefined) return;
      const { left, entered } = change;
      const isCounted = counted[index] === true;
      if (isCounted) this.#countChange(entry, task, change);
      if (left !== null && runner !== null) {
        if (isCounted) this.#countChange(entry, runner, { left, entered: null });
        had.set(runner, left.presence);
      }
      const runner_id = entered?.group === "running" ? runnerSince(entry) : null;
      runner = runner_id === null ? null : runnerNumber(runner_id);
      if (runner === null || entered === null || !isCounted) return;
      this.#countChange(entry, runner, { left: null, entered: { ...entered, before: had.get(runner) ?? null } });
    });
  }

  /** Reports the time of the newest entry (`Buckets.advance`). */
  advance(newest: EpochSeconds): void {
    this.#settled.advance(newest);
    const from = Math.floor(newest / MINUTE) - FRESH_MINUTES;
    if (from <= this.#freshFrom) return;
    this.#freshFrom = from;
    for (const [written, minutes] of this.#fresh) {
      if (written >= from) continue;
      this.#fresh.delete(written);
      for (const [minute, numbers] of minutes) {
        const bucket = this.#settled.at(minute * MINUTE);
        for (const [key, number] of numbers) bucket.add(memberOf(key), slotOf(key), number);
      }
    }
  }

  /** Drops what was written in the minutes that overlap a span. */
  drop({ from, to }: TimeSpan): void {
    if (from < this.#freshFrom * MINUTE) this.#exact = false;
    for (const [written, minutes] of this.#fresh) {
      if (written * MINUTE + MINUTE <= from || written * MINUTE >= to) continue;
      this.#fresh.delete(written);
      for (const numbers of minutes.values()) for (const [key, number] of numbers) this.#move(key, -number);
    }
  }

  /**
   * The shortest available bucket length, at least `step`, for a window that starts at `from`.
   *
   * @param step one of `OCCUPANCY_STEPS`.
   */
  stepFor(from: EpochSeconds, step: number): number {
    return Math.max(step, this.#settled.longestIn({ from, to: from }));
  }

  /**
   * Number of invocations in each group for each bucket of a span, by task or runner. Members without any are left out.
   *
   * @param span starts and ends on buckets of `step` seconds, where `step` comes from `stepFor`.
   * @param wanted selects members.
   * @returns null if the span has more than `MAX_BUCKETS` buckets.
   */
  over({ from, to }: TimeSpan, step: number, wanted: (member: number) => boolean): MemberOccupancy[] | null {
    const length = Math.round((to - from) / step);
    const row = ROWS.find((steps) => steps.includes(step));
    if (length > MAX_BUCKETS || row === undefined) return null;
    const within = STEPS.map((one) => one <= step && row.includes(one));
    /** By member, then by group; null for those not wanted. */
    const rows = new Map<number, Map<number, GroupRow> | null>();
    const rowsOf = (member: number) => {
      const known = rows.get(member);
      if (known !== undefined) return known;
      const made = wanted(member) ? new Map<number, GroupRow>() : null;
      rows.set(member, made);
      return made;
    };
    const rowOf = (groups: Map<number, GroupRow>, group: number) => {
      const known = groups.get(group);
      if (known !== undefined) return known;
      const made = new GroupRow(length);
      groups.set(group, made);
      return made;
    };
    for (const [key, present] of this.#present) {
      const groups = present === 0 ? null : rowsOf(memberOf(key));
      if (groups !== null) rowOf(groups, slotOf(key));
    }
    // A week has millions of numbers, but those of one bucket and member come one after the other.
    let bucket = Number.NaN;
    let index = 0;
    let current = -1;
    let groups: Map<number, GroupRow> | null = null;
    const visit = (at: EpochSeconds, member: number, slot: number, number: number) => {
      if (member !== current) {
        current = member;
        groups = rowsOf(member);
      }
      if (groups === null) return;
      if (at !== bucket) {
        bucket = at;
        index = Math.floor((at - from) / step);
      }
      if (slot >= CAME_BACK) {
        if (at >= to || within[Math.floor((slot - CAME_BACK) / GROUPS)] !== true) return;
        add(rowOf(groups, (slot - CAME_BACK) % GROUPS).back, index, number);
        return;
      }
      const one = rowOf(groups, slot % GROUPS);
      const sign = slot < LEFT ? 1 : -1;
      if (at >= to) one.later += sign * number;
      else add(sign > 0 ? one.entered : one.left, index, number);
    };
    this.#forEach(visit, { from, length: step, to });
    const found: MemberOccupancy[] = [];
    for (const [member, byGroup] of rows) {
      for (const [slot, { entered, left, back, later }] of byGroup ?? []) {
        const net = entered.reduce((sum, number, n) => sum + number - (left[n] ?? 0), later);
        const before = (this.#present.get(keyOf(member, slot)) ?? 0) - net;
        let now = before;
        const counts = entered.map((number, n) => {
          const count = now + number - (back[n] ?? 0);
          now += number - (left[n] ?? 0);
          return count;
        });
        const group = OCCUPANCY_GROUPS[slot];
        if (group === undefined || (before === 0 && counts.every((count) => count === 0))) continue;
        found.push({ member, group, before, counts });
      }
    }
    return found;
  }

  #forEach(visit: (at: EpochSeconds, member: number, slot: number, number: number) => void, slices: Slices): void {
    const { from } = slices;
    this.#settled.forEach({ from, to: Number.POSITIVE_INFINITY }, visit, slices);
    for (const minutes of this.#fresh.values()) {
      for (const [minute, numbers] of minutes) {
        if (minute * MINUTE < from) continue;
        for (const [key, number] of numbers) visit(minute * MINUTE, memberOf(key), slotOf(key), number);
      }
    }
  }

  /** Adds up the minutes of hours (`Buckets.sumHours`). @returns whether hours are left. */
  sumHours(milliseconds: number): boolean {
    return this.#settled.sumHours(milliseconds);
  }

  /** Counts a change for a task or runner. */
  #countChange({ written_at }: HistoryRecord, member: number, { left, entered }: GroupChange): void {
    const add = (minute: number, slot: number) => this.#add(written_at, minute, keyOf(member, slot), 1);
    if (left !== null) {
      add(lastBucket(left.presence, MICROS_OF_MINUTE), LEFT + OCCUPANCY_GROUPS.indexOf(left.group));
    }
    if (entered === null) return;
    const { at, before } = entered;
    const group = OCCUPANCY_GROUPS.indexOf(entered.group);
    const minute = bucketOf(at, MICROS_OF_MINUTE);
    add(minute, ENTERED + group);
    if (before === null) return;
    for (const row of MICROS_OF_ROWS) {
      const first = row.find(({ length }) => lastBucket(before, length) === bucketOf(at, length));
      if (first !== undefined) add(minute, CAME_BACK + first.slot * GROUPS + group);
    }
  }

  #add(written_at: EpochSeconds, minute: number, key: number, number: number): void {
    this.#move(key, number);
    const written = Math.floor(written_at / MINUTE);
    if (written < this.#freshFrom) {
      this.#settled.at(minute * MINUTE).add(memberOf(key), slotOf(key), number);
      return;
    }
    const minutes = this.#fresh.get(written) ?? new Map<number, Map<number, number>>();
    this.#fresh.set(written, minutes);
    const numbers = minutes.get(minute) ?? new Map<number, number>();
    minutes.set(minute, numbers);
    numbers.set(key, (numbers.get(key) ?? 0) + number);
  }

  #move(key: number, number: number): void {
    const slot = slotOf(key);
    if (slot >= CAME_BACK) return;
    const entered = keyOf(memberOf(key), slot % GROUPS);
    const by = slot < LEFT ? number : -number;
    this.#present.set(entered, (this.#present.get(entered) ?? 0) + by);
  }
}

function add(numbers: number[], index: number, number: number): void {
  numbers[index] = (numbers[index] ?? 0) + number;
}
