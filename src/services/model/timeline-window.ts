/** Time windows for links to the timeline. */
import type { TimelineMoves } from "../../api/timeline.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { isoFromEpoch, isWithinBounds, withinBounds } from "../../pynenc/time.ts";

export interface TimeWindow {
  start: EpochSeconds;
  end: EpochSeconds;
}

/** Events further away than this are left out of the window of a link. */
export const NEARBY_SECONDS = 60;

/**
 * From the first to the last of these instants, plus 15 % of the span on both sides, at least 50 and at most 750 milliseconds (behaviour.md 4.2).
 * Ignores instants outside the range that can be requested, which damaged rows may contain. Null if there are no others.
 */
export function paddedWindow(instants: readonly (EpochSeconds | null | undefined)[]): TimeWindow | null {
  const known = instants.filter((at): at is EpochSeconds => typeof at === "number" && isWithinBounds(at));
  if (known.length === 0) return null;
  const first = known.reduce((least, at) => Math.min(least, at));
  const last = known.reduce((most, at) => Math.max(most, at));
  const pad = last === first ? 0.1 : Math.min(0.75, Math.max(0.05, (last - first) * 0.15));
  return { start: first - pad, end: last + pad };
}

/** Timeline parameters for this window, cut to the range that can be requested: UTC without an offset, six fractional digits. */
export function windowQuery({ start, end }: TimeWindow): { start_date: string; end_date: string } {
  return { start_date: naiveIso(withinBounds(start)), end_date: naiveIso(withinBounds(end)) };
}

/** `2026-07-04T10:15:00.250000`. */
export function naiveIso(at: EpochSeconds): string {
  return isoFromEpoch(at).slice(0, -"+00:00".length);
}

/** A window of this length, in seconds, that ends just after the latest status change. */
function latestWindow({ last }: { last: EpochSeconds }, length: number): TimeWindow {
  return { start: last - length * 0.95, end: last + length * 0.05 };
}

/** As `latestWindow`, but no longer than what is stored. */
export function latestActivity(span: { first: EpochSeconds; last: EpochSeconds }, length: number): TimeWindow {
  const window = latestWindow(span, length);
  return span.first > window.start ? (paddedWindow([span.first, span.last]) ?? window) : window;
}

export function movesFrom(
  { start, end }: TimeWindow,
  span: { first: EpochSeconds; last: EpochSeconds } | null,
): TimelineMoves {
  const length = end - start;
  const moved = (from: number, to: number) => windowQuery({ start: start + length * from, end: end + length * to });
  const all = span === null ? null : paddedWindow([withinBounds(span.first), withinBounds(span.last)]);
  return {
    earlier: moved(-0.5, -0.5),
    later: moved(0.5, 0.5),
    zoom_in: moved(0.25, -0.25),
    zoom_out: moved(-0.5, 0.5),
    all: all === null ? null : windowQuery(all),
    latest: span === null ? null : windowQuery(latestWindow(span, length)),
  };
}
