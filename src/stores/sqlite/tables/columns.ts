/**
 * Converts column values for records. SQLite accepts any type in any column, so types are checked, not assumed: an unexpected value reads as empty or
 * NaN instead of failing a page.
 */
import type { CutMark } from "../../../pynenc/records.ts";
import { type EpochSeconds, epochFromIso, epochFromJulianDay, hasYear } from "../../../pynenc/time.ts";

/** Text of a column; `""` if it has none. */
export function text(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** `''` and NULL both mean "none" (storage-format.md 3.4). */
export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

/**
 * SQL for a text of any size as two columns, which `boundedText` reads: the text, cut to `bytes`, and its size if it was cut. SQLite does the
 * cutting, so that no more is transferred.
 */
export function bounded(column: string, bytes: number, name: string): string {
  const large = `octet_length(${column}) > ${Math.trunc(bytes)}`;
  return `CASE WHEN ${large} THEN substr(CAST(${column} AS BLOB), 1, ${Math.trunc(bytes)}) ELSE ${column} END AS ${name},
    CASE WHEN ${large} THEN octet_length(${column}) END AS ${name}_size`;
}

export function boundedText(row: Record<string, unknown>, name: string): { text: string } & CutMark {
  const size = row[`${name}_size`];
  const stored = text(row[name]);
  return typeof size === "number" ? { text: withoutSplitCharacter(stored), whole_size: size } : { text: stored };
}

/** Drops the replacement character that the decoder puts in place of a split character. */
export function withoutSplitCharacter(head: string): string {
  return head.replace(/\uFFFD$/, "");
}

/** Number of a column; NaN if it has none. */
export function number(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** An instant stored as seconds; NaN if it is none, which is shown as an invalid time. */
export function instant(value: unknown): EpochSeconds {
  return instantOrNull(value) ?? Number.NaN;
}

export function instantOrNull(value: unknown): EpochSeconds | null {
  return typeof value === "number" && hasYear(value) ? value : null;
}

/** An instant stored as a Julian day (storage-format.md 3.2). */
export function julianInstant(value: unknown): EpochSeconds | null {
  return typeof value === "number" ? instantOrNull(epochFromJulianDay(value)) : null;
}

/** An instant stored as ISO text. */
export function isoInstant(value: unknown): EpochSeconds | null {
  return typeof value === "string" ? epochFromIso(value) : null;
}
