/** Instants as positions on a line, and where its ticks go: round times, whatever the window begins with. */
import { utcTicks } from "d3-time";
import { type EpochSeconds, isoFromEpoch } from "../pynenc/time.ts";

/** Maps [start, end] to [0, width]. */
export interface TimeScale {
  readonly start: EpochSeconds;
  readonly end: EpochSeconds;
  readonly width: number;
  /** Where an instant is, on a scale that is not even; within the plot. */
  readonly place?: (at: EpochSeconds) => number;
}

export interface Tick {
  x: number;
  /** ISO 8601. */
  at: string;
  /** What differs from the ticks beside it: `10:15`, `10:15:03.250`. */
  label: string;
  /** A day begins here, or it is the first tick: the date is shown below the label. */
  date: string | null;
}

/** The position of an instant. Outside the window it lies outside [0, width]. */
export function position({ start, end, width, place }: TimeScale, at: EpochSeconds): number {
  if (place !== undefined) return place(at);
  return end > start ? ((at - start) / (end - start)) * width : 0;
}

/** The position of an instant, kept within the window. */
export function clampedPosition(scale: TimeScale, at: EpochSeconds): number {
  return Math.min(scale.width, Math.max(0, position(scale, at)));
}

/** Nearer to an end of the plot, a label begins or ends at its tick, so that it does not leave the drawing. */
const AT_END = 40;

/** Which part of its label a tick is at. */
export function labelAnchor(x: number, width: number): "start" | "middle" | "end" {
  return x < AT_END ? "start" : x > width - AT_END ? "end" : "middle";
}

/** Labels closer than this would touch. */
const LABEL_WIDTH = 96;

/**
 * Ticks at round times of UTC.
 *
 * @param step seconds between two ticks at least: the "resolution" that the viewer chose.
 */
export function timeTicks(scale: TimeScale, step = 0): Tick[] {
  const { start, end, width } = scale;
  const room = Math.max(1, Math.floor(width / LABEL_WIDTH));
  const wanted = step > 0 ? Math.min(room, Math.ceil((end - start) / step)) : room;
  const found = roundTimes(scale, wanted);
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

/** At most `most` round times of the window: d3 takes the number as a hint, so fewer are requested until they fit. */
function roundTimes({ start, end }: TimeScale, most: number): number[] {
  for (let wish = most; wish >= 1; wish--) {
    // d3 cuts its ends to whole milliseconds; a tick just outside the window is dropped here.
    const found = utcTicks(new Date(start * 1000), new Date(end * 1000), wish)
      .map((date) => date.getTime())
      .filter((at) => at >= start * 1000 && at <= end * 1000);
    // So many intervals have one tick more.
    if (found.length <= most + 1) return found;
  }
  return [];
}

function dateOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "" : isoFromEpoch(milliseconds / 1000).slice(0, 10);
}

/** As much of the time as ticks that lie `apart` milliseconds apart need. */
function tickLabel(iso: string, apart: number): string {
  if (apart >= 60_000) return iso.slice(11, 16);
  return apart >= 1_000 ? iso.slice(11, 19) : iso.slice(11, 23);
}
