/** Conversions between the time formats that pynenc stores (storage-format.md 3.2, 3.3). */

/** Seconds since 1970-01-01 UTC as a double, exact to the microsecond until the year 2255. */
export type EpochSeconds = number;

/**
 * The instants that may be asked for: doubles hold their microseconds, and what is calculated around them (the axis of a drawing, the range before)
 * has dates of four digits too. Rows may hold any others, which are shown as they are.
 */
const FIRST_INSTANT: EpochSeconds = 0;
const LAST_INSTANT: EpochSeconds = Date.UTC(2255, 0, 1) / 1000;
export const INSTANT_BOUNDS = "between 1970-01-01 and 2255-01-01";

export function isWithinBounds(at: EpochSeconds): boolean {
  return at >= FIRST_INSTANT && at <= LAST_INSTANT;
}

/** The nearest instant that may be asked for. */
export function withinBounds(at: EpochSeconds): EpochSeconds {
  return Math.min(LAST_INSTANT, Math.max(FIRST_INSTANT, at));
}

/** Resolution of the times pynenc stores, in seconds. */
export const MICROSECOND = 1e-6;

const JULIAN_DAY_OF_EPOCH = 2440587.5;
const SECONDS_PER_DAY = 86_400;

/** Broker and client-data rows have Julian days of whole milliseconds, which doubles hold with an error of 20 µs (storage-format.md 3.2). */
export function epochFromJulianDay(day: number): EpochSeconds {
  return Math.round((day - JULIAN_DAY_OF_EPOCH) * SECONDS_PER_DAY * 1000) / 1000;
}

export function julianDayFromEpoch(seconds: EpochSeconds): number {
  return seconds / SECONDS_PER_DAY + JULIAN_DAY_OF_EPOCH;
}

/** The years that have four digits. */
const FIRST_YEAR: EpochSeconds = Date.parse("0000-01-01T00:00Z") / 1000;
const AFTER_LAST_YEAR: EpochSeconds = Date.UTC(10_000, 0, 1) / 1000;

/** Whether an instant has a year that ISO 8601, as pynenc writes it, has digits for. */
export function hasYear(at: EpochSeconds): boolean {
  return at >= FIRST_YEAR && at < AFTER_LAST_YEAR;
}

/** `2026-11-21T00:34:39.919765+00:00`: always six digits and an offset, as pynenc writes all but exact seconds; `invalid time` without a year. */
export function isoFromEpoch(seconds: EpochSeconds): string {
  const { whole, micros } = split(seconds);
  if (!hasYear(whole)) return "invalid time";
  const fraction = String(micros).padStart(6, "0");
  return `${new Date(whole * 1000).toISOString().slice(0, -5)}.${fraction}+00:00`;
}

/** The same instant in fewer characters, for addresses: `2026-11-21T00:34:39Z`. Fractions of a second stay. @param iso of `isoFromEpoch`. */
export function inAddress(iso: string): string {
  return iso.replace(/(?:\.0+)?\+00:00$/, "Z");
}

/** `2026-11-21 00:34:39 UTC`, for sentences. @param precise with milliseconds */
export function utcText(seconds: EpochSeconds, precise = false): string {
  return `${isoFromEpoch(seconds)
    .slice(0, precise ? 23 : 19)
    .replace("T", " ")} UTC`;
}

/** ISO text of an instant, or null if there is none. */
export function isoOrNull(seconds: EpochSeconds | null | undefined): string | null {
  return seconds === null || seconds === undefined ? null : isoFromEpoch(seconds);
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

const ZERO = 0x30;

/** Days per month in any year (not a leap year). */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Python's format of nearly every instant in UTC. */
const PYTHON_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;

/** Reads ISO 8601 with or without fraction and offset; text without an offset is UTC (storage-format.md 5.5). Null if it is not a date. */
export function epochFromIso(text: string): EpochSeconds | null {
  const at = epochFromPython(text) ?? epochFromAnyIso(text);
  return at !== null && hasYear(at) ? at : null;
}

/**
 * Parses Python's format by fixed positions: lists parse two times per row, and this takes a third of the time. Null for any other format, and for
 * possible typing errors.
 */
function epochFromPython(text: string): EpochSeconds | null {
  if (!PYTHON_UTC.test(text)) return null;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  // Date.UTC takes years below 100 for those of the twentieth century.
  const plain = year > 99 && day > 0 && day <= (DAYS[month - 1] ?? 0) && hour < 24 && minute < 60 && second < 60;
  return plain ? Date.UTC(year, month - 1, day, hour, minute, second) / 1000 + digits(text, 20, 26) / 1e6 : null;
}

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - ZERO;
  return number;
}

function epochFromAnyIso(text: string): EpochSeconds | null {
  const match = ISO.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", offset = "Z"] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  // Date turns 2026-02-31 into a day in March; that is a typing error, not a date.
  const rolled =
    date.getUTCMonth() !== Number(month) - 1 ||
    date.getUTCDate() !== Number(day) ||
    date.getUTCHours() !== Number(hour);
  const shift = offsetSeconds(offset);
  if (rolled || Number(minute) > 59 || Number(second) > 59 || shift === null) return null;
  return date.getTime() / 1000 + Number(`0.${fraction || "0"}`) - shift;
}

/** The offset from UTC in seconds; null if it is not valid, because it is a day or more. */
function offsetSeconds(offset: string): number | null {
  if (offset === "Z" || offset === "z") return 0;
  const digits = offset.slice(1).replace(":", "").padEnd(4, "0");
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2, 4))];
  if (hours > 23 || minutes > 59) return null;
  const seconds = hours * 3600 + minutes * 60;
  return offset.startsWith("-") ? -seconds : seconds;
}

/** Microseconds since 1970 as an integer, so that differences are exact. */
export function integerMicros(at: EpochSeconds): number {
  const { whole, micros } = split(at);
  return whole * 1e6 + micros;
}

/** Rounds to microseconds, the resolution of Python's clock. */
export function toMicros(at: EpochSeconds): EpochSeconds {
  const { whole, micros } = split(at);
  return whole + micros / 1e6;
}

/**
 * Splits into seconds and microseconds, rounded like `datetime.fromtimestamp`: heartbeats have more digits than a microsecond. Only the fraction is
 * multiplied, because multiplying the complete number loses precision and is sometimes off by one.
 */
function split(seconds: EpochSeconds): { whole: number; micros: number } {
  const whole = Math.floor(seconds);
  const exact = (seconds - whole) * 1e6;
  const nearest = Math.round(exact);
  const micros = nearest - exact === 0.5 && nearest % 2 === 1 ? nearest - 1 : nearest;
  return micros === 1e6 ? { whole: whole + 1, micros: 0 } : { whole, micros };
}

/** Seconds between two instants; null if one of them is invalid. Negative if clocks differ. */
export function secondsBetween(from: EpochSeconds, to: EpochSeconds): number | null {
  return Number.isNaN(to - from) ? null : to - from;
}

/** Seconds from an instant until now; 0 for a later instant, which is possible if clocks differ or `--now` is before the data. */
export function secondsSince(at: EpochSeconds, now: EpochSeconds): number {
  return Math.max(0, now - at);
}
