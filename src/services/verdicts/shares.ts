/** Whether something happens more often than before: a share of runs or results, then and now. */

export interface Share {
  hits: number;
  of: number;
}

/** Minimum numbers now: fewer say nothing, since one batch of bad input is that large. */
const MIN_HITS = 5;
const MIN_NOW = 20;

/** Minimum number of results in the period before. */
const MIN_BEFORE = 50;

/**
 * Maximum probability that the share is this high by chance. A hundred tasks checked every hour give one false alarm in 40 days, or fewer, because a
 * rise also has to be large.
 */
const CHANCE = 1e-5;

/** Either twice as often, or half of what remained to 100 %: from 60 to 80 % is as big a change as from 2 to 4 %. */
const TIMES = 2;

/** Minimum rise: one more failure in a thousand is not worth an alarm. */
const MIN_RISE = 0.01;

/** Null if there was none. */
export function shareOf({ hits, of }: Share): number | null {
  return of === 0 ? null : hits / of;
}

/** The period before has enough results. */
export function isKnown(before: Share): boolean {
  return before.of >= MIN_BEFORE;
}

/** Much more often than before, regardless of chance. */
export function isMuchMore(now: Share, before: Share): boolean {
  const [share, earlier] = [shareOf(now) ?? 0, shareOf(before) ?? 0];
  const rise = share - earlier;
  return rise >= MIN_RISE && (share >= TIMES * earlier || (1 - share) * TIMES <= 1 - earlier);
}

/** Much more often than before, and not by chance. */
export function rose(now: Share, before: Share): boolean {
  if (now.hits < MIN_HITS || now.of < MIN_NOW || !isKnown(before)) return false;
  return isMuchMore(now, before) && chanceOf(now, before) < CHANCE;
}

/**
 * The probability of at least this many hits now if the share is unchanged: Fisher's exact test, one-sided. Unlike a normal approximation, it also
 * holds for small numbers and rare events.
 */
export function chanceOf(now: Share, before: Share): number {
  const all = now.of + before.of;
  const hits = now.hits + before.hits;
  const most = Math.min(hits, now.of);
  const logWays = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);
  let sum = 0;
  let chance = Math.exp(logWays(now.of, now.hits) + logWays(before.of, before.hits) - logWays(all, hits));
  for (let k = now.hits; k <= most; k++) {
    sum += chance;
    if (chance < sum * NEGLIGIBLE) break;
    chance *= ((now.of - k) * (hits - k)) / ((k + 1) * (before.of - hits + k + 1));
  }
  return Math.min(1, sum);
}

const NEGLIGIBLE = 1e-12;

/** Stirling's series; the first values are exact. */
function logFactorial(n: number): number {
  if (n < FIRST.length) return FIRST[n] ?? 0;
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3);
}

const FIRST: readonly number[] = Array.from({ length: 32 }, (_, n) => {
  let log = 0;
  for (let k = 2; k <= n; k++) log += Math.log(k);
  return log;
});
