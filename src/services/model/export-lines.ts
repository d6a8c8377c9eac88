/** Streams lists as CSV or JSON lines. */

import type { EXPORT_FORMATS } from "../../api/words.ts";

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Field = string | number | boolean | null;

/** Batches of rows as text. A CSV starts with its header, so an empty list still gives a valid file. JSON lines contain all members of a row. */
export async function* exportLines<Column extends string, Row extends Record<Column, Field>>(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(columns);
  for await (const rows of batches) {
    yield rows
      .map((row) => (format === "csv" ? csvLine(columns.map((column) => row[column])) : `${JSON.stringify(row)}\n`))
      .join("");
  }
}

function csvLine(values: readonly Field[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

/** Spreadsheets run text that looks like a formula, and stored text may be hostile. A leading apostrophe makes it plain text (security.md 5). */
function csvField(value: Field): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const guarded = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
