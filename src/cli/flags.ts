/** Maps flags to the input of services: pages and commands share one validation, and errors name flags here, parameters there. */
import type { OptionFlags } from "../config/options.ts";
import { type InputProblem, InvalidInputError } from "../errors.ts";
import type { RawInput } from "../services/input/input.ts";

/** The options of a command: global flags and its own. */
export type Flags = OptionFlags & Record<string, unknown>;

/** A service's parameters, each with its flag: `from: "since"`. */
export type FlagNames = Readonly<Record<string, string>>;

/** Parameters of actions that add messages. */
export const ROUTE_FLAGS: FlagNames = { queue: "queue", priority: "priority" };

/** The given flags as a service's raw input. @throws InvalidInputError for an empty value, because dropping the filter would show the wrong rows. */
export function rawInput(flags: Flags, names: FlagNames): RawInput {
  const raw: Record<string, string[]> = {};
  const problems: InputProblem[] = [];
  for (const [parameter, flag] of Object.entries(names)) {
    const given = flags[camelCase(flag)];
    if (given === undefined) continue;
    const values = (Array.isArray(given) ? given : [given]).map(String);
    if (values.some((value) => value.trim() === "")) {
      problems.push({ parameter: `--${flag}`, value: "", accepted: "it must not be empty" });
    }
    raw[parameter] = values;
  }
  if (problems.length > 0) throw new InvalidInputError(problems);
  return raw;
}

/** Runs `fn` and renames parameters in its input errors to flags. */
export async function inFlagWords<T>(names: FlagNames, fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const problems = error.problems.map(({ parameter, value, accepted }) => ({
      parameter: names[parameter] === undefined ? parameter : `--${names[parameter]}`,
      value,
      // Errors in a query name fields of the query, which are not flags.
      accepted:
        parameter === "q"
          ? accepted
          : accepted.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (names[word] ? `--${names[word]}` : word)),
    }));
    throw new InvalidInputError(problems, error.hint);
  }
}

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
