/**
 * Converts members of documents for records. A collection accepts anything, so types are checked, not assumed: an unexpected value reads as empty or
 * NaN instead of failing a page.
 */
import { type EpochSeconds, epochFromIso, hasYear } from "../../../pynenc/time.ts";

/** Text of a member; `""` if it has none. An ObjectId or a number reads as its text. */
export function text(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const kind = bsonType(value);
  return kind === "ObjectId" || kind === "Long" || kind === "Decimal128" ? String(value) : "";
}

export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

/** Number of a member; NaN if it has none. */
export function number(value: unknown): number {
  if (typeof value === "number") return value;
  // Numbers that a double does not hold exactly.
  const kind = bsonType(value);
  return kind === "Long" || kind === "Decimal128" ? Number(String(value)) : Number.NaN;
}

export function numberOrNull(value: unknown): number | null {
  const found = number(value);
  return Number.isNaN(found) ? null : found;
}

/** An instant stored as a Date, as seconds or as ISO text; NaN if it is none, which is shown as an invalid time. */
export function instant(value: unknown): EpochSeconds {
  return instantOrNull(value) ?? Number.NaN;
}

export function instantOrNull(value: unknown): EpochSeconds | null {
  if (typeof value === "string") return epochFromIso(value);
  const seconds = value instanceof Date ? value.getTime() / 1000 : number(value);
  return Number.isFinite(seconds) && hasYear(seconds) ? seconds : null;
}

/** The Date of an instant, as the plugin writes it: whole milliseconds. */
export function dateOf(seconds: EpochSeconds): Date {
  return new Date(Math.round(seconds * 1000));
}

/** A list of texts; empty for anything else. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item) => textOrNull(item) ?? []) : [];
}

/** Members of a document within a document; none for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value) && bsonType(value) === null;
  return plain && !(value instanceof Date) ? (value as Record<string, unknown>) : {};
}

/** Bytes of a Binary; null for anything else. */
export function bytesOf(value: unknown): Uint8Array | null {
  if (bsonType(value) !== "Binary") return null;
  const { buffer, position } = value as { buffer: Uint8Array; position: number };
  return buffer.subarray(0, position);
}

/** The second in which the id of a document was made, by the clock of its writer; null if it is no ObjectId. */
export function madeAt(id: unknown): EpochSeconds | null {
  return bsonType(id) === "ObjectId" ? (id as { getTimestamp(): Date }).getTimestamp().getTime() / 1000 : null;
}

function bsonType(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const kind = (value as { _bsontype?: unknown })._bsontype;
  return typeof kind === "string" ? kind : null;
}
