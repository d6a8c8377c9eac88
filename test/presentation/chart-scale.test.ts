import { describe, expect, test } from "vitest";
import { axisEnd, axisText } from "../../src/presentation/chart-scale.ts";

describe("the axis of a chart", () => {
  test.each([
    [1, 1],
    [3, 4],
    [17, 20],
    [61, 80],
    [100, 100],
    [1_001, 2_000],
  ])("for at most %d things ends at %d", (most, end) => {
    expect(axisEnd(most, "count")).toBe(end);
  });

  test.each([
    [0.000_25, "400 µs", "200 µs"],
    [0.3, "400 ms", "200 ms"],
    [1, "1 s", "500 ms"],
    [2.5, "4 s", "2 s"],
    [41, "1 min", "30 s"],
    [289, "6 min", "3 min"],
    [5_000, "2 h", "1 h"],
    [90_000, "2 d", "24 h"],
  ])("for at most %d seconds ends at %s, with %s in its middle", (most, end, middle) => {
    const top = axisEnd(most, "seconds");
    expect(top).toBeGreaterThanOrEqual(most);
    expect([axisText(top, "seconds"), axisText(top / 2, "seconds")]).toEqual([end, middle]);
  });
});
