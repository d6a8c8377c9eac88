/** Reads parameters (a query string or flags) by their declarations, so that routes and commands refuse the same input with the same messages. */
import { InvalidInputError, onlyAccepted } from "../../errors.ts";
import type { Input, NumberParameter, Parameter, SwitchParameter, TextParameter } from "../../inputs/parameter.ts";
import { LENGTH_FORMS, lengthOf, type Moment, momentForms, momentOf } from "./moment.ts";

/** Parameters as they arrive: every name with all its values. */
export type RawInput = Readonly<Record<string, readonly string[] | undefined>>;

/** The values of parameters. Those that are absent and have no default are undefined, and lists are empty. */
export type Read<Asked extends Input> = { [Name in keyof Asked]: Value<Asked[Name]> };

type Value<P extends Parameter> = P extends { read: "all" | "list" }
  ? string[]
  : ValueOf<P> | (P extends { usual: string | number } | { required: true } ? never : undefined);

type ValueOf<P extends Parameter> = P extends { kind: "word"; words: readonly (infer Word)[] }
  ? Word
  : P extends NumberParameter
    ? number
    : P extends SwitchParameter
      ? boolean
      : P extends { read: "time" }
        ? Moment
        : P extends { read: "length" }
          ? number
          : string;

/** The parameters of an input among others. */
export function partOf(raw: RawInput, input: Input): RawInput {
  return Object.fromEntries(Object.entries(raw).filter(([name]) => Object.hasOwn(input, name)));
}

/** The parameters that an input does not have. */
export function restOf(raw: RawInput, input: Input): RawInput {
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !Object.hasOwn(input, name)));
}

/** What is accepted instead of a value. */
class Refusal {
  readonly accepted: string;
  constructor(accepted: string) {
    this.accepted = accepted;
  }
}

/**
 * Parses strictly: a parameter that is not declared is rejected with the list of accepted ones, because silently ignoring a filter would show
 * the wrong rows. Of several values of one parameter the last counts, and an empty one counts as absent.
 *
 * @throws InvalidInputError naming each parameter, its value and what is accepted.
 */
export function parseInput<const Asked extends Input>(input: Asked, raw: RawInput): Read<Asked> {
  const known = Object.keys(input);
  const shown = (name: string) => raw[name]?.join(", ") ?? "";
  const problems = Object.keys(raw)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      parameter: name,
      value: shown(name),
      accepted: onlyAccepted(known),
    }));
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(input)) {
    const value = readValue(parameter, raw[name] ?? []);
    if (value instanceof Refusal) {
      problems.push({ parameter: name, value: shown(name), accepted: `expected ${value.accepted}` });
    } else read[name] = value;
  }
  if (problems.length > 0) throw new InvalidInputError(problems);
  return read as Read<Asked>;
}

function readValue(parameter: Parameter, values: readonly string[]): unknown {
  if (parameter.kind === "text" && parameter.read === "all") return [...values];
  if (parameter.kind === "text" && parameter.read === "list") return listOf(parameter, values);
  const last = values.at(-1) ?? "";
  const trimmed = last.trim();
  const absent = trimmed === "" || ("absent" in parameter && trimmed.toLowerCase() === parameter.absent);
  if (absent) return parameter.required ? new Refusal(acceptedBy(parameter)) : usualOf(parameter);
  const value = accepted(parameter, parameter.kind === "text" && parameter.read === "exact" ? last : trimmed);
  return value ?? new Refusal(acceptedBy(parameter));
}

/** Null if it is not accepted. */
function accepted(parameter: Parameter, value: string): unknown {
  switch (parameter.kind) {
    case "word": {
      const given = value.toLowerCase();
      const word = parameter.alias?.[given.replaceAll(" ", "_")] ?? given;
      return parameter.words.includes(word) ? word : null;
    }
    case "switch":
      return switchWords(parameter).includes(value.toLowerCase()) ? YES.includes(value.toLowerCase()) : null;
    case "text":
      if (parameter.read === "time") return momentOf(value);
      if (parameter.read === "length") return lengthOf(value);
      return parameter.form?.test(value) === false ? null : value;
    default: {
      const { least, most } = boundsOf(parameter);
      const form = parameter.kind === "whole" ? /^\d{1,12}$/ : /^-?\d{1,12}(\.\d{1,9})?$/;
      return form.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : null;
    }
  }
}

function usualOf(parameter: Parameter): unknown {
  if (parameter.kind === "text") return undefined;
  return parameter.kind === "switch" && parameter.usual !== undefined ? parameter.usual === "1" : parameter.usual;
}

function acceptedBy(parameter: Parameter): string {
  if (parameter.accepted !== undefined) return parameter.accepted;
  switch (parameter.kind) {
    case "word":
      return `one of ${parameter.words.join(", ")}`;
    case "switch":
      return `one of ${switchWords(parameter).join(", ")}`;
    case "text":
      return parameter.read === "time" ? momentForms() : parameter.read === "length" ? LENGTH_FORMS : "a text";
    default: {
      const { least, most } = boundsOf(parameter);
      return `a ${parameter.kind === "whole" ? "whole " : ""}number from ${least} to ${most}`;
    }
  }
}

const YES: readonly string[] = ["1", "true", "yes", "on"];
const NO: readonly string[] = ["0", "false", "no", "off"];

/** The default first. */
function switchWords({ usual }: SwitchParameter): readonly string[] {
  if (usual === undefined) return [...YES, ...NO];
  return usual === "1" ? ["1", "0"] : ["0", "1"];
}

/** More than any store holds. */
const LARGEST = 1_000_000_000;

function boundsOf({ least = 0, most = LARGEST }: NumberParameter): { least: number; most: number } {
  return { least, most };
}

function listOf({ most = Number.POSITIVE_INFINITY }: TextParameter, values: readonly string[]): string[] | Refusal {
  const list = values.flatMap(separated);
  return list.length > most ? new Refusal(`at most ${most} values separated by commas`) : list;
}

/** The values in a text, without empty ones. */
export function separated(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
