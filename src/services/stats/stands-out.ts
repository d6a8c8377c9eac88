/** Traits that failures have more often than successes of the same task. */
import { chanceOfMore } from "../model/count-chance.ts";

/** What is known about an invocation, as stored, by kind and name. */
export type Traits = ReadonlyMap<string, string>;

/** Probability of showing anything for a group whose failures are unrelated to all traits. */
const CHANCE = 0.001;

/** Values that occur in fewer invocations than this, in both samples together, are not compared: an id occurs only once. */
const MIN_OCCURRENCES = 3;

/** Maximum number of traits shown per group. */
const MAX_SHOWN = 3;

/**
 * Traits that are so much more frequent among failures than among successes that chance is an unlikely explanation, by Fisher's exact test with
 * Bonferroni correction for the number of values compared. Least likely first; may be empty.
 */
export function standingOut(
  failures: readonly Traits[],
  successes: readonly Traits[],
): { trait: string; value: string; failures: number; successes: number }[] {
  const [n, m] = [failures.length, successes.length];
  if (n === 0 || m === 0) return [];
  const failed = countsOf(failures);
  const succeeded = countsOf(successes);
  // The choice of what to compare must not depend on which invocations failed.
  const keys = [...new Set([...failed.keys(), ...succeeded.keys()])];
  const compared = keys.flatMap((key) => {
    const [a, b] = [failed.get(key) ?? 0, succeeded.get(key) ?? 0];
    return a + b < MIN_OCCURRENCES || a + b === n + m ? [] : [{ key, a, b }];
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
    .slice(0, MAX_SHOWN)
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
