/** Maps instants to positions on a line, and places ticks at round times, whatever the start of the window. */
import { utcTicks } from "d3-time";
import { type EpochSeconds, isoFromEpoch } from "../pynenc/time.ts";

/** Maps [start, end] to [0, width]. */
export interface TimeScale {
  readonly start: EpochSeconds;
  readonly end: EpochSeconds;
  readonly width: number;
}

export interface Tick {
  x: number;
  /** ISO 8601. */
  at: string;
  /** The part that differs from neighbouring ticks: `10:15`, `10:15:03.250`. */
  label: string;
  /** Set if a day begins here or it is the first tick: the date is shown below the label. */
  date: string | null;
}

/** The position of an instant. Instants outside the window have positions outside [0, width]. */
export function position({ start, end, width }: TimeScale, at: EpochSeconds): number {
  return end > start ? ((at - start) / (end - start)) * width : 0;
}

/** The position of an instant, clamped to the window. */
export function clampedPosition(scale: TimeScale, at: EpochSeconds): number {
  return Math.min(scale.width, Math.max(0, position(scale, at)));
}

/** Closer than this share of the plot to one of its ends, a label starts or ends at its tick, so that it stays inside the drawing. */
const END = 0.04;
/** The same where the plot is narrow: half a date is an eighth of the width that a phone has for it. */
export const NARROW_END = 0.125;

/** Which part of the label is aligned with the tick. */
export function labelAnchor(x: number, width: number, end = END): "start" | "middle" | "end" {
  const room = width * end;
  if (x < room) return "start";
  return x > width - room ? "end" : "middle";
}

/** Closer labels would overlap. */
const LABEL_WIDTH = 96;

/** Ticks at round times of UTC. */
export function timeTicks(scale: TimeScale): Tick[] {
  const found = roundTimes(scale, Math.max(1, Math.floor(scale.width / LABEL_WIDTH)));
  const apart = (found[1] ?? 0) - (found[0] ?? 0);
  return found.map((at, index) => {
    const iso = isoFromEpoch(at / 1000);
    return {
      x: position(scale, at / 1000),
      at: iso,
      label: tickLabel(iso, apart),
      date: index === 0 || iso.slice(0, 10) !== dateOf(found[index - 1]) ? iso.slice(0, 10) : null,
    };
  });
}

/** At most `most` round times of the window. d3 treats the count only as a hint, so fewer are requested until they fit. */
function roundTimes({ start, end }: TimeScale, most: number): number[] {
  for (let wish = most; wish >= 1; wish--) {
    // d3 rounds its ends to whole milliseconds; drop ticks just outside the window.
    const found = utcTicks(new Date(start * 1000), new Date(end * 1000), wish)
      .map((date) => date.getTime())
      .filter((at) => at >= start * 1000 && at <= end * 1000);
    // n intervals have n + 1 ticks.
    if (found.length <= most + 1) return found;
  }
  return [];
}

function dateOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "" : isoFromEpoch(milliseconds / 1000).slice(0, 10);
}

/** The precision of the label depends on the distance between ticks, `apart` milliseconds. */
function tickLabel(iso: string, apart: number): string {
  if (apart >= 60_000) return iso.slice(11, 16);
  return apart >= 1_000 ? iso.slice(11, 19) : iso.slice(11, 23);
}
