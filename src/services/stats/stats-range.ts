/** The range of figures, and what is not known about it. */

import { STATS_LENGTH } from "../../api/words.ts";
import { RefusedError } from "../../errors.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { isoFromEpoch, isoOrNull, utcText } from "../../pynenc/time.ts";
import { MINUTE, type TimeSpan } from "../../rollups/buckets.ts";
import type { Answered, RollupReads } from "../../rollups/reads.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { lengthOf } from "../input/moment.ts";
import { type TimeRange, timeBounds } from "../input/time-bounds.ts";
import { newestStampedLater, stampedLaterNote } from "../model/stamped-later.ts";

const DAY = 86_400;

/**
 * Milliseconds a page waits for figures that are a part of it. Reading holds an answer up for at most half of that (rollup-loop.ts): the rest is for a busy
 * machine.
 */
export const PAGE_PATIENCE = 2_000;

/** Why a page has no figures, where they are not switched off. */
export const STILL_READING = "The history of this range is still being read.";

/** Seconds of the range that figures have by default. */
const LENGTH = lengthOf(STATS_LENGTH) ?? 0;

/** @throws RefusedError if figures over time are switched off. */
export function rollupsOf(app: OpenedApp): RollupReads {
  if (app.rollups !== null) return app.rollups;
  throw new RefusedError("Figures over time are switched off.", "Start the monitor without --no-stats.", 403);
}

/**
 * Where a length of time begins that ends now. Figures are counted by the minute, and the minute that has begun is one of them: an hour is sixty of them,
 * not the 61 that it touches. At least one minute is whole.
 */
export function countedBack(length: number, now: EpochSeconds): EpochSeconds {
  return Math.min(Math.ceil(now / MINUTE) * MINUTE - length, Math.floor(now / MINUTE) * MINUTE - MINUTE);
}

/** The requested span; by default the last hour. @param newest the newest stored entry. @throws InvalidInputError */
export function requestedSpan(
  input: TimeRange,
  raw: RawInput,
  now: EpochSeconds,
  newest: EpochSeconds | null = null,
): TimeSpan {
  const { from, to } = timeBounds(input, raw, now);
  const end = input.range === undefined ? (to ?? now) : now;
  const start = (input.from && from) ?? countedBack(input.range ?? LENGTH, end);
  // The end of a range is not a part of it, which matters where the newest entry is stamped at a full minute.
  const later = newestStampedLater(newest, now);
  return { from: start, to: to ?? Math.max(now, start, later === null ? now : later + 0.001) };
}

/** Whether something is stamped after the minute in which the range ends, so that it has to be read again with a later end. */
export function isPassed(span: TimeSpan, later: TimeSpan): boolean {
  return Math.ceil(later.to / MINUTE) > Math.ceil(span.to / MINUTE);
}

/** What a range that was given no end says of entries that are stamped later than now. @param newest the newest stored entry. */
export function laterNotes({ to }: TimeRange, now: EpochSeconds, newest: EpochSeconds | null): string[] {
  if (to !== undefined || newest === null || newest <= now + MINUTE) return [];
  return newestStampedLater(newest, now) !== null
    ? [stampedLaterNote(newest, now, "counted")]
    : [`Entries dated after the end of this range, up to ${utcText(newest)}, are not counted.`];
}

/** Words for the range to compare with. The alternative is a length of time by which to move the range back. */
export const COMPARED_WORDS = ["previous", "yesterday", "last-week"] as const;

/** How many seconds earlier the compared range is; null for invalid text. */
export function comparedShift(text: string, { from, to }: TimeSpan): number | null {
  const word = text.toLowerCase();
  if (word === "previous") return to - from;
  if (word === "yesterday") return DAY;
  if (word === "last-week") return 7 * DAY;
  return lengthOf(text);
}

/** Where an answered range ends for a reader: the rest of the minute that has begun is counted with it, but is not a time that has passed. */
export function shownEnd(answered: TimeSpan, requested: TimeSpan, now: EpochSeconds): string {
  return isoFromEpoch(Math.min(answered.to, Math.max(requested.to, now)));
}

/** The members of an answer that describe its range. */
export function rangeOf({ span, reach, complete }: Answered, requested: TimeSpan, now: EpochSeconds) {
  return {
    from: isoFromEpoch(span.from),
    to: shownEnd(span, requested, now),
    reach: reach.whole ? null : isoOrNull(reach.since),
    complete,
  };
}

/** What a reader needs to know about the figures of a range, as sentences. */
export function rangeNotes({ reach, complete, span }: Answered): string[] {
  const notes: string[] = [];
  if (!complete) {
    const since = reach.since === null ? "" : ` since ${utcText(reach.since)}`;
    const until =
      reach.until === null || reach.until === Number.POSITIVE_INFINITY ? "" : ` until ${utcText(reach.until)}`;
    const everything = since + until === "" ? "" : ` Everything${since}${until} has been`;
    notes.push(
      reach.checking
        ? `Figures are from an earlier run of the monitor and still being checked.${everything && `${everything} compared.`}`
        : `The history is still being read: figures so far.${everything && `${everything} read.`}`,
    );
  }
  if (reach.purged_at !== null && reach.purged_at > span.from) {
    notes.push(`The history was purged at about ${utcText(reach.purged_at)}. Older figures are those counted before.`);
  }
  return notes;
}

/** When the oldest and the newest history entry were written. */
export function storedHistory(app: OpenedApp): Promise<{ first: EpochSeconds; last: EpochSeconds } | null> {
  return app.store.read((reads) => reads.state_backend.historySpan());
}
