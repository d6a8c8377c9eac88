/** The window of a timeline as numbers: plain arithmetic, touches no DOM. Instants are epoch milliseconds with a fraction. */
import { withinBounds } from "../../../src/pynenc/time.ts";

export interface TimeWindow {
  start: number;
  end: number;
}

/** Status changes are milliseconds apart: zooming in further would show nothing more. */
const SHORTEST = 4;
/** A hundred years: beyond, dates stop being written with four digits. */
const LONGEST = 100 * 365.25 * 86_400_000;

/** `2026-07-04T10:15:00.250000`, as addresses and attributes of the timeline carry it: UTC without an offset. NaN for other text. */
export function instantOf(naive: string): number {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?$/.exec(naive);
  if (match === null) return Number.NaN;
  return Date.parse(`${match[1]}Z`) + Number((match[2] ?? "").padEnd(6, "0")) / 1000;
}

/** Rounded to milliseconds, padded to six digits. Who moves on beyond what can be asked for stays at its end. */
export function naiveOf(instant: number): string {
  return `${new Date(Math.round(withinBounds(instant / 1_000) * 1_000)).toISOString().slice(0, -1)}000`;
}

/** `10:15:00.250`. */
export function clockOf(instant: number): string {
  return new Date(Math.round(instant)).toISOString().slice(11, -1);
}

/** @param share to the right for positive numbers; 1 is the length of the window */
export function panned({ start, end }: TimeWindow, share: number): TimeWindow {
  const by = (end - start) * share;
  return { start: start + by, end: end + by };
}

/**
 * @param factor of the length: below 1 zooms in
 * @param around the fixed point, as a share of the window
 */
export function zoomed({ start, end }: TimeWindow, factor: number, around = 0.5): TimeWindow {
  const length = end - start;
  const wanted = Math.min(LONGEST, Math.max(SHORTEST, length * factor));
  const fixed = start + length * around;
  return { start: fixed - wanted * around, end: fixed + wanted * (1 - around) };
}

/** The part between two shares of a window, in any order; never shorter than what can be distinguished. */
export function part(window: TimeWindow, one: number, other: number): TimeWindow {
  const length = window.end - window.start;
  const inside = (share: number) => window.start + length * Math.min(1, Math.max(0, share));
  const [start, end] = [inside(Math.min(one, other)), inside(Math.max(one, other))];
  const missing = Math.max(0, Math.min(SHORTEST, length) - (end - start));
  return { start: start - missing / 2, end: end + missing / 2 };
}

/** A window that shows a span with a little room on both sides; never shorter than what can be distinguished. */
export function around({ start, end }: TimeWindow): TimeWindow {
  const length = Math.max(SHORTEST, (end - start) * 1.1);
  const middle = (start + end) / 2;
  return { start: middle - length / 2, end: middle + length / 2 };
}
