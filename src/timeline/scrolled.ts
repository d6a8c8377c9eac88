/**
 * Positions that stay the same while the window moves on, so that a live timeline is sent with the same marks again: they count from an instant that
 * stays for many windows, and only `left` says where the window begins now. The height changes in steps, because each change makes a browser place every
 * mark again.
 */
import { epochFromIso } from "../pynenc/time.ts";
import type { TimelineGeometry } from "./geometry.ts";

/** Number of windows after which positions count from another instant. */
const WINDOWS = 16;
/** The height is a multiple of it, and of twice as much where it is large: lanes of many rows gain and lose some at every refresh. */
const STEP = 48;
const LARGE = 10 * STEP;

/** A geometry with every position counted from an instant before its window, and some space below its lanes. One with breaks stays as it is: its scale changes with the window. */
export function scrolledGeometry(geometry: TimelineGeometry): TimelineGeometry {
  const [start, end] = [epochFromIso(geometry.start), epochFromIso(geometry.end)];
  if (start === null || end === null || geometry.breaks.length > 0) return geometry;
  // Windows that should have the same length differ by what is lost in computing it.
  const seconds = Math.round((end - start) * 1_000) / 1_000;
  if (seconds <= 0) return geometry;
  const left = ((start % (seconds * WINDOWS)) / (end - start)) * geometry.width;
  const step = geometry.height > LARGE ? 2 * STEP : STEP;
  const moved = <Shape extends { x: number }>(shape: Shape): Shape => ({ ...shape, x: shape.x + left });
  const movedEnds = <Shape extends { x1: number; x2: number }>(shape: Shape): Shape => ({
    ...shape,
    x1: shape.x1 + left,
    x2: shape.x2 + left,
  });
  return {
    ...geometry,
    left,
    height: Math.ceil(geometry.height / step) * step,
    now: geometry.now === null ? null : geometry.now + left,
    ticks: geometry.ticks.map(moved),
    strands: geometry.strands.map((strand) => ({
      ...strand,
      bars: strand.bars.map(moved),
      points: strand.points.map(moved),
      label: strand.label && { ...strand.label, from: strand.label.from + left, to: strand.label.to + left },
    })),
    transitions: geometry.transitions.map(movedEnds),
    services: geometry.services.map(moved),
    markers: geometry.markers.map(moved),
    relations: geometry.relations.map(movedEnds),
    cells: geometry.cells.map((lane) => ({ ...lane, runs: lane.runs.map(moved) })),
    path: geometry.path.map(moved),
    parts: geometry.parts.map(moved),
  };
}
