/** Parts of a window that one can zoom into: slices that are too narrow to click, taken together. */
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";

/** Address of the timeline of a part of the window, whose times are UTC without an offset. */
export type Zoom = (window: { start_date: string; end_date: string }) => string;

/** So many parts of a window are wide enough to click. */
export const PARTS = 24;

/**
 * The first slice of each group and the one after its last. Where slices begin at multiples of their length, so do the groups at multiples of theirs: those
 * of a window that moves on stay where they are. The first and the last may then have fewer slices.
 */
export function zoomGroups(
  { from, slice_seconds, slices }: { from: string; slice_seconds: number; slices: number },
  window: { start: EpochSeconds; end: EpochSeconds },
): [first: number, after: number][] {
  // Not of the number of slices, which may differ by one when the window moves on.
  const together = Math.max(1, Math.ceil((window.end - window.start) / slice_seconds / PARTS - 1e-6));
  const before = Math.round((epochFromIso(from) ?? 0) / slice_seconds) % together;
  const groups: [number, number][] = [];
  for (let first = 0; first < slices; ) {
    const after = Math.min(slices, first + together - ((first + before) % together));
    groups.push([first, after]);
    first = after;
  }
  return groups;
}
