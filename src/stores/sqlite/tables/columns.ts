/**
 * Column values as records hold them. SQLite keeps any kind of value in any column, so what a column should hold is asked for and not assumed:
 * what is something else reads as nothing, or as a number that is none, and never ends a page.
 */
import type { CutMark } from "../../../pynenc/records.ts";
import { type EpochSeconds, epochFromIso, epochFromJulianDay } from "../../../pynenc/time.ts";

/** Text of a column that should not be empty; `""` if it is. */
export function text(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** `''` and NULL both mean "none" (storage-format.md 3.4). */
export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

/**
 * A stored text of any size as two columns, which `boundedText` reads: of one that is larger than so many bytes, the beginning and its size.
 * SQLite's own functions cut it, so that no more than that is handed over.
 */
export function bounded(column: string, bytes: number, name: string): string {
  const large = `octet_length(${column}) > ${Math.trunc(bytes)}`;
  return `CASE WHEN ${large} THEN substr(CAST(${column} AS BLOB), 1, ${Math.trunc(bytes)}) ELSE ${column} END AS ${name},
    CASE WHEN ${large} THEN octet_length(${column}) END AS ${name}_size`;
}

export function boundedText(row: Record<string, unknown>, name: string): { text: string } & CutMark {
  const size = row[`${name}_size`];
  const stored = text(row[name]);
  return typeof size === "number" ? { text: withoutHalf(stored), whole_size: size } : { text: stored };
}

/** A cut may fall inside a character; the decoder's replacement for that half character is dropped. */
export function withoutHalf(head: string): string {
  return head.replace(/\uFFFD$/, "");
}

/** Of a column that always has a number; NaN when it has none. As an instant that is shown as an invalid time. */
export function number(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** An instant that is kept as a Julian day (storage-format.md 3.2). */
export function julianInstant(value: unknown): EpochSeconds | null {
  return typeof value === "number" ? epochFromJulianDay(value) : null;
}

/** An instant that is kept as ISO text. */
export function isoInstant(value: unknown): EpochSeconds | null {
  return typeof value === "string" ? epochFromIso(value) : null;
}
