/** JSON for stdout. */
import { writeJson } from "../../pynenc/stored-json.ts";

/** Characters that are legal in JSON but may act on a terminal: DEL and C1 controls, bidirectional marks, line separators. */
const OBEYED = /[\u007f-\u009f]|\p{Cf}|\p{Zl}|\p{Zp}/gu;

/** One indented document with a line feed at the end. */
export function jsonDocument(value: unknown): string {
  return `${terminalSafeJson(writeJson(value, 2))}\n`;
}

/** JSON with these characters escaped: the same for parsers, harmless on terminals. */
export function terminalSafeJson(json: string): string {
  return json.replace(OBEYED, (character) =>
    Array.from({ length: character.length }, (_, unit) => unitEscape(character.charCodeAt(unit))).join(""),
  );
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
