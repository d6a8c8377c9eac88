/**
 * Converts column values for records. SQLite accepts any type in any column, so types are checked, not assumed: an unexpected value reads as empty or
 * NaN instead of failing a page.
 */
import type { CutMark } from "../../../pynenc/records.ts";
import { type EpochSeconds, epochFromIso, epochFromJulianDay, hasYear } from "../../../pynenc/time.ts";
import { LIST_BYTES, UNREAD_BYTES } from "../../value-limit.ts";

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
 * cutting, so that no more is transferred. In a list (up to `LIST_BYTES`), a text larger than `UNREAD_BYTES` is empty.
 */
export function bounded(column: string, bytes: number, name: string): string {
  const large = `octet_length(${column}) > ${Math.trunc(bytes)}`;
  return `CASE WHEN ${large} THEN ${beginning(column, bytes)} ELSE ${column} END AS ${name},
    CASE WHEN ${large} THEN octet_length(${column}) END AS ${name}_size`;
}

/** SQL for the first bytes of a text; empty as for `bounded`. */
export function beginning(column: string, bytes: number): string {
  return partOf(column, bytes, `1, ${Math.trunc(bytes)}`);
}

/** SQL for the last bytes of a text that `bounded` cuts to `bytes`; else NULL. */
export function ending(column: string, bytes: number, wanted: number): string {
  return `CASE WHEN octet_length(${column}) > ${Math.trunc(bytes)} THEN ${partOf(column, bytes, String(-wanted))} END`;
}

function partOf(column: string, bytes: number, range: string): string {
  const part = `substr(CAST(${column} AS BLOB), ${range})`;
  return bytes > LIST_BYTES ? part : `CASE WHEN octet_length(${column}) > ${UNREAD_BYTES} THEN '' ELSE ${part} END`;
}

/** SQL for a JSON text that is only parsed, never shown: NULL if it is larger. */
export function document(column: string, bytes: number = LIST_BYTES): string {
  return `CASE WHEN octet_length(${column}) <= ${Math.trunc(bytes)} THEN ${column} END`;
}

export function boundedText(row: Record<string, unknown>, name: string): { text: string } & CutMark {
  const size = row[`${name}_size`];
  const stored = text(row[name]);
  return typeof size === "number" ? { text: withoutSplitCharacter(stored), whole_size: size } : { text: stored };
}

/** As `boundedText`, for a text without a mark: a cut one ends with an ellipsis, so it is neither empty nor valid JSON. */
export function cutText(row: Record<string, unknown>, name: string): string {
  const { text: stored, whole_size } = boundedText(row, name);
  return whole_size === undefined ? stored : `${stored}…`;
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
