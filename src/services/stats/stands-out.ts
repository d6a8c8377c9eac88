/** What failures have more often than successes of the same task. */
import { chanceOfMore } from "../model/count-chance.ts";

/** One invocation: what can be said of it, by kind and name, as stored. */
export type Traits = ReadonlyMap<string, string>;

/** Chance that anything at all would be shown of a group whose failures have nothing to do with any of it. */
const CHANCE = 0.001;

/** Values of one that occur in fewer invocations of both samples are not compared: that of an id occurs once. */
const LEAST = 3;

/** What is shown of one group. */
const MOST = 3;

/**
 * Traits that are so much more frequent among failures than among successes that chance is an unlikely explanation: by Fisher's exact test,
 * divided by the number of values that were compared. The least likely first; empty where there is none.
 */
export function standingOut(
  failures: readonly Traits[],
  successes: readonly Traits[],
): { trait: string; value: string; failures: number; successes: number }[] {
  const [n, m] = [failures.length, successes.length];
  if (n === 0 || m === 0) return [];
  const failed = countsOf(failures);
  const succeeded = countsOf(successes);
  // Which are compared must not depend on which of them failed.
  const keys = [...new Set([...failed.keys(), ...succeeded.keys()])];
  const compared = keys.flatMap((key) => {
    const [a, b] = [failed.get(key) ?? 0, succeeded.get(key) ?? 0];
    return a + b < LEAST || a + b === n + m ? [] : [{ key, a, b }];
  });
  return compared
    .map(({ key, a, b }) => ({
      key,
      a,
      b,
      chance: chanceOfMore({ count: a, total: n }, { count: b, total: m }) * compared.length,
    }))
    .filter(({ chance }) => chance < CHANCE)
    .sort((x, y) => x.chance - y.chance)
    .slice(0, MOST)
    .map(({ key, a, b }) => {
      const [trait = "", value = ""] = JSON.parse(key) as string[];
      return { trait, value, failures: a, successes: b };
    });
}

function countsOf(rows: readonly Traits[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const pair of row) {
      const key = JSON.stringify(pair);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
