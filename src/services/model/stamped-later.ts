/** Entries with a time later than now, because the clock of a host is ahead. A range without an end includes them. */
import { lasting } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

/** A range without an end is not extended to entries further ahead than this. */
const AHEAD_SECONDS = 3_600;

/** Time of the newest entry if it is up to an hour later than now, otherwise null. @param newest time of the newest stored entry. */
export function newestStampedLater(newest: EpochSeconds | null | undefined, now: EpochSeconds): EpochSeconds | null {
  return newest != null && newest > now && newest - now <= AHEAD_SECONDS ? newest : null;
}

/** The note on a range that has such entries. @param done what happens to them. */
export function stampedLaterNote(newest: EpochSeconds, now: EpochSeconds, done: "counted" | "shown"): string {
  return `Some entries are dated up to ${lasting(newest - now)} in the future: the clock of a host is ahead. They are ${done}.`;
}
