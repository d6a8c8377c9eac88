/** Entries that the clock of a host which is ahead has stamped later than now. A range that was given no end has them too. */
import { lasting } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

/** Those further ahead are not a matter of a range that ends now. */
const AHEAD_SECONDS = 3_600;

/** The newest entry, if it is stamped later than now and within the hour; else null. @param newest of all that are stored. */
export function newestStampedLater(newest: EpochSeconds | null | undefined, now: EpochSeconds): EpochSeconds | null {
  return newest != null && newest > now && newest - now <= AHEAD_SECONDS ? newest : null;
}

/** Says of a range that it has such entries. @param done what becomes of them. */
export function stampedLaterNote(newest: EpochSeconds, now: EpochSeconds, done: "counted" | "shown"): string {
  return `Entries are stamped up to ${lasting(newest - now)} later than now: the clock of a host is ahead. They are ${done}.`;
}
