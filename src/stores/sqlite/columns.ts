/**
 * Column values as records hold them. SQLite keeps any kind of value in any column, so what a column should hold is asked for and not assumed:
 * what is something else reads as nothing, or as a number that is none, and never ends a page.
 */
import { type EpochSeconds, epochFromJulianDay } from "../../pynenc/time.ts";

/** Of a column that is never empty; `""` when it is. */
export function text(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** `''` and NULL both mean "none" (storage.md 13.2). */
export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

/** Of a column that always has a number; NaN when it has none. As an instant that is shown as an invalid time. */
export function number(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** An instant that is kept as a Julian day (storage.md 3.2). */
export function julianInstant(value: unknown): EpochSeconds | null {
  return typeof value === "number" ? epochFromJulianDay(value) : null;
}
