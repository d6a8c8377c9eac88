/**
 * Syntax of queries: terms separated by blanks, all of which must be met. `status:failed,killed` has a field and alternative values; `run>5s`
 * compares; `arg.region=eu` has a path; `-task:pynenc.*` negates; a word alone is a text search. Values with blanks, commas or quotes are enclosed in
 * double quotes, in which a backslash before a quote or a backslash escapes it, and is itself before anything else: `"C:\Program Files"`. What starts
 * like a field but is none, such as `C:\Users` or `https://…`, is a word. The fields are defined elsewhere (invocation-query.ts).
 */
import { InvalidInputError, quote } from "../../errors.ts";

export type Comparison = ":" | ">" | ">=" | "<" | "<=";

export interface QueryTerm {
  /** Lower case; null for a word alone. */
  field: string | null;
  /** The path after the dot of the field, as written. */
  path: string | null;
  /** `=` reads as `:`. */
  comparison: Comparison;
  /** At least one; never empty texts. */
  values: string[];
  negated: boolean;
  /** As it was written. */
  text: string;
}

/** Longer queries are a mistake, such as text pasted into the form. */
const MAX_CHARACTERS = 2_000;
const MAX_TERMS = 30;

/** Sign, field, path and comparison of a term; the values follow. */
const HEAD = /-?(?:([A-Za-z_]+)(?:\.([^\s:<>=",]+))?(>=|<=|[:=<>]))?/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
/** Up to a blank, a comma or a quote. */
const BARE = /[^\s,"]+/y;
/** A word alone may contain commas. */
const WORD = /[^\s"]+/y;

/**
 * @param isField whether a name, in lower case, is meant as a field.
 * @throws InvalidInputError with the position of the syntax error.
 */
export function queryTerms(text: string, isField: (name: string) => boolean = () => true): QueryTerm[] {
  const parameter = "q";
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
    if (quoted === null) throw refuse(start, `expected a closing quote for the one that starts`);
    return unescaped(quoted[1] ?? "");
  };
  for (;;) {
    take(/\s*/y);
    if (at >= text.length) break;
    if (terms.length === MAX_TERMS) throw refuse(at, `expected at most ${MAX_TERMS} terms, there is another`);
    const start = at;
    let [head = "", field, path, sign] = take(HEAD) ?? [];
    if (field !== undefined && !isField(field.toLowerCase())) {
      at = start;
      [head = "", field, path, sign] = take(/-?/y) ?? [];
    }
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

/** A value as written in a query, quoted if necessary. */
export function queryValue(value: string): string {
  return /^[^\s,"\\-][^\s,"\\]*$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

function unescaped(quoted: string): string {
  return quoted.replace(/\\(["\\])/g, "$1");
}

/** The unfinished piece at the end of a query. */
export interface OpenPiece {
  /** Lower case; null while the term is a word, which may still become a field. */
  field: string | null;
  /** The value or word typed so far, without quotes. */
  typed: string;
  /** Index of its first character, including a quote. */
  from: number;
}

/** Never throws, because an unfinished query may not be valid yet. */
export function openPiece(text: string): OpenPiece {
  const start = lastPart(text, 0, /\s/);
  const [head = "", field, , sign] = anchored(HEAD).exec(text.slice(start)) ?? [];
  if (sign === undefined) {
    const from = start + (text[start] === "-" ? 1 : 0);
    return { field: null, typed: text.slice(from), from };
  }
  const from = lastPart(text, start + head.length, /,/);
  const value = text.slice(from);
  const typed = value.startsWith('"') ? unescaped(value.slice(1)) : value;
  return { field: field?.toLowerCase() ?? null, typed, from };
}

/** Start of the last part, when split at separators outside of quotes. */
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
