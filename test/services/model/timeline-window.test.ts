import { describe, expect, it } from "vitest";
import { movesFrom, paddedWindow, windowQuery } from "../../../src/services/model/timeline-window.ts";

const NOW = Date.UTC(2026, 10, 21, 12) / 1000;

describe("time windows in links", () => {
  it.each([
    [
      [10, 20],
      [9.25, 20.75],
    ],
    [
      [10, 10.1],
      [9.95, 10.15],
    ],
    [
      [10, 12],
      [9.7, 12.3],
    ],
    [[10], [9.9, 10.1]],
  ])("of %j have a margin", (instants, [start = 0, end = 0]) => {
    const window = paddedWindow([null, ...instants, undefined]);
    expect(window?.start).toBeCloseTo(start, 9);
    expect(window?.end).toBeCloseTo(end, 9);
  });

  it("do not exist without a valid instant", () => {
    expect(paddedWindow([null, undefined, Number.NaN])).toBeNull();
    expect(paddedWindow([-1, 1e12, Number.POSITIVE_INFINITY])).toBeNull();
  });

  it("ignore times outside the range that can be requested", () => {
    expect(paddedWindow([-1e9, NOW, 1e12])).toEqual(paddedWindow([NOW]));
  });

  it("end where the range that can be requested ends, also when they are moved", () => {
    const last = Date.UTC(2255, 0, 1) / 1000;
    const moves = movesFrom({ start: 0, end: last }, { first: -1e9, last: 1e12 });
    const whole = { start_date: "1970-01-01T00:00:00.000000", end_date: "2255-01-01T00:00:00.000000" };
    expect([moves.zoom_out, moves.all]).toEqual([whole, whole]);
    expect(windowQuery({ start: -5, end: 5 }).start_date).toBe(whole.start_date);
  });

  it("are written without a UTC offset", () => {
    expect(windowQuery({ start: NOW, end: NOW + 0.25 })).toEqual({
      start_date: "2026-11-21T12:00:00.000000",
      end_date: "2026-11-21T12:00:00.250000",
    });
  });

  it("move by half a window, zoom to half and to twice the length, and to all data", () => {
    const moves = movesFrom({ start: NOW, end: NOW + 100 }, { first: NOW - 1_000, last: NOW });
    const seconds = (window: { start_date: string; end_date: string } | null) =>
      window === null ? null : [window.start_date, window.end_date].map((iso) => Date.parse(`${iso}Z`) / 1000 - NOW);
    expect(Object.fromEntries(Object.entries(moves).map(([name, window]) => [name, seconds(window)]))).toEqual({
      earlier: [-50, 50],
      later: [50, 150],
      zoom_in: [25, 75],
      zoom_out: [-50, 150],
      all: [-1_000.75, 0.75],
      latest: [-95, 5],
    });
    expect(movesFrom({ start: 0, end: 1 }, null)).toMatchObject({ all: null, latest: null });
  });
});
