/** Maps flags to the input of services: pages and commands share one validation, and errors name flags here, parameters there. */
import type { OptionFlags } from "../config/options.ts";
import { InvalidInputError } from "../errors.ts";
import type { Input } from "../inputs/parameter.ts";
import { longName } from "../questions/model/parameter-words.ts";
import type { RawInput } from "../services/input/input.ts";
import type { ChosenRows } from "./print/rows.ts";

/** The options of a command: global flags and its own, and what those choose of its rows. */
export type Flags = OptionFlags & { rows?: ChosenRows | null } & Record<string, unknown>;

/** `--since` for `from`; undefined for a parameter that commands do not take. */
export function flagOf(input: Input, parameter: string): string | undefined {
  const { flag } = (Object.hasOwn(input, parameter) && input[parameter]) || {};
  return flag && `--${longName(flag)}`;
}

/** The given flags as a service's raw input. */
export function rawInput(flags: Flags, input: Input): RawInput {
  const raw: Record<string, string[]> = {};
  for (const parameter of Object.keys(input)) {
    const flag = flagOf(input, parameter);
    const given = flag && flags[camelCase(flag.slice("--".length))];
    if (flag === undefined || given === undefined) continue;
    raw[parameter] = (Array.isArray(given) ? given : [given]).map(String);
  }
  return raw;
}

/** @param given flags and arguments by their names. @throws InvalidInputError for empty ones: without them, the command would be about something else. */
export function refuseEmpty(given: readonly (readonly [name: string, value: unknown])[], command: string): void {
  const problems = given.flatMap(([parameter, value]) =>
    [value].flat().some((one) => typeof one === "string" && one.trim() === "")
      ? [{ parameter, value: "", accepted: "it must not be empty" }]
      : [],
  );
  if (problems.length > 0) throw new InvalidInputError(problems, `Run monitor ${command} --help to list its options.`);
}

/** Runs `fn` and renames parameters in its input errors to flags. */
export async function inFlagWords<T>(input: Input, fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const problems = error.problems.map(({ parameter, value, accepted }) => ({
      parameter: flagOf(input, parameter) ?? parameter,
      value,
      // Errors in a query name fields of the query, which are not flags.
      accepted:
        parameter === "q"
          ? accepted
          : accepted.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => flagOf(input, word) ?? word),
    }));
    throw new InvalidInputError(problems, error.hint);
  }
}

/** The key of a flag: `maxFailed` for `max-failed`. */
export function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
