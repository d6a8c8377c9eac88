/** One name for a parameter that several pages take: `page`, `limit`, `from`, `to`, `range`. */
import { InvalidInputError } from "../../errors.ts";
import type { RawInput } from "./input.ts";

/** Names in the HTTP contract and in addresses of the first version. They keep working on every page. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["page_size", "limit"],
  ["start", "from"],
  ["start_date", "from"],
  ["end", "to"],
  ["end_date", "to"],
  ["time_range", "range"],
]);

/**
 * Parameters under their own names. If both names are given, the alias stays and is then rejected as unknown, because it is not known which one
 * was meant.
 */
export function canonicalNames(raw: RawInput): RawInput {
  const named: Record<string, readonly string[] | undefined> = {};
  for (const [given, values] of Object.entries(raw)) {
    const name = OTHER_NAMES.get(given);
    const clear = name !== undefined && raw[name] === undefined && named[name] === undefined;
    named[clear ? name : given] = values;
  }
  return named;
}

/** The error with parameters under the names used in the request. Other errors are returned unchanged. */
export function withGivenNames(error: unknown, given: Iterable<string>): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const byOwnName = new Map(
    [...given].flatMap((name) => (OTHER_NAMES.has(name) ? [[OTHER_NAMES.get(name), name]] : [])),
  );
  if (byOwnName.size === 0) return error;
  const problems = error.problems.map((problem) => ({
    ...problem,
    parameter: byOwnName.get(problem.parameter) ?? problem.parameter,
  }));
  return new InvalidInputError(problems, error.hint);
}
