/** `--format` of the commands that list: a table of one page, or every matching row for another program. */

import { EXPORT_FORMATS } from "../api/words.ts";
import { InvalidInputError } from "../errors.ts";
import { visible, visibleLine } from "../presentation/text.ts";
import type { ExportFormat } from "../services/model/export-lines.ts";
import type { Flags } from "./flags.ts";
import { terminalSafeJson } from "./print/json.ts";
import type { Output } from "./print/output.ts";
import { streamed } from "./print/stream.ts";

const LIST_FORMATS = [...EXPORT_FORMATS, "ids"] as const;

type ListFormat = (typeof LIST_FORMATS)[number];

/**
 * Returns null for the table.
 *
 * @param rowFlags flags that choose rows, if this export takes none of them.
 * @throws InvalidInputError also for paging flags, because an export has no pages.
 */
export function exportFormat(flags: Flags, rowFlags: readonly string[] = ["limit", "page"]): ListFormat | null {
  const format = oneOf("--format", flags.format ?? "table", ["table", ...LIST_FORMATS]);
  if (format === "table") return null;
  for (const name of rowFlags) {
    const value = flags[name];
    if (value !== undefined) throw conflict(`--${name}`, String(value), `--format ${format} prints every matching row`);
  }
  return format;
}

/** `--json` prints one document, and an export is a stream of rows. @throws InvalidInputError */
export function assertNoJson(out: Output, format: string | null): void {
  if (out.json && format !== null)
    throw conflict("--format", format, "--json prints one document; use one or the other");
}

export function conflict(parameter: string, value: string, accepted: string): InvalidInputError {
  return new InvalidInputError([{ parameter, value, accepted }]);
}

/** The one of these words that a flag or an argument names, whatever its case. @throws InvalidInputError */
export function oneOf<Word extends string>(parameter: string, given: unknown, words: readonly Word[]): Word {
  const word = words.find((known) => known === String(given).toLowerCase());
  if (word === undefined) throw conflict(parameter, String(given), `expected one of ${words.join(", ")}`);
  return word;
}

/** Every matching row, written as it is read. @param rows makes the text of them in a format. @param id the member that `--format ids` prints */
export async function printExport(
  rows: (format: ExportFormat) => AsyncIterable<string>,
  id: string,
  format: ListFormat,
  out: Output,
): Promise<void> {
  if (format === "ids") return streamed(idLines(rows("jsonl"), id), visible);
  await streamed(rows(format), (text) => shownExport(text, format, out));
}

async function* idLines(pieces: AsyncIterable<string>, id: string): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield `${lines.map((line) => visibleLine(String(JSON.parse(line)[id]))).join("\n")}\n`;
  }
}

/** Text of an export for stdout. Programs get CSV fields as stored; terminals get control characters escaped. JSON has them escaped for both. */
export function shownExport(text: string, format: string, out: Output): string {
  if (format !== "csv") return terminalSafeJson(text);
  return out.terminal ? text.split("\r\n").map(visible).join("\n") : text;
}
