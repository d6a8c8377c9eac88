/** Parses times as people type them, for all flags and parameters. */
import { type EpochSeconds, epochFromIso, INSTANT_BOUNDS, isWithinBounds } from "../../pynenc/time.ts";

/** A time that may be relative to now, so that an open page moves with it. Null if it is none that may be asked for (`isWithinBounds`). */
export type Moment = (now: EpochSeconds) => EpochSeconds | null;

/** Whether a time without an offset is one of this machine's zone; otherwise of UTC. */
let local = false;

/** For commands that print times in the zone of this machine: people type the times they see. Never for a server, whose clients have zones of their own. */
export function readLocalTimes(wanted: boolean): void {
  local = wanted;
}

/** The forms of a time, for error messages. */
export function momentForms(): string {
  const zone = local ? "in the zone of this machine" : "UTC";
  return `how long ago (90m, 2h, 1h30m, 3d), a time of day (14:05, yesterday 14:05), a date or an ISO 8601 time such as 2026-07-04T10:15:00, or seconds since 1970; ${zone} unless it has an offset; ${INSTANT_BOUNDS}`;
}

/** A length greater than the whole range of instants that can be requested is a typing error. */
const LONGEST_DAYS = 100_000;

export const LENGTH_FORMS = `a length of time such as 90s, 15m, 1h30m, 2d or 1w, up to ${LONGEST_DAYS}d`;

const DAY = 86_400;

/** Seconds of the units, in the order in which they are written. */
const UNITS = { w: 7 * DAY, d: DAY, h: 3_600, m: 60, s: 1, ms: 0.001 };
const NUMBER = String.raw`(\d{1,9}(?:\.\d{1,3})?)`;
const LENGTH = new RegExp(
  `^${Object.keys(UNITS)
    .map((unit) => `(?:${NUMBER}${unit}(?!s))?`)
    .join("")}$`,
);

/** `1h30m` in seconds; null for other texts, for zero, and for what is too long. Units are lower case: who writes `1M` may mean a month. */
export function lengthOf(text: string): number | null {
  const numbers = LENGTH.exec(text)?.slice(1) ?? [];
  const units = Object.values(UNITS);
  const seconds = numbers.reduce((sum, number = "0", index) => sum + Number(number) * (units[index] ?? 0), 0);
  return seconds > 0 && seconds <= LONGEST_DAYS * DAY ? seconds : null;
}

/** Seconds (with fraction) or milliseconds since 1970. Between 2001 and 2286 the number of digits distinguishes them. */
const EPOCH = /^\d{10}(?:\.\d{1,9})?$/;
const EPOCH_MILLISECONDS = /^\d{13}$/;

const DAY_AND_CLOCK = /^(?:(today|yesterday)(?:[ t]+|$))?(?:(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?(z)?)?$/;

/** The time in a text; null if there is none. */
export function momentOf(text: string): Moment | null {
  const read = anyMoment(text);
  if (read === null) return null;
  return (now) => {
    const at = read(now);
    return isWithinBounds(at) ? at : null;
  };
}

function anyMoment(text: string): ((now: EpochSeconds) => EpochSeconds) | null {
  const given = text.trim().toLowerCase();
  if (given === "now") return (now) => now;
  const ago = lengthOf(text.trim().replace(/ ago$/i, ""));
  if (ago !== null) return (now) => now - ago;
  if (EPOCH.test(given)) return fixed(Number(given));
  if (EPOCH_MILLISECONDS.test(given)) return fixed(Number(given) / 1000);
  const iso = epochFromIso(text.trim());
  if (iso === null) return clockMoment(given);
  return fixed(local && !/(z|[+-]\d\d(:?\d\d)?)$/.test(given.replace(/^[\d-]{10}/, "")) ? fromWallClock(iso) : iso);
}

function fixed(at: EpochSeconds): () => EpochSeconds {
  return () => at;
}

/** A day by name, a time of day, or both. A time of day alone means the most recent one, because stores contain the past. */
function clockMoment(given: string): ((now: EpochSeconds) => EpochSeconds) | null {
  const match = DAY_AND_CLOCK.exec(given);
  if (match === null || given === "") return null;
  const [, day, hour = "0", minute = "0", second = "0", utc] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) >= 60) return null;
  const clock = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return (now) => {
    const isLocal = local && utc === undefined;
    const here = isLocal ? wallClock(now) : now;
    const at = here - (here % DAY) + clock;
    const meant = day === "yesterday" || (day === undefined && at > here) ? at - DAY : at;
    return isLocal ? fromWallClock(meant) : meant;
  };
}

/** The date and time of this machine's zone at an instant, as the instant at which UTC has them. */
function wallClock(at: EpochSeconds): EpochSeconds {
  return at - new Date(at * 1000).getTimezoneOffset() * 60;
}

/** The instant at which this machine's zone has the date and time that UTC has at `shown`. Of a time that occurs twice, the first. */
function fromWallClock(shown: EpochSeconds): EpochSeconds {
  const date = new Date(shown * 1000);
  const at = new Date(
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
  );
  return at.getTime() / 1000 + (shown % 60);
}
