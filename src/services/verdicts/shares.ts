/** Whether something happens more often than it did: a share of runs or of results, then and now. */

export interface Share {
  hits: number;
  of: number;
}

/** Fewer say nothing: one batch of bad input is that many. */
const LEAST_HITS = 5;
const LEAST_NOW = 20;

/** So many have to be known of the time before. */
const LEAST_BEFORE = 50;

/**
 * A share as high as now is a matter of chance at most so often. A hundred tasks that are looked at anew every hour give one false alarm in 40 days,
 * and fewer, because a rise has to be a large one too.
 */
const CHANCE = 1e-5;

/** Twice as often, or half of what did not happen before: from 60 to 80 % is no less of a change than from 2 to 4 %. */
const TIMES = 2;

/** So much of a hundred more, at least: one failure more in a thousand is worth no alarm. */
const LEAST_RISE = 0.01;

/** Null where there was none. */
export function shareOf({ hits, of }: Share): number | null {
  return of === 0 ? null : hits / of;
}

/** Enough is known of the time before. */
export function isKnown(before: Share): boolean {
  return before.of >= LEAST_BEFORE;
}

/** Much more often than before, whatever chance may do. */
export function isMuchMore(now: Share, before: Share): boolean {
  const [share, earlier] = [shareOf(now) ?? 0, shareOf(before) ?? 0];
  const rise = share - earlier;
  return rise >= LEAST_RISE && (share >= TIMES * earlier || (1 - share) * TIMES <= 1 - earlier);
}

/** Much more often than before, and not by chance. */
export function rose(now: Share, before: Share): boolean {
  if (now.hits < LEAST_HITS || now.of < LEAST_NOW || !isKnown(before)) return false;
  return isMuchMore(now, before) && chanceOf(now, before) < CHANCE;
}

/**
 * How probable so many hits now are, or more, where the share has not changed: Fisher's exact test, one-sided. Unlike an approximation by the normal
 * distribution it holds for small numbers and rare events too.
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

/** Stirling's series; the first ones are exact. */
function logFactorial(n: number): number {
  if (n < FIRST.length) return FIRST[n] ?? 0;
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3);
}

const FIRST: readonly number[] = Array.from({ length: 32 }, (_, n) => {
  let log = 0;
  for (let k = 2; k <= n; k++) log += Math.log(k);
  return log;
});
