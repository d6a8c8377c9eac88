/** One-line texts of arguments and results for lists. */

import { grouped } from "../../pynenc/numbers.ts";
import type { CutMark } from "../../pynenc/records.ts";
import { argumentsAsRead, displayValue } from "../../pynenc/values.ts";

const CHARACTERS = 160;

/** `order_id="O-1", amount=3`, cut; empty for a call without arguments. References are not resolved. */
export function argumentsLine(serialized: string, mark: CutMark = {}): string {
  if (mark.whole_size !== undefined && serialized === "") return unreadLine(mark.whole_size);
  // The line is shorter than the beginning that was read, so nothing is missing.
  const values = argumentsAsRead(serialized, mark);
  const line =
    values === null ? serialized : [...values].map(([name, stored]) => `${name}=${valueLine(stored)}`).join(", ");
  return line.length > CHARACTERS ? `${line.slice(0, CHARACTERS)}…` : line;
}

/** A stored value on one line, cut. References are not resolved. @param stored the value or its beginning. */
export function valueLine(stored: string, { whole_size }: CutMark = {}): string {
  if (whole_size !== undefined && stored === "") return unreadLine(whole_size);
  const { form, text, reference, truncated } = displayValue(stored.slice(0, CHARACTERS * 2), CHARACTERS);
  // Strings in parsed values have their line breaks escaped; blanks in them stay as they are.
  const folded = text.replace(form === "text" ? /\s+/g : /\n\s*/g, " ");
  return `${reference === null ? folded : "(client data)"}${truncated ? "…" : ""}`;
}

/** In place of a text that is too large for a list to read even its beginning. */
function unreadLine(size: number): string {
  return `(${grouped(size)} bytes)`;
}
