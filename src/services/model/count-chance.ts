/** Statistics for comparing two counts: the exact probability of a difference by chance, and a lower bound for the difference of two shares. */

/** Standard errors for a bound that holds in 99 of 100 cases. */
export const BOUND = 2.576;

/** Logarithms of the first factorials. */
const LOG_FACTORIALS: readonly number[] = Array.from({ length: 256 }, (_, n) => {
  let log = 0;
  for (let k = 2; k <= n; k++) log += Math.log(k);
  return log;
});

/** By Stirling's series from 256 on, where it is as exact as a double. */
function logFactorial(n: number): number {
  return (
    LOG_FACTORIALS[n] ?? (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3)
  );
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** `count` of `total`. */
export interface Counted {
  count: number;
  total: number;
}

/** Two-sided p-value of Fisher's exact test: twice the smaller tail, at most 1. */
export function chanceOfCounts(here: Counted, there: Counted): number {
  if (here.total === 0 || there.total === 0) return 1;
  const more = here.count * (here.total + there.total) >= (here.count + there.count) * here.total;
  return Math.min(1, 2 * (more ? chanceOfMore(here, there) : chanceOfMore(there, here)));
}

/** One-sided p-value: the probability that a random split into groups of these sizes puts at least this count into the first. */
export function chanceOfMore(here: Counted, there: Counted): number {
  const counted = here.count + there.count;
  let term = Math.exp(
    logChoose(here.total, here.count) +
      logChoose(there.total, there.count) -
      logChoose(here.total + there.total, counted),
  );
  let sum = term;
  for (let more = here.count; term > sum * 1e-16; more++) {
    const less = counted - more;
    term *= (less * (here.total - more)) / ((more + 1) * (there.total - less + 1));
    sum += term;
  }
  return sum;
}

/** The smallest possible `chanceOfCounts` for this total count in groups of these sizes. */
export function leastChance(counted: number, here: number, there: number): number {
  const of = (count: number) => chanceOfCounts({ count, total: here }, { count: counted - count, total: there });
  return Math.min(of(Math.min(counted, here)), of(Math.max(0, counted - there)));
}

/** Lower bound for the absolute difference of two shares, from Newcombe's interval; 0 if the interval contains 0. */
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
