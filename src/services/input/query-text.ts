/**
 * The text of a search: terms with blanks between them, all of which must be met. `status:failed,killed` names a field and its values, any of
 * which does; `run>5s` compares; `arg.region=eu` looks into a field; `-task:pynenc.*` leaves out; a word alone is text to be found. Values with
 * blanks, commas or quotes stand in double quotes, with a backslash before a quote or a backslash inside. Which fields there are is not decided
 * here.
 */
import { InvalidInputError, quote } from "../../errors.ts";

export type Comparison = ":" | ">" | ">=" | "<" | "<=";

export interface QueryTerm {
  /** Lower case; null for a word alone. */
  field: string | null;
  /** What stands behind the dot of the field, as written. */
  path: string | null;
  /** `=` reads as `:`. */
  comparison: Comparison;
  /** At least one, none of them empty. */
  values: string[];
  negated: boolean;
  /** As it was written. */
  text: string;
}

/** Longer ones are a mistake: a form sends what was pasted into it. */
const MAX_CHARACTERS = 2_000;
const MAX_TERMS = 30;

/** Sign, field, path and comparison of a term; the values follow. */
const HEAD = /-?(?:([A-Za-z_]+)(?:\.([\w.-]+))?(>=|<=|[:=<>]))?/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
/** Up to a blank, a comma or a quote. */
const BARE = /[^\s,"]+/y;
/** A word alone may hold commas. */
const WORD = /[^\s"]+/y;

/** @param parameter the one that holds the text, for errors. @throws InvalidInputError naming the place of what cannot be read. */
export function queryTerms(text: string, parameter = "q"): QueryTerm[] {
  const refuse = (at: number, accepted: string) =>
    new InvalidInputError([{ parameter, value: text, accepted: `${accepted} at character ${at + 1}` }]);
  if (text.length > MAX_CHARACTERS) {
    throw new InvalidInputError([{ parameter, value: text, accepted: `at most ${MAX_CHARACTERS} characters` }]);
  }
  const terms: QueryTerm[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const value = (form: RegExp): string => {
    const start = at;
    if (text[at] !== '"') return take(form)?.[0] ?? "";
    const quoted = take(QUOTED);
    if (quoted === null) throw refuse(start, `expected a closing quote for the one`);
    return (quoted[1] ?? "").replace(/\\(.)/g, "$1");
  };
  for (;;) {
    take(/\s*/y);
    if (at >= text.length) break;
    if (terms.length === MAX_TERMS) throw refuse(at, `expected at most ${MAX_TERMS} terms, there is another`);
    const start = at;
    const [head = "", field, path, sign] = take(HEAD) ?? [];
    const values: string[] = [];
    do {
      const from = at;
      const one = value(sign === undefined ? WORD : BARE);
      if (one === "") throw refuse(from, field === undefined ? "expected a word" : `expected a value for ${field}`);
      values.push(one);
    } while (sign !== undefined && take(/,/y) !== null);
    if (at < text.length && !/\s/.test(text[at] ?? ""))
      throw refuse(at, `expected a blank before ${quote(text[at] ?? "")}`);
    terms.push({
      field: field?.toLowerCase() ?? null,
      path: path ?? null,
      comparison: sign === undefined || sign === "=" ? ":" : (sign as Comparison),
      values,
      negated: head.startsWith("-"),
      text: text.slice(start, at),
    });
  }
  return terms;
}

/** A value as it is written in a query: in quotes where it has to be. */
export function queryValue(value: string): string {
  return /^[^\s,"\\-][^\s,"\\]*$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** The piece of a query that is being written at its end. */
export interface OpenPiece {
  /** Lower case; null while the term is a word, which may become a field. */
  field: string | null;
  /** What is written of the value, or of the word, without quotes. */
  typed: string;
  /** Index of its first character, a quote included. */
  from: number;
}

/** Never fails: what is being written need not be a query yet. */
export function openPiece(text: string): OpenPiece {
  const start = lastPart(text, 0, /\s/);
  const [head = "", field, , sign] = anchored(HEAD).exec(text.slice(start)) ?? [];
  if (sign === undefined) {
    const from = start + (text[start] === "-" ? 1 : 0);
    return { field: null, typed: text.slice(from), from };
  }
  const from = lastPart(text, start + head.length, /,/);
  const value = text.slice(from);
  const typed = value.startsWith('"') ? value.slice(1).replace(/\\(.)/g, "$1") : value;
  return { field: field?.toLowerCase() ?? null, typed, from };
}

/** Where the last part begins of those that the separator divides outside of quotes. */
function lastPart(text: string, start: number, separator: RegExp): number {
  let from = start;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const here = text[at] ?? "";
    if (quoted && here === "\\") at++;
    else if (here === '"') quoted = !quoted;
    else if (!quoted && separator.test(here)) from = at + 1;
  }
  return from;
}

function anchored(pattern: RegExp): RegExp {
  return new RegExp(`^${pattern.source}`);
}
