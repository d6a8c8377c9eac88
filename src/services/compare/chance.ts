/**
 * How likely chance alone makes two groups as different as they are, and how large a difference is at least. Exact for counts; for durations by
 * ranks, within each task, so that a task that takes long does not hide or feign a difference. Plain numbers in and out.
 */

/** Standard errors of a bound that holds in 99 of 100 cases. */
const BOUND = 2.576;

/** Logarithms of factorials, as far as they were needed. */
const LOG_FACTORIALS = [0];

function logFactorial(n: number): number {
  for (let k = LOG_FACTORIALS.length; k <= n; k++) LOG_FACTORIALS.push((LOG_FACTORIALS[k - 1] ?? 0) + Math.log(k));
  return LOG_FACTORIALS[n] ?? 0;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** `count` of `total`. */
export interface Counted {
  count: number;
  total: number;
}

/**
 * Twice the probability that a division by lot of all into groups of these sizes puts as many, or more (or as few, or fewer) of those counted into
 * the first group (Fisher's exact test); at most 1.
 */
export function chanceOfCounts(here: Counted, there: Counted): number {
  const counted = here.count + there.count;
  const rest = there.total - counted;
  if (here.total === 0 || there.total === 0) return 1;
  const more = here.count * (here.total + there.total) >= counted * here.total;
  let term = Math.exp(
    logChoose(here.total, here.count) +
      logChoose(there.total, there.count) -
      logChoose(here.total + there.total, counted),
  );
  let sum = term;
  for (let x = here.count; term > sum * 1e-16; ) {
    term *= more
      ? ((counted - x) * (here.total - x)) / ((x + 1) * (rest + x + 1))
      : (x * (rest + x)) / ((counted - x + 1) * (here.total - x + 1));
    x += more ? 1 : -1;
    sum += term;
  }
  return Math.min(1, 2 * sum);
}

/** The least that `chanceOfCounts` can be for so many counted in both groups together. */
export function leastChance(counted: number, here: number, there: number): number {
  const of = (count: number) => chanceOfCounts({ count, total: here }, { count: counted - count, total: there });
  return Math.min(of(Math.min(counted, here)), of(Math.max(0, counted - there)));
}

/** How far apart two shares are at least, with their sign left out: the lower end of Newcombe's interval; 0 where it holds 0. */
export function leastDifference(here: Counted, there: Counted): number {
  const [a, b] = [wilson(here), wilson(there)];
  const apart = a.share - b.share;
  const least =
    apart >= 0
      ? apart - Math.hypot(a.share - a.low, b.high - b.share)
      : -apart - Math.hypot(b.share - b.low, a.high - a.share);
  return Math.max(0, least);
}

function wilson({ count, total }: Counted): { share: number; low: number; high: number } {
  const share = count / total;
  const z2 = BOUND * BOUND;
  const middle = (share + z2 / (2 * total)) / (1 + z2 / total);
  const half = (BOUND / (1 + z2 / total)) * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total * total));
  return { share, low: middle - half, high: middle + half };
}

/** Durations of both groups, of any tasks. */
export interface TimedItems {
  /** Task of each item, as a number. */
  tasks: Int32Array;
  /** Seconds of each; NaN where not known. */
  seconds: Float64Array;
  /** Items before this index are of the first group. */
  here: number;
  /** Indices of those that are known, by task and then by seconds. */
  order: Int32Array;
}

export function timedItems(tasks: Int32Array, seconds: Float64Array, here: number): TimedItems {
  const known = Int32Array.from(seconds.keys()).filter((item) => !Number.isNaN(seconds[item]));
  const order = known.sort((a, b) => (tasks[a] ?? 0) - (tasks[b] ?? 0) || (seconds[a] ?? 0) - (seconds[b] ?? 0));
  return { tasks, seconds, here, order };
}

/** How the durations of two groups lie to each other. */
export interface Separation {
  /** Items with a duration. */
  here: number;
  there: number;
  /**
   * Of all pairs of one here and one there of the same task, the share in which here takes longer less the share in which there does: 1 where
   * all here take longer, 0 where neither does.
   */
  apart: number;
  /** Standard deviation of `apart` where chance alone divides the items. */
  deviation: number;
}

/** For each class of items; those with a class of 255 are left out. @param classes of each item. */
export function separations(items: TimedItems, classes: Uint8Array, number: number): Separation[] {
  const sums = Array.from({ length: number }, () => ({
    ...{ here: 0, there: 0, pairs: 0, surplus: 0, variance: 0 },
    // Of the task that is being read.
    ...{ below: 0, belowThere: 0, wins: 0, ties: 0 },
    // Of the duration that is being read.
    ...{ same: 0, sameThere: 0 },
  }));
  const endDuration = () => {
    for (const sum of sums) {
      const all = sum.same + sum.sameThere;
      if (all === 0) continue;
      sum.wins += sum.same * (sum.belowThere + sum.sameThere / 2);
      sum.ties += all ** 3 - all;
      sum.below += sum.same;
      sum.belowThere += sum.sameThere;
      sum.same = sum.sameThere = 0;
    }
  };
  const endTask = () => {
    for (const sum of sums) {
      const [a, b] = [sum.below, sum.belowThere];
      sum.here += a;
      sum.there += b;
      if (a > 0 && b > 0) {
        const all = a + b;
        sum.pairs += a * b;
        sum.surplus += 2 * sum.wins - a * b;
        sum.variance += ((a * b) / 3) * (all + 1 - sum.ties / (all * (all - 1)));
      }
      sum.below = sum.belowThere = sum.wins = sum.ties = 0;
    }
  };
  let [task, seconds] = [Number.NaN, Number.NaN];
  for (const item of items.order) {
    const [ownTask = 0, ownSeconds = 0] = [items.tasks[item], items.seconds[item]];
    if (ownTask !== task || ownSeconds !== seconds) endDuration();
    if (ownTask !== task) endTask();
    [task, seconds] = [ownTask, ownSeconds];
    const sum = sums[classes[item] ?? 255];
    if (sum === undefined) continue;
    if (item < items.here) sum.same++;
    else sum.sameThere++;
  }
  endDuration();
  endTask();
  return sums.map(({ here, there, pairs, surplus, variance }) => ({
    here,
    there,
    apart: pairs === 0 ? 0 : surplus / pairs,
    deviation: pairs === 0 ? Number.POSITIVE_INFINITY : Math.sqrt(variance) / pairs,
  }));
}

/** How likely chance alone takes durations so far apart. */
export function chanceOfTimes({ apart, deviation }: Separation): number {
  return deviation > 0 ? beyond(Math.abs(apart) / deviation) : 1;
}

/** How likely chance alone makes one of them so much further apart than the other. */
export function chanceOfUnlikeTimes(one: Separation, other: Separation): number {
  const deviation = Math.hypot(one.deviation, other.deviation);
  return deviation > 0 ? beyond(Math.abs(one.apart - other.apart) / deviation) : 1;
}

/** How far apart they are at least, with the sign left out. */
export function leastSeparation({ apart, deviation }: Separation): number {
  return Math.max(0, Math.abs(apart) - BOUND * deviation);
}

/** Probability of so many standard deviations or more, on both sides: a rational approximation, right within 2 in 10 million of itself. */
function beyond(deviations: number): number {
  if (!Number.isFinite(deviations)) return 0;
  const z = deviations / Math.SQRT2;
  const t = 1 / (1 + z / 2);
  const terms = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ];
  return t * Math.exp(-z * z + terms.reduce((sum, term) => sum * t + term, 0));
}
