/** Messages for people on standard error, wrapped where that is a terminal. */
import { wrapped } from "./wrapped.ts";

/** A command to copy: a line of its own, or the end of a line after a colon. */
const COMMAND = /(?:^ *|: )(?=(?:export PYNENC_MONITOR_|monitor |npx pynenc-monitor ))/;

/** Lines that fit the width. They keep their indentation, and a command stays on one line so that it can be copied. */
export function messageLines(text: string, width: number | null): string[] {
  if (width === null) return text.split("\n");
  return text.split("\n").flatMap((line) => {
    const indent = /^ */.exec(line)?.[0] ?? "";
    const fold = (part: string, at: string) => wrapped(part.trimStart(), width - at.length).map((one) => at + one);
    if (line.length <= width) return [line];
    const at = line.search(COMMAND);
    if (at === 0) return [line];
    return at < 0 ? fold(line, indent) : [...fold(line.slice(0, at + 1), indent), `${indent}  ${line.slice(at + 2)}`];
  });
}

/** Columns of the terminal that shows messages; null if it is none. */
export function messageWidth({ isTTY, columns }: NodeJS.WriteStream = process.stderr): number | null {
  return isTTY === true ? columns || 80 : null;
}

/** Writes a message. Text from a store in it has gone through `visible`. */
export function writeMessage(text: string): void {
  process.stderr.write(`${messageLines(text, messageWidth()).join("\n")}\n`);
}
