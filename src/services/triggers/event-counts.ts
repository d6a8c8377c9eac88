/** Events over time, for a chart. */
import type { EventCounts } from "../../api/events.ts";
import { isoFromEpoch, isWithinBounds, MICROSECOND } from "../../pynenc/time.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import { roundLength } from "../../rollups/figures.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventFilter } from "../../stores/ports/trigger.ts";

const SLICES = 60;

/**
 * @param filter its times are ignored in favour of the span.
 * @param cap maximum count per slice, for callers that know there are few events.
 * @param slice length of a slice in seconds. Slices begin at multiples of it.
 * @returns null for a span outside the range that can be requested, which damaged rows may contain.
 */
export async function eventCounts(
  reads: AppReads,
  { from: _from, to: _to, ...filter }: EventFilter,
  { from, to }: TimeSpan,
  cap: number,
  slice: number = roundLength({ from, to }, SLICES - 1),
): Promise<EventCounts | null> {
  if (![from, to].every(isWithinBounds)) return null;
  const begin = Math.floor(from / slice) * slice;
  const slices = Math.max(1, Math.ceil((to - begin) / slice));
  // The first and last slice end where the span does, inclusive.
  const inner = Array.from({ length: slices - 1 }, (_, i) => begin + (i + 1) * slice);
  const instants = [from, ...inner, to + MICROSECOND];
  const spans = instants.slice(1).map((end, i) => ({ ...filter, from: instants[i] ?? end, to: end - MICROSECOND }));
  const counts = await reads.trigger.countEvents(spans, cap);
  // Where the last of several slices reaches beyond the span, time ends with the span: it may be now.
  const end = slices === 1 ? begin + slice : Math.min(begin + slices * slice, to);
  return { from: isoFromEpoch(begin), to: isoFromEpoch(end), slice_seconds: slice, counts };
}
