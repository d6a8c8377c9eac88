/** Aliases of parameters that several pages take: `page`, `limit`, `from`, `to`, `range`. */
import { InvalidInputError } from "../../errors.ts";
import { TIME_RANGE } from "../../inputs/common.ts";
import type { RawInput } from "./input.ts";

/** Aliases from the HTTP contract and from URLs of the first version. They work on every page. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["page_size", "limit"],
  ...Object.entries(TIME_RANGE).flatMap(([name, { otherNames }]) => otherNames.map((other) => [other, name] as const)),
]);

/**
 * Parameters under their canonical names. If both names are given, the alias is kept and later rejected as unknown, because it is not known which
 * one was meant.
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

/** The error with the parameter names used in the request. Other errors are returned unchanged. */
export function withGivenNames(error: unknown, given: Iterable<string>): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const byCanonicalName = new Map(
    [...given].flatMap((name) => (OTHER_NAMES.has(name) ? [[OTHER_NAMES.get(name), name]] : [])),
  );
  if (byCanonicalName.size === 0) return error;
  const problems = error.problems.map((problem) => ({
    ...problem,
    parameter: byCanonicalName.get(problem.parameter) ?? problem.parameter,
  }));
  return new InvalidInputError(problems, error.hint);
}
