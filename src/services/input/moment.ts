/** Parses times as people type them, for all flags and parameters. */
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";

/** A time that may be relative to now, so that an open page moves with it. */
export type Moment = (now: EpochSeconds) => EpochSeconds;

export const MOMENT_FORMS =
  "how long ago (90m, 2h, 1h30m, 3d), a time of day (14:05, yesterday 14:05), a date or an ISO 8601 time such as 2026-07-04T10:15:00, or seconds since 1970; UTC unless it has an offset";

export const LENGTH_FORMS = "a length of time such as 90s, 15m, 1h30m, 2d or 1w";

const DAY = 86_400;
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: DAY, w: 7 * DAY };

const LENGTH = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|[smhdw]))+$/;
const PARTS = /([\d.]+)(ms|[smhdw])/g;

/** `1h30m` in seconds; null for other texts and for zero. */
export function lengthOf(text: string): number | null {
  const given = text.toLowerCase();
  if (!LENGTH.test(given)) return null;
  const seconds = [...given.matchAll(PARTS)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ""] ?? 0),
    0,
  );
  return seconds > 0 ? seconds : null;
}

/** Seconds (with fraction) or milliseconds since 1970. Between 2001 and 2286 the number of digits distinguishes them. */
const EPOCH = /^\d{10}(?:\.\d{1,9})?$/;
const EPOCH_MILLISECONDS = /^\d{13}$/;

const DAY_AND_CLOCK = /^(?:(today|yesterday)(?:[ t]+|$))?(?:(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?)?$/;

/** The time in a text; null if there is none. */
export function momentOf(text: string): Moment | null {
  const given = text.trim().toLowerCase();
  if (given === "now") return (now) => now;
  const ago = lengthOf(given.replace(/^-/, "").replace(/ ago$/, ""));
  if (ago !== null) return (now) => now - ago;
  if (EPOCH.test(given)) return fixed(Number(given));
  if (EPOCH_MILLISECONDS.test(given)) return fixed(Number(given) / 1000);
  const iso = epochFromIso(text.trim());
  return iso === null ? clockMoment(given) : fixed(iso);
}

function fixed(at: EpochSeconds): Moment {
  return () => at;
}

/** A day by name, a time of day, or both. A time of day alone means the most recent one, because stores contain the past. */
function clockMoment(given: string): Moment | null {
  const match = DAY_AND_CLOCK.exec(given);
  if (match === null || given === "") return null;
  const [, day, hour = "0", minute = "0", second = "0"] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) >= 60) return null;
  const clock = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return (now) => {
    const at = now - (now % DAY) + clock;
    return day === "yesterday" || (day === undefined && at > now) ? at - DAY : at;
  };
}
