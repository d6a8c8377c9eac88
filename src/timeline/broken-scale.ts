/**
 * A time scale that makes long idle times narrow: otherwise what happened within seconds around a pause of hours would look like one point. Pure.
 */
import type { EpochSeconds } from "../pynenc/time.ts";
import { clampedPosition, labelAnchor, type Tick, type TimeScale, timeTicks } from "./time-scale.ts";

export interface BreakSizes {
  /** An idle time of at least this share of the whole becomes a break. */
  least: number;
  /** Width of a break, as a share of the plot. */
  narrow: number;
}

const SIZES: BreakSizes = { least: 0.2, narrow: 0.04 };

/** Where nothing took any time, an instant still needs a scale. */
const LEAST_SPAN = 0.001;

/** Width of a character of a label, the longest words on a break ("59 m 59 s idle"), and what stays free between two labels. */
const CHARACTER = 6.3;
const BREAK_CHARACTERS = 14;
const LABEL_GAP = 4;

export interface ScaleBreak {
  x: number;
  width: number;
  seconds: number;
  start: EpochSeconds;
  end: EpochSeconds;
}

export interface BrokenScale {
  /** The position of an instant, kept within the plot. */
  position(at: EpochSeconds): number;
  ticks: Tick[];
  breaks: ScaleBreak[];
}

interface Part extends TimeScale {
  x: number;
  idle: boolean;
}

/** @param busy when something happened, in any order; what lies outside of the window is ignored. */
export function brokenScale(
  { start, end, width }: TimeScale,
  busy: readonly { from: EpochSeconds; to: EpochSeconds }[],
  { least, narrow }: BreakSizes = SIZES,
): BrokenScale {
  const last = Math.max(end, start + LEAST_SPAN);
  const parts = partsOf({ start, end: last, width }, idleTimes(start, last, busy, least), width * narrow);
  const breaks = parts.flatMap(({ x, width: wide, start: from, end: to, idle }) =>
    idle ? [{ x, width: wide, seconds: to - from, start: from, end: to }] : [],
  );
  return {
    breaks,
    ticks: ticksOf(parts, breaks),
    position: placeAmong({ start, end: last, width }, breaks),
  };
}

/** The position of an instant on a scale with these breaks, kept within the plot. Between two breaks the scale is even, and inside of each. */
export function placeAmong(
  { start, end, width }: TimeScale,
  breaks: readonly Omit<ScaleBreak, "seconds">[],
): (at: EpochSeconds) => number {
  const parts = breaks.flatMap((one, n) => {
    const before = breaks[n - 1];
    const [from, x] = before === undefined ? [start, 0] : [before.end, before.x + before.width];
    return [
      { start: from, end: one.start, x, width: one.x - x },
      { start: one.start, end: one.end, x: one.x, width: one.width },
    ];
  });
  const last = breaks.at(-1);
  const x = last === undefined ? 0 : last.x + last.width;
  const rest = { start: last?.end ?? start, end, x, width: width - x };
  return (at) => {
    const part = parts.find((one) => at < one.end) ?? rest;
    return part.x + clampedPosition(part, at);
  };
}

/** Stretches of at least the least share in which nothing happened, by time. */
function idleTimes(
  start: EpochSeconds,
  end: EpochSeconds,
  busy: readonly { from: EpochSeconds; to: EpochSeconds }[],
  share: number,
) {
  const least = (end - start) * share;
  const found: { start: EpochSeconds; end: EpochSeconds }[] = [];
  // What is idle before the first and after the last is part of the requested window.
  let reached: EpochSeconds | null = null;
  for (const { from, to } of [...busy].sort((a, b) => a.from - b.from)) {
    if (reached !== null && from - reached >= least) found.push({ start: reached, end: from });
    reached = Math.max(reached ?? to, to);
  }
  const idle = found.reduce((sum, one) => sum + one.end - one.start, 0);
  // Instants alone need the time between them: there is nothing else to show.
  return idle >= end - start ? [] : found;
}

/** Busy and idle parts in turn; they cover the plot. */
function partsOf(
  { start, end, width }: TimeScale,
  idle: readonly { start: EpochSeconds; end: EpochSeconds }[],
  narrow: number,
): Part[] {
  const idleSeconds = idle.reduce((sum, one) => sum + one.end - one.start, 0);
  const busySeconds = end - start - idleSeconds;
  const room = width - narrow * idle.length;
  const parts: Part[] = [];
  let [at, x] = [start, 0];
  const add = (until: EpochSeconds, wide: number, isIdle: boolean) => {
    parts.push({ start: at, end: until, width: wide, x, idle: isIdle });
    [at, x] = [until, x + wide];
  };
  for (const one of idle) {
    add(one.start, ((one.start - at) / busySeconds) * room, false);
    add(one.end, narrow, true);
  }
  add(end, width - x, false);
  return parts;
}

/** Each busy part has those of its own; where labels would touch, the later one is left out. */
function ticksOf(parts: readonly Part[], breaks: readonly ScaleBreak[]): Tick[] {
  if (breaks.length === 0) return parts.flatMap((part) => timeTicks(part));
  const last = parts.at(-1);
  const whole = last === undefined ? 0 : last.x + last.width;
  const taken = breaks.map(({ x, width }) => labelSpan(x + width / 2, BREAK_CHARACTERS, null));
  const found: Tick[] = [];
  for (const part of parts) {
    for (const tick of part.idle ? [] : timeTicks(part)) {
      const x = part.x + tick.x;
      const label = labelSpan(x, tick.label.length, whole);
      if (taken.some(({ from, to }) => label.from < to + LABEL_GAP && from < label.to + LABEL_GAP)) continue;
      taken.push(label);
      const date = found.some((one) => one.at.slice(0, 10) === tick.at.slice(0, 10)) ? null : tick.at.slice(0, 10);
      found.push({ ...tick, x, date });
    }
  }
  return found;
}

/** Where the words of a label lie. @param width of the plot, in which a label at an end is kept; null for one that is not. */
function labelSpan(x: number, characters: number, width: number | null): { from: number; to: number } {
  const wide = characters * CHARACTER;
  const anchor = width === null ? "middle" : labelAnchor(x, width);
  const from = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
  return { from, to: from + wide };
}
