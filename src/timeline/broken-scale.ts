/**
 * A time scale that shortens long idle times. Otherwise events seconds apart, with a pause of hours between them, would overlap. Pure.
 */
import type { EpochSeconds } from "../pynenc/time.ts";
import { labelAnchor, type Tick, type TimeScale, timeTicks } from "./time-scale.ts";

/** Minimum share of the window for an idle time to become a break. */
const LEAST = 0.2;
/** Width of a break, as a share of the plot. */
const NARROW = 0.04;

/** If nothing took any time, the scale still needs some length. */
const MIN_SPAN = 0.001;

/** In pixels: width of a character of a label; in characters: the longest label of a break ("59 min 59 s idle"); in pixels: gap between labels. */
const CHARACTER_WIDTH = 6.3;
const BREAK_CHARACTERS = 16;
const LABEL_GAP = 4;

export interface ScaleBreak {
  x: number;
  width: number;
  seconds: number;
  start: EpochSeconds;
  end: EpochSeconds;
  /** Whether there is room for its length above it. If breaks are too close to each other, only the longest has a label. */
  labelled: boolean;
}

export interface BrokenScale {
  /** The position of an instant, clamped to the plot. */
  position(at: EpochSeconds): number;
  ticks: Tick[];
  breaks: ScaleBreak[];
}

interface Part extends TimeScale {
  x: number;
  idle: boolean;
}

/** @param busy periods in which something happened, in any order; those outside the window are ignored. */
export function brokenScale(
  { start, end, width }: TimeScale,
  busy: readonly { from: EpochSeconds; to: EpochSeconds }[],
): BrokenScale {
  const last = Math.max(end, start + MIN_SPAN);
  const parts = partsOf({ start, end: last, width }, idleTimes(start, last, busy), width * NARROW);
  const breaks = labelledBreaks(
    parts.flatMap(({ x, width: wide, start: from, end: to, idle }) =>
      idle ? [{ x, width: wide, seconds: to - from, start: from, end: to }] : [],
    ),
  );
  return {
    breaks,
    ticks: ticksOf(parts, breaks),
    position: positionAmong({ start, end: last, width }, breaks),
  };
}

/** The position of an instant on a scale with these breaks, clamped to the plot. The scale is linear between breaks and within each break. */
function positionAmong({ start, end, width }: TimeScale, breaks: readonly ScaleBreak[]): (at: EpochSeconds) => number {
  const corners: [at: EpochSeconds, x: number][] = [
    [start, 0],
    ...breaks.flatMap((one): [number, number][] => [
      [one.start, one.x],
      [one.end, one.x + one.width],
    ]),
    [end, width],
  ];
  return (at) => {
    const next = corners.findIndex(([from]) => at < from);
    const [from, to] = corners.at(next < 0 ? -1 : Math.max(0, next - 1)) ?? [0, 0];
    const [after, right] = corners.at(next) ?? [from, to];
    return next <= 0 ? to : to + ((at - from) / (after - from)) * (right - to);
  };
}

/** Periods without activity that are long enough for a break, by time. */
function idleTimes(start: EpochSeconds, end: EpochSeconds, busy: readonly { from: EpochSeconds; to: EpochSeconds }[]) {
  const least = (end - start) * LEAST;
  const found: { start: EpochSeconds; end: EpochSeconds }[] = [];
  // Idle time before the first activity and after the last stays: the user requested that window.
  let reached: EpochSeconds | null = null;
  for (const { from, to } of [...busy].sort((a, b) => a.from - b.from)) {
    if (reached !== null && from - reached >= least) found.push({ start: reached, end: from });
    reached = Math.max(reached ?? to, to);
  }
  const idle = found.reduce((sum, one) => sum + one.end - one.start, 0);
  // If there are only instants, the time between them is all there is to show.
  return idle >= end - start ? [] : found;
}

/** Alternating busy and idle parts that cover the plot. */
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

function labelledBreaks(breaks: readonly Omit<ScaleBreak, "labelled">[]): ScaleBreak[] {
  const taken: Span[] = [];
  const longestFirst = [...breaks].sort((a, b) => b.seconds - a.seconds);
  const labelled = new Set(
    longestFirst.filter(({ x, width }) => {
      const label = labelSpan(x + width / 2, BREAK_CHARACTERS, null);
      if (taken.some((other) => overlap(label, other))) return false;
      taken.push(label);
      return true;
    }),
  );
  return breaks.map((one) => ({ ...one, labelled: labelled.has(one) }));
}

/** Each busy part has its own ticks. Where labels would overlap, the later one is dropped. */
function ticksOf(parts: readonly Part[], breaks: readonly ScaleBreak[]): Tick[] {
  if (breaks.length === 0) return parts.flatMap((part) => timeTicks(part));
  const last = parts.at(-1);
  const plotWidth = last === undefined ? 0 : last.x + last.width;
  const taken = breaks.map(({ x, width, labelled }) =>
    labelled ? labelSpan(x + width / 2, BREAK_CHARACTERS, null) : { from: x, to: x + width },
  );
  const found: Tick[] = [];
  for (const part of parts) {
    for (const tick of part.idle ? [] : timeTicks(part)) {
      const x = part.x + tick.x;
      const label = labelSpan(x, tick.label.length, plotWidth);
      if (taken.some((other) => overlap(label, other))) continue;
      taken.push(label);
      const date = found.some((one) => one.at.slice(0, 10) === tick.at.slice(0, 10)) ? null : tick.at.slice(0, 10);
      found.push({ ...tick, x, date });
    }
  }
  return found;
}

interface Span {
  from: number;
  to: number;
}

function overlap(a: Span, b: Span): boolean {
  return a.from < b.to + LABEL_GAP && b.from < a.to + LABEL_GAP;
}

/** Horizontal extent of a label. @param width of the plot that the label has to stay inside; null if it need not. */
function labelSpan(x: number, characters: number, width: number | null): Span {
  const wide = characters * CHARACTER_WIDTH;
  const anchor = width === null ? "middle" : labelAnchor(x, width);
  const from = x - { start: 0, middle: wide / 2, end: wide }[anchor];
  return { from, to: from + wide };
}
