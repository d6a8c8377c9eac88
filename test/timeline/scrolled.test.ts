/** A live timeline whose window moves with every refresh: what stays in place. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { TimelineData } from "../../src/api/timeline.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { type TimelineGeometry, timelineGeometry } from "../../src/timeline/geometry.ts";
import { scrolledGeometry } from "../../src/timeline/scrolled.ts";
import { cases } from "../support/cases.ts";
import { SPAN, START, timelines } from "./worlds.ts";

/** All positions along the time. */
function places(geometry: TimelineGeometry): number[] {
  const { strands, transitions, services, markers, relations, cells, path, parts, ticks, now } = geometry;
  return [
    ...strands.flatMap(({ bars, points }) => [...bars, ...points].map(({ x }) => x)),
    ...[...transitions, ...relations].flatMap(({ x1, x2 }) => [x1, x2]),
    ...[...services, ...markers, ...path, ...parts, ...ticks, ...cells.flatMap(({ runs }) => runs)].map(({ x }) => x),
    ...(now === null ? [] : [now]),
  ];
}

it("a scrolled drawing is moved by one distance, and only the space below it changes", () => {
  fc.assert(
    fc.property(timelines, fc.integer({ min: 0, max: 5_000_000 }), (data, later) => {
      const geometry = timelineGeometry(movedBy(data, later));
      const scrolled = scrolledGeometry(geometry);
      expect(scrolled.left).toBeGreaterThanOrEqual(0);
      expect(scrolled.left).toBeLessThan(16 * geometry.width);
      const [before, after] = [places(geometry), places(scrolled)];
      expect(after).toHaveLength(before.length);
      expect(after.filter((x, i) => Math.abs(x - scrolled.left - (before[i] ?? 0)) > 1e-6)).toEqual([]);
      const lanes = ({ strands, markers }: TimelineGeometry) => [...strands, ...markers].map(({ y }) => y);
      expect(lanes(scrolled)).toEqual(lanes(geometry));
      const below = scrolled.height - geometry.height;
      const step = geometry.height > 480 ? 96 : 48;
      expect([scrolled.height % step, below >= 0, below < step]).toEqual([0, true, true]);
    }),
    { numRuns: cases(60) },
  );
});

/** The same data seen through a window that begins later. */
function movedBy(data: TimelineData, seconds: number): TimelineData {
  return {
    ...data,
    start: isoFromEpoch(START + seconds),
    end: isoFromEpoch(START + SPAN + seconds),
    density: null,
    event_counts: null,
  };
}

it("an instant keeps its place in a scrolled drawing when the window moves", () => {
  fc.assert(
    fc.property(timelines, fc.integer({ min: 1, max: 40 }), (data, seconds) => {
      // Positions of both windows count from the same instant.
      const [before, after] = [0, seconds].map((later) => {
        const geometry = scrolledGeometry(timelineGeometry(movedBy(data, later)));
        const points = geometry.strands.flatMap((strand) =>
          strand.points.map(({ at, x }) => [`${strand.invocation_id} ${strand.lane_key} ${at}`, x] as const),
        );
        return { left: geometry.left, points: new Map(points) };
      });
      expect((after?.left ?? 0) - (before?.left ?? 0)).toBeCloseTo((seconds / SPAN) * 1_200, 3);
      const both = [...(before?.points ?? [])].filter(([key]) => after?.points.has(key));
      expect(both.filter(([key, x]) => Math.abs(x - (after?.points.get(key) ?? 0)) > 1e-3)).toEqual([]);
    }),
    { numRuns: cases(60) },
  );
});

it("window lengths that differ only by rounding give the same scrolled drawing", () => {
  const left = (end: number) =>
    scrolledGeometry({ ...empty, start: isoFromEpoch(START + 0.25), end: isoFromEpoch(end) }).left;
  expect(left(START + 0.25 + 300.000001)).toBeCloseTo(left(START + 0.25 + 300), 2);
});

it("a drawing with cut idle times, or without a length, is not scrolled", () => {
  const cut = { ...empty, breaks: [{ x: 1, width: 2, seconds: 3, start: 4, end: 5, labelled: false }] };
  expect(scrolledGeometry(cut)).toBe(cut);
  const none = { ...empty, end: empty.start };
  expect(scrolledGeometry(none)).toBe(none);
});

const empty: TimelineGeometry = {
  start: isoFromEpoch(START),
  end: isoFromEpoch(START + SPAN),
  width: 1_200,
  height: 36,
  axis: 36,
  foot: 0,
  barHeight: 14,
  compact: false,
  ticks: [],
  breaks: [],
  idle: 0,
  extent: null,
  now: null,
  left: 0,
  lanes: [],
  strands: [],
  transitions: [],
  services: [],
  markers: [],
  relations: [],
  cells: [],
  path: [],
  parts: [],
};
