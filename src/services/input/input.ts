/**
 * Reading parameters (a query string or flags) with zod, so that routes and commands reject the same input with the same messages. Schemas are
 * built when a parameter is first read: there are some two hundred of them, and most runs of a command need none.
 */
import * as z from "zod";
import { type InputProblem, InvalidInputError } from "../../errors.ts";
import { lazily } from "../../pynenc/lazily.ts";

/** Parameters as they arrive: every name with all its values. */
export type RawInput = Readonly<Record<string, readonly string[] | undefined>>;

/** Schema of one parameter. */
export type Field<Value> = () => z.ZodType<Value, unknown>;

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The result of `parseInput` for some fields. */
export type Read<Shape extends Fields> = { [Name in keyof Shape]: z.output<ReturnType<Shape[Name]>> };

/** Every value, unparsed. */
export const texts: Field<string[]> = lazily(() => z.array(z.string()).default([]));

const lastText = lazily(() =>
  z
    .array(z.string())
    .default([])
    .transform((values) => values.at(-1)?.trim() ?? "")
    .transform((value) => (value === "" ? undefined : value)),
);

/** One text. The last of several values counts, and an empty one counts as absent. */
export const text: Field<string | undefined> = lastText;

/** The same with each blank at its ends, for a stored name that may have some. */
export const exactText: Field<string | undefined> = lazily(() =>
  z
    .array(z.string())
    .default([])
    .transform((values) => values.at(-1) ?? "")
    .transform((value) => (value.trim() === "" ? undefined : value)),
);

/** A text with a certain format; undefined if absent. */
export function optionalMatching(
  form: RegExp,
  accepted: string,
  given: Field<string | undefined> = text,
): Field<string | undefined> {
  return lazily(() => given().refine((value) => value === undefined || form.test(value), { error: accepted }));
}

/** A required text. */
export function requiredText(accepted: string): Field<string> {
  return lazily(() =>
    lastText()
      .refine((value) => value !== undefined, { error: accepted })
      .transform((value) => value ?? ""),
  );
}

/** The value of another field, transformed. */
export function mapped<Value, Made>(field: Field<Value>, make: (value: Value) => Made): Field<Made> {
  return lazily(() => field().transform(make));
}

/** A whole number within bounds. */
export function integer(min: number, max: number, fallback: number): Field<number> {
  return mapped(optionalInteger(min, max), (value) => value ?? fallback);
}

/** A number within bounds, fractions allowed; undefined if absent. */
export function optionalNumber(
  min: number,
  max: number,
  accepted = `a number from ${min} to ${max}`,
): Field<number | undefined> {
  return numberLike(/^-?\d{1,12}(\.\d{1,9})?$/, min, max, accepted);
}

/** A whole number within bounds; undefined if absent. */
export function optionalInteger(min: number, max: number): Field<number | undefined> {
  return numberLike(/^\d{1,12}$/, min, max, `a whole number from ${min} to ${max}`);
}

function numberLike(form: RegExp, min: number, max: number, accepted: string): Field<number | undefined> {
  return lazily(() =>
    lastText()
      .refine((value) => value === undefined || form.test(value), { error: accepted })
      .transform((value) => (value === undefined ? undefined : Number(value)))
      .refine((value) => value === undefined || (value >= min && value <= max), { error: accepted }),
  );
}

/** Yes or no; undefined if absent. */
export const optionalFlag: Field<boolean | undefined> = mapped(
  choice(["", "1", "true", "yes", "on", "0", "false", "no", "off"], ""),
  (word) => (word === "" ? undefined : ["1", "true", "yes", "on"].includes(word)),
);

/** A comma-separated list; the parameter may also be repeated. Empty items are dropped. */
export function commaList(limit: number): Field<string[]> {
  return lazily(() =>
    z
      .array(z.string())
      .default([])
      .transform((values) => values.flatMap((value) => value.split(",")).filter((piece) => piece !== ""))
      .refine((pieces) => pieces.length <= limit, { error: `at most ${limit} values separated by commas` }),
  );
}

/** One of some words. */
export function choice<const Word extends string>(words: readonly Word[], fallback: Word): Field<Word> {
  return lazily(() =>
    lastText()
      .refine((value) => value === undefined || (words as readonly string[]).includes(value.toLowerCase()), {
        error: `one of ${words.filter((word) => word !== "").join(", ")}`,
      })
      .transform((value): Word => (value === undefined ? fallback : (value.toLowerCase() as Word))),
  );
}

export const pageNumber = integer(1, 1_000_000_000, 1);

/** Schemas of fields that are the same for every request. */
const objects = new WeakMap<Fields, z.ZodType>();

function objectOf(fields: Fields): z.ZodType {
  const known = objects.get(fields);
  if (known !== undefined) return known;
  const object = z.object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field()])));
  objects.set(fields, object);
  return object;
}

/**
 * Parses strictly: a parameter that is not in `fields` is rejected with the list of accepted ones, because silently ignoring a filter would show
 * the wrong rows.
 *
 * @throws InvalidInputError naming each parameter, its value and what is accepted.
 */
export function parseInput<Shape extends Fields>(fields: Shape, raw: RawInput): Read<Shape> {
  const known = Object.keys(fields);
  const problems: InputProblem[] = Object.keys(raw)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      parameter: name,
      value: raw[name]?.join(", ") ?? "",
      accepted: known.length > 0 ? `the parameters here are ${known.join(", ")}` : "no parameters are accepted here",
    }));
  const parsed = objectOf(fields).safeParse(raw);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const parameter = String(issue.path[0] ?? "");
      problems.push({ parameter, value: raw[parameter]?.join(", ") ?? "", accepted: `expected ${issue.message}` });
    }
  }
  if (problems.length > 0 || !parsed.success) throw new InvalidInputError(problems);
  return parsed.data as Read<Shape>;
}
