/** Reads `--format ids` and `--fields` of commands that print rows. Loaded only with these flags, because it needs the schemas. */
import { z } from "zod";
import { InvalidInputError } from "../errors.ts";
import type { Rows } from "../questions/model/question.ts";
import { didYouMean, similarWords } from "../services/input/similar.ts";
import { conflict, oneOf } from "./exported.ts";
import type { Flags } from "./flags.ts";
import { type ChosenRows, stepsTo } from "./print/rows.ts";

/**
 * What the flags choose; null for what the command prints.
 *
 * @param rows where the answers of the command have rows.
 * @param answers the schemas of these answers.
 * @throws InvalidInputError
 */
export function chosenRows(flags: Flags, rows: readonly Rows[], answers: readonly z.ZodType[]): ChosenRows | null {
  const { format, fields } = flags;
  if (fields === undefined) {
    if (oneOf("--format", format ?? "table", ["table", "ids"]) === "table") return null;
    if (flags.json === true) throw conflict("--format", "ids", "--json prints one document; use one or the other");
    return { print: "ids", rows };
  }
  if (format !== undefined)
    throw conflict("--fields", String(fields), `--format ${String(format)} has fields of its own`);
  const names = String(fields)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const known = knownFields(rows, answers);
  for (const name of names.length === 0 ? [""] : names) {
    if (known.includes(name)) continue;
    const accepted = `expected some of ${known.join(", ")}`;
    throw new InvalidInputError(
      [{ parameter: "--fields", value: name, accepted }],
      didYouMean(similarWords(name, known)),
    );
  }
  return { print: "fields", rows, fields: names };
}

export function knownFields(rows: readonly Rows[], answers: readonly z.ZodType[]): string[] {
  return [...new Set(rows.flatMap(({ in: path }) => answers.flatMap((answer) => membersAt(answer, stepsTo(path)))))];
}

/** The members of the objects that a path leads to. */
function membersAt(schema: z.ZodType, path: readonly string[]): string[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return membersAt(schema.unwrap() as z.ZodType, path);
  if (schema instanceof z.ZodArray) return membersAt(schema.element as z.ZodType, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => membersAt(option as z.ZodType, path));
  if (!(schema instanceof z.ZodObject)) return [];
  const [name, ...rest] = path;
  if (name === undefined) return Object.keys(schema.shape);
  const member = schema.shape[name] as z.ZodType | undefined;
  return member === undefined ? [] : membersAt(member, rest);
}
