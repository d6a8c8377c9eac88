/** Commands that print the answer to their question as it is. */
import type { Question } from "../questions/model/question.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { RawInput } from "../services/input/input.ts";
import { type AskedNames, type UnknownName, unknownAmong } from "../services/model/known-names.ts";
import { conflict } from "./exported.ts";
import { type Flags, flagOf, inFlagWords, rawInput } from "./flags.ts";
import { refuseUnknown } from "./known-names.ts";
import type { Output } from "./print/output.ts";
import { withTerms } from "./search-terms.ts";
import { withApp } from "./session.ts";

/** @param asked whether any flag chose what is printed */
type Print<Found> = (found: Found, out: Output, asked: { now: number; filtered: boolean }) => void;

/**
 * Asks the question with the flags and prints the answer: as JSON, or in words.
 *
 * @param unexplained names in an empty answer that may occur nowhere, or those that do not
 */
export function answering<Found extends object>(
  { input, command, ask }: Question<Question["input"], Found>,
  print: Print<Found>,
  unexplained: (found: Found, app: OpenedApp, raw: RawInput) => AskedNames | Promise<UnknownName[]> = () => ({}),
): (flags: Flags, args: readonly string[]) => Promise<void> {
  return async (typed, args) => {
    if (ask === undefined || command === null) throw new Error("the question has no service or no command");
    const flags = command.usage.includes("[query...]") ? withTerms(typed, args) : typed;
    const raw = withArguments(rawInput(flags, input), input, command.usage.includes("[query...]") ? [] : args);
    await withApp(flags, async (app, out) => {
      const found = await inFlagWords(input, () => ask(app, raw));
      const names = await unexplained(found, app, raw);
      refuseUnknown(Array.isArray(names) ? names : await unknownAmong(app, names));
      if (out.json) out.document(found);
      else print(found, out, { now: app.now(), filtered: Object.keys(raw).length > 0 });
    });
  };
}

/** The input with the arguments that are parameters, in the order of their declarations. @throws InvalidInputError if a flag gives the same one. */
function withArguments(raw: RawInput, input: Question["input"], args: readonly string[]): RawInput {
  const names = Object.keys(input).filter((name) => input[name]?.argument !== undefined);
  const given = names.slice(0, args.length).map((name, at) => [name, [args[at] ?? ""]] as const);
  for (const [name, [value = ""]] of given) {
    const flag = flagOf(input, name);
    if (raw[name] !== undefined) throw conflict(flag ?? name, value, "give it once, as an argument or as a flag");
  }
  return { ...raw, ...Object.fromEntries(given) };
}
