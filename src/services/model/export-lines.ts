/** Lists as CSV and JSON lines, piece by piece. */

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Field = string | number | boolean | null;

/** Batches of rows as text. The first piece of a CSV is its header, so an empty list is a file too; JSON lines hold whole rows. */
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

/** A spreadsheet runs text that begins like a formula, and stored text is hostile: an apostrophe in front makes it text (security.md 5). */
function csvField(value: Field): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const guarded = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
