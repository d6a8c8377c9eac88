/** JSON for stdout. */
import { writeJson } from "../../pynenc/stored-json.ts";

/** Characters that JSON lets through and a terminal may obey: DEL and C1 controls, bidirectional marks, line separators. */
const OBEYED = /[\u007f-\u009f]|\p{Cf}|\p{Zl}|\p{Zp}/gu;

/** One document over several lines, with a line feed at the end. */
export function jsonDocument(value: unknown): string {
  return `${terminalSafeJson(writeJson(value, 2))}\n`;
}

/** The same JSON with such characters written as escapes: parsers see no difference, and a terminal obeys nothing. */
export function terminalSafeJson(json: string): string {
  return json.replace(OBEYED, (character) =>
    Array.from({ length: character.length }, (_, unit) => unitEscape(character.charCodeAt(unit))).join(""),
  );
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
