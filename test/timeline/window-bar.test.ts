import { describe, expect, it } from "vitest";
import { windowBar } from "../../src/timeline/window-bar.ts";

const at = (second: number) => `2026-01-05T12:00:${String(second).padStart(2, "0")}.000000+00:00`;
const bar = (start: number, end: number | null, window: [number, number] | null = [0, 40]) =>
  windowBar(
    { start_time: at(start), end_time: end === null ? null : at(end) },
    window === null ? null : { start: at(window[0]), end: at(window[1]) },
  );

describe("the bar of a run", () => {
  it.each([
    ["lies at its share of the window", bar(30, 40), { start: 0.75, width: 0.25 }],
    ["begins at 0 with the window", bar(0, 4), { start: 0, width: 0.1 }],
    ["reaches to the end of the window while it runs", bar(20, null), { start: 0.5, width: 0.5 }],
    ["has no width if it began and ended at once", bar(12, 12), { start: 0.3, width: 0 }],
    ["has no negative width if it ends before it began", bar(32, 6), { start: 0.8, width: 0 }],
    ["fills a window that is one instant", bar(1, 1, [1, 1]), { start: 0, width: 1 }],
    ["has no place without a window", bar(1, 2, null), { start: 0, width: 0 }],
  ])("%s", (_, drawn, expected) => {
    expect(drawn.start).toBeCloseTo(expected.start, 9);
    expect(drawn.width).toBeCloseTo(expected.width, 9);
  });
});
