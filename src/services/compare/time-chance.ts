/**
 * The probability that chance alone puts the durations of two groups this far apart, and a lower bound for how far apart they are. Compares ranks within
 * each task, so that a slow task neither hides nor fakes a difference. Plain numbers in and out.
 */
import { BOUND } from "../model/count-chance.ts";

/** Durations of items of both groups and of any tasks. */
export interface TimedItems {
  /** Task of each item, as a number. */
  tasks: Int32Array;
  /** Duration of each item in seconds; NaN if not known. */
  seconds: Float64Array;
  /** Items before this index are of the first group. */
  here: number;
  /** Indices of items with a known duration, sorted by task, then by duration. */
  order: Int32Array;
}

export function timedItems(tasks: Int32Array, seconds: Float64Array, here: number): TimedItems {
  const known = Int32Array.from(seconds.keys()).filter((item) => !Number.isNaN(seconds[item]));
  const order = known.sort((a, b) => (tasks[a] ?? 0) - (tasks[b] ?? 0) || (seconds[a] ?? 0) - (seconds[b] ?? 0));
  return { tasks, seconds, here, order };
}

/** How far apart the durations of two groups are. */
export interface Separation {
  /** Items with a duration. */
  here: number;
  there: number;
  /**
   * Among all pairs of an item here and one there of the same task: the share of pairs in which the one here takes longer, minus the share in which the
   * one there does. 1 if all here take longer, 0 if neither group does.
   */
  apart: number;
  /** Standard deviation of `apart` if chance alone divides the items. */
  deviation: number;
}

/**
 * One separation for each class of items.
 *
 * @param classes the class of each item, from 0; items of class 255 are left out.
 * @param number how many classes there are.
 */
export function separations(items: TimedItems, classes: Uint8Array, number: number): Separation[] {
  const sums = Array.from({ length: number }, () => new Sums());
  let [task, seconds] = [Number.NaN, Number.NaN];
  const { order, here } = items;
  for (let n = 0; n < order.length; n++) {
    const item = order[n] ?? 0;
    const ownTask = items.tasks[item] ?? 0;
    const ownSeconds = items.seconds[item] ?? 0;
    if (ownTask !== task || ownSeconds !== seconds) for (const sum of sums) sum.endDuration();
    if (ownTask !== task) for (const sum of sums) sum.endTask();
    task = ownTask;
    seconds = ownSeconds;
    const sum = sums[classes[item] ?? 255];
    if (sum === undefined) continue;
    if (item < here) sum.same++;
    else sum.sameThere++;
  }
  for (const sum of sums) sum.endDuration();
  for (const sum of sums) sum.endTask();
  return sums.map(({ here, there, pairs, surplus, variance }) => ({
    here,
    there,
    apart: pairs === 0 ? 0 : surplus / pairs,
    deviation: pairs === 0 ? Number.POSITIVE_INFINITY : Math.sqrt(variance) / pairs,
  }));
}

class Sums {
  here = 0;
  there = 0;
  pairs = 0;
  surplus = 0;
  variance = 0;
  /** Of the task that is being read. */
  below = 0;
  belowThere = 0;
  wins = 0;
  ties = 0;
  /** Of the duration that is being read. */
  same = 0;
  sameThere = 0;

  endDuration(): void {
    const all = this.same + this.sameThere;
    // Most durations occur in one item only, so in one class only.
    if (all === 0) return;
    this.wins += this.same * (this.belowThere + this.sameThere / 2);
    this.ties += all * all * all - all;
    this.below += this.same;
    this.belowThere += this.sameThere;
    this.same = this.sameThere = 0;
  }

  endTask(): void {
    const [a, b] = [this.below, this.belowThere];
    this.here += a;
    this.there += b;
    if (a > 0 && b > 0) {
      const all = a + b;
      this.pairs += a * b;
      this.surplus += 2 * this.wins - a * b;
      this.variance += ((a * b) / 3) * (all + 1 - this.ties / (all * (all - 1)));
    }
    this.below = this.belowThere = this.wins = this.ties = 0;
  }
}

/** Probability that chance alone puts durations this far apart. */
export function chanceOfTimes({ apart, deviation }: Separation): number {
  return deviation > 0 ? beyond(Math.abs(apart) / deviation) : 1;
}

/** Probability that chance alone makes two separations differ this much. */
export function chanceOfUnlikeTimes(one: Separation, other: Separation): number {
  const deviation = Math.hypot(one.deviation, other.deviation);
  return deviation > 0 ? beyond(Math.abs(one.apart - other.apart) / deviation) : 1;
}

/** Lower bound for `apart`, without its sign. */
export function leastSeparation({ apart, deviation }: Separation): number {
  return Math.max(0, Math.abs(apart) - BOUND * deviation);
}

/** Two-sided probability of this many standard deviations or more: a rational approximation with a relative error below 2 in 10 million. */
function beyond(deviations: number): number {
  if (!Number.isFinite(deviations)) return 0;
  const z = deviations / Math.SQRT2;
  const t = 1 / (1 + z / 2);
  const terms = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ];
  return Math.min(1, t * Math.exp(-z * z + terms.reduce((sum, term) => sum * t + term, 0)));
}
