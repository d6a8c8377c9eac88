/** Reading parameters (a query string or flags) with zod, so that a route and a command refuse the same things in the same words. */
import * as z from "zod";
import { type InputProblem, InvalidInputError } from "../errors.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";

/** Parameters as they arrive: every name with all its values. */
export type RawInput = Readonly<Record<string, readonly string[] | undefined>>;

/** One text; when it is given several times the last one counts, an empty one counts as absent. */
export const text = z
  .array(z.string())
  .default([])
  .transform((values) => values.at(-1)?.trim() ?? "")
  .transform((value) => (value === "" ? undefined : value));

/** A whole number within bounds. */
export function integer(min: number, max: number, fallback: number) {
  const accepted = `a whole number from ${min} to ${max}`;
  return text
    .refine((value) => value === undefined || /^\d{1,12}$/.test(value), { error: accepted })
    .transform((value) => (value === undefined ? fallback : Number(value)))
    .refine((value) => value >= min && value <= max, { error: accepted });
}

/** A number within bounds; undefined when it is not given. */
export function optionalNumber(min: number, max: number) {
  const accepted = `a number from ${min} to ${max}`;
  return text
    .refine((value) => value === undefined || /^\d{1,12}(\.\d{1,9})?$/.test(value), { error: accepted })
    .transform((value) => (value === undefined ? undefined : Number(value)))
    .refine((value) => value === undefined || (value >= min && value <= max), { error: accepted });
}

/** A whole number within bounds; undefined when it is not given. */
export function optionalInteger(min: number, max: number) {
  const accepted = `a whole number from ${min} to ${max}`;
  return text
    .refine((value) => value === undefined || /^\d{1,12}$/.test(value), { error: accepted })
    .transform((value) => (value === undefined ? undefined : Number(value)))
    .refine((value) => value === undefined || (value >= min && value <= max), { error: accepted });
}

/** Yes or no; undefined when it is not given. */
export const optionalFlag = choice(["", "1", "true", "yes", "on", "0", "false", "no", "off"], "").transform((word) =>
  word === "" ? undefined : ["1", "true", "yes", "on"].includes(word),
);

/** Texts between commas; the parameter may also be repeated. Empty ones do not count. */
export function commaList(most: number) {
  return z
    .array(z.string())
    .default([])
    .transform((values) => values.flatMap((value) => value.split(",")).filter((piece) => piece !== ""))
    .refine((pieces) => pieces.length <= most, { error: `at most ${most} values with commas between them` });
}

/** One of some words. */
export function choice<const Word extends string>(words: readonly Word[], fallback: Word) {
  return text
    .refine((value) => value === undefined || (words as readonly string[]).includes(value.toLowerCase()), {
      error: `one of ${words.filter((word) => word !== "").join(", ")}`,
    })
    .transform((value): Word => (value === undefined ? fallback : (value.toLowerCase() as Word)));
}

/** An instant: ISO 8601, UTC when it names no zone. */
export const instant = text.transform((value, context): EpochSeconds | undefined => {
  if (value === undefined) return undefined;
  const seconds = epochFromIso(value);
  if (seconds !== null) return seconds;
  context.addIssue({
    code: "custom",
    message: "an ISO 8601 date or time such as 2026-07-04T10:15:00 (UTC unless it has an offset)",
  });
  return z.NEVER;
});

export const pageNumber = integer(1, 1_000_000_000, 1);

/**
 * Parses against a strict object: a parameter that is not in `shape` is refused with the list of those that are, because a filter that
 * is silently ignored shows the wrong rows.
 *
 * @throws InvalidInputError naming each parameter, its value and what is accepted.
 */
export function parseInput<Shape extends z.ZodRawShape>(shape: Shape, raw: RawInput): z.output<z.ZodObject<Shape>> {
  const known = Object.keys(shape);
  const problems: InputProblem[] = Object.keys(raw)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      parameter: name,
      value: raw[name]?.join(", ") ?? "",
      accepted: known.length > 0 ? `the parameters here are ${known.join(", ")}` : "nothing can be set here",
    }));
  const parsed = z.object(shape).safeParse(raw);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const parameter = String(issue.path[0] ?? "");
      problems.push({ parameter, value: raw[parameter]?.join(", ") ?? "", accepted: `expected ${issue.message}` });
    }
  }
  if (problems.length > 0 || !parsed.success) throw new InvalidInputError(problems);
  return parsed.data;
}
