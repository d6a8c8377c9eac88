/**
 * Finds members of a JSON object without parsing it completely: a log can contain millions of brackets, and creating an object for each takes a
 * hundred times as long as skipping them. One pass, never backwards.
 */

import { isDigit, isLetter } from "./scan.ts";

/** The parts of a string that are needed, so that a test can count the characters read. */
export type Characters = Pick<string, "length" | "charCodeAt" | "slice">;

/** Log lines are flat or nearly so. Anything nested deeper is not a log line. */
const DEEPEST = 50;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * String members with these names, as written, including quotes; the last one wins. Null if the text is not a single object or is nested too deep.
 * Other values are skipped without validation: Python writes `NaN`, which should not make a line unreadable.
 */
export function stringMembers(json: Characters, names: readonly string[]): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>();
  let at = skipSpace(json, 0);
  if (json.charCodeAt(at) !== OPEN_BRACE) return null;
  at = skipSpace(json, at + 1);
  if (json.charCodeAt(at) === CLOSE_BRACE) return endsAfter(json, at) ? found : null;
  for (;;) {
    const keyEnd = endOfString(json, at);
    const colon = keyEnd < 0 ? -1 : skipSpace(json, keyEnd);
    if (colon < 0 || json.charCodeAt(colon) !== COLON) return null;
    const start = skipSpace(json, colon + 1);
    const end = endOfValue(json, start);
    if (end < 0) return null;
    const name = keyEnd - at - 2 > LONGEST_NAME ? "" : json.slice(at + 1, keyEnd - 1);
    if (names.includes(name)) {
      if (json.charCodeAt(start) === QUOTE) found.set(name, json.slice(start, end));
      else found.delete(name);
    }
    at = skipSpace(json, end);
    const next = json.charCodeAt(at);
    if (next === CLOSE_BRACE) return endsAfter(json, at) ? found : null;
    if (next !== COMMA) return null;
    at = skipSpace(json, at + 1);
  }
}

/** Longer names are never requested. */
const LONGEST_NAME = 100;

/** Whether only blanks follow. */
function endsAfter(json: Characters, at: number): boolean {
  return skipSpace(json, at + 1) === json.length;
}

/** The offset after the value at this offset; -1 if there is none, it does not end, or it is nested too deep. */
function endOfValue(json: Characters, start: number): number {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return endOfString(json, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(json, start);
  let at = start;
  while (isOfWord(json.charCodeAt(at))) at++;
  return at > start ? at : -1;
}

function endOfNested(json: Characters, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; ) {
    const here = json.charCodeAt(at);
    if (here === QUOTE) {
      at = endOfString(json, at);
      if (at < 0) return -1;
      continue;
    }
    if (here === OPEN_BRACE || here === OPEN_BRACKET) depth++;
    else if (here === CLOSE_BRACE || here === CLOSE_BRACKET) depth--;
    at++;
    if (depth === 0) return at;
    if (depth > DEEPEST) return -1;
  }
  return -1;
}

/** The offset after the closing quote of the string that starts here; -1 if none starts or it does not end. */
function endOfString(json: Characters, start: number): number {
  if (json.charCodeAt(start) !== QUOTE) return -1;
  for (let at = start + 1; at < json.length; at++) {
    const here = json.charCodeAt(at);
    if (here === QUOTE) return at + 1;
    if (here === BACKSLASH) at++;
  }
  return -1;
}

function skipSpace(json: Characters, start: number): number {
  let at = start;
  for (let here = json.charCodeAt(at); here === 0x20 || (here >= 0x09 && here <= 0x0d); here = json.charCodeAt(at))
    at++;
  return at;
}

/** Characters of numbers, `true`, `null`, `NaN`. */
function isOfWord(here: number): boolean {
  return isDigit(here) || isLetter(here) || here === 0x2b || here === 0x2d || here === 0x2e;
}
