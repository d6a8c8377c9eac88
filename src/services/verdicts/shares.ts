/** Whether something happens more often than before: a share of runs or results, then and now. */
import { type Counted, chanceOfMore } from "../model/count-chance.ts";

export interface Share {
  hits: number;
  of: number;
}

/** Minimum hits: what fails twice in a row may have failed for one reason, and the test takes hits for independent of each other. */
const MIN_HITS = 3;

/**
 * Maximum probability that the share is this high by chance. The test is exact for small numbers too, so that no minimum of results is needed. It is
 * repeated as the hour moves on and for each task, so the limit is stricter the more tasks are compared (`chanceFor`).
 */
const CHANCE = 1e-5;

/** The same, for all tasks of an app together. */
const CHANCE_OF_ALL = 1e-4;

/** Either twice as often, or half of what remained to 100 %: from 60 to 80 % is as big a change as from 2 to 4 %. */
const TIMES = 2;

/** Minimum rise: one more failure in a thousand is not worth an alarm. */
const MIN_RISE = 0.01;

/** Null if there was none. */
export function shareOf({ hits, of }: Share): number | null {
  return of === 0 ? null : hits / of;
}

/** Much more often than before, regardless of chance. */
export function isMuchMore(now: Share, before: Share): boolean {
  const [share, earlier] = [shareOf(now) ?? 0, shareOf(before) ?? 0];
  const rise = share - earlier;
  return rise >= MIN_RISE && (share >= TIMES * earlier || (1 - share) * TIMES <= 1 - earlier);
}

/** Much more often than before, and not by chance. @param most maximum probability of that. */
export function rose(now: Share, before: Share, most = CHANCE): boolean {
  if (now.hits < MIN_HITS || before.of === 0) return false;
  return isMuchMore(now, before) && chanceOfMore(counted(now), counted(before)) < most;
}

function counted({ hits, of }: Share): Counted {
  return { count: hits, total: of };
}

/** The maximum probability for each of so many tasks that are compared. */
export function chanceFor(tasks: number): number {
  return Math.min(CHANCE, CHANCE_OF_ALL / tasks);
}

/**
 * Where in a sequence of shares the higher share began: the first of the last stretch that fits it better than the earlier one. New shares of the same
 * kind do not move it. Null if none does.
 *
 * @param now the higher share. @param before the earlier one.
 */
export function onsetOf(shares: readonly Share[], now: Share, before: Share): number | null {
  const middle = ((shareOf(now) ?? 0) + (shareOf(before) ?? 0)) / 2;
  let [sum, most, onset] = [0, 0, null as number | null];
  for (let at = shares.length - 1; at >= 0; at--) {
    const { hits, of } = shares[at] ?? { hits: 0, of: 0 };
    sum += hits - middle * of;
    if (hits === 0 || sum <= 0 || sum < most) continue;
    [most, onset] = [sum, at];
  }
  return onset;
}
