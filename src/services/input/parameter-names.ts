/** One name for a parameter that several pages take: `page`, `limit`, `from`, `to`, `range`. */
import { InvalidInputError } from "../../errors.ts";
import type { RawInput } from "./input.ts";

/** What the HTTP contract and addresses of the first version call them. They go on working on every page. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["page_size", "limit"],
  ["start", "from"],
  ["start_date", "from"],
  ["end", "to"],
  ["end_date", "to"],
  ["time_range", "range"],
]);

/**
 * Parameters under their own names. One that is given under both stays as it is, and is then refused as unknown: which of the two was meant
 * nobody knows.
 */
export function inOwnNames(raw: RawInput): RawInput {
  const named: Record<string, readonly string[] | undefined> = {};
  for (const [given, values] of Object.entries(raw)) {
    const name = OTHER_NAMES.get(given);
    const clear = name !== undefined && raw[name] === undefined && named[name] === undefined;
    named[clear ? name : given] = values;
  }
  return named;
}

/** The error in the words of whoever asked: a parameter is called what it was given as. Other errors stay what they are. */
export function inGivenNames(error: unknown, given: Iterable<string>): unknown {
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
