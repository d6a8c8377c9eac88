/** Charts over time: few links, and words for every slice. */
import { describe, expect, it } from "vitest";
import { DurationMapSvg } from "../../../templates/svg/duration-map.tsx";
import { TimeChart, type TimeChartProps } from "../../../templates/svg/time-chart.tsx";
import { dom } from "../render.tsx";

const FROM = "2026-11-21T00:00:00.000000+00:00";
const TO = "2026-11-21T00:59:30.500000+00:00";

/** One value a minute. */
function chart(values: readonly (number | null)[], given: Partial<TimeChartProps> = {}) {
  return dom(
    <TimeChart
      label="Finished"
      series={[{ values, shape: "bars", tone: "plain" }]}
      unit="count"
      from={FROM}
      to={TO}
      start={FROM}
      seconds={60}
      words={(slice) => `${values[slice] ?? 0} finished`}
      href={({ from, to }) => `/stats/?from=${from}&to=${to}`}
      {...given}
    />,
  );
}

describe("a chart over time", () => {
  const hour = Array.from({ length: 60 }, (_, slice) => (slice < 5 ? 0 : slice));

  it("has the value of every slice in words, and at most twelve links, which share the slices among them", () => {
    const shown = chart(hour);
    expect(shown.querySelector("svg")?.getAttribute("data-words")?.split("\n")).toEqual(
      hour.map((value) => `${value} finished`),
    );
    const rects = shown.querySelectorAll("a rect");
    expect(rects.map((rect) => [rect.getAttribute("x"), rect.getAttribute("width")])).toEqual(
      Array.from({ length: 11 }, (_, group) => [String(5 + group * 5), "5"]),
    );
  });

  it("links a group of slices to its range with its highest value, and the last one to the end of all", () => {
    const links = chart(hour).querySelectorAll("a");
    expect([links[0]?.getAttribute("href"), links[0]?.querySelector("title")?.text]).toEqual([
      "/stats/?from=2026-11-21T00:05:00Z&to=2026-11-21T00:10:00Z",
      "00:05 to 00:10 UTC\nhighest 1 min: 9 finished",
    ]);
    expect(links.at(-1)?.getAttribute("href")).toBe("/stats/?from=2026-11-21T00:55:00Z&to=2026-11-21T00:59:30.500000Z");
  });

  it("cuts a single duration more than ten times the next one, and counts never", () => {
    const ticks = (values: readonly number[], unit: "seconds" | "count") =>
      chart(values, { unit })
        .querySelectorAll(".time-chart-ticks span")
        .map((tick) => tick.text);
    expect(ticks([1, 2, 240], "seconds")).toEqual(["2 s+", "1 s"]);
    expect(ticks([1, 240, 240], "seconds")).toEqual(["4 min", "2 min"]);
    expect(ticks([1, 2, 240], "count")).toEqual(["400", "200"]);
  });

  it("has hours beside dates only where there is room for them", () => {
    const days = { from: "2026-11-19T00:00:00.000000+00:00", to: TO };
    const times = (wide: boolean) =>
      chart([1], { ...days, wide })
        .querySelectorAll(".time-chart-times time")
        .map((time) => time.text);
    expect(times(false)).toEqual(["2026-11-19", "2026-11-21"]);
    expect(times(true)[0]).toBe("2026-11-19 00:00");
  });

  it("says the value itself where a link has one slice", () => {
    expect(
      chart([3, 0])
        .querySelectorAll("a title")
        .map((title) => title.text),
    ).toEqual(["00:00 to 00:01 UTC\n3 finished"]);
  });

  it("has neither words nor links when no value is known", () => {
    const shown = chart([null, null]);
    expect(shown.querySelectorAll("a")).toEqual([]);
    expect(shown.querySelector("svg")?.hasAttribute("data-words")).toBe(false);
  });
});

describe("a map of durations", () => {
  it("is one path for each step of colour, and a title for each slice in which something ran", () => {
    const counts = [
      [1, 0, 9],
      [0, 0, 0],
      [0, 1, 0],
    ];
    const shown = dom(
      <DurationMapSvg
        map={{ bounds_seconds: [1, 2, 4], end_seconds: 8, counts }}
        from="2026-11-21T00:00:00Z"
        to="2026-11-21T01:00:00Z"
        title={(slice) => `slice ${slice}`}
      />,
    );
    expect(
      shown.querySelectorAll("path").map((path) => [path.getAttribute("fill-opacity"), path.getAttribute("d")]),
    ).toEqual([
      ["0.4", "M0 2h1v1h-1zM2 1h1v1h-1z"],
      ["1", "M0 0h1v1h-1z"],
    ]);
    expect(shown.querySelectorAll("title").map((title) => title.text)).toEqual([
      "slice 0: 10 runs of 1 s to 8 s",
      "slice 2: 1 run of 2 s to 4 s",
    ]);
  });

  it("has round durations on its axis, its ends where it has none, and explains the colour only where a slice has several runs", () => {
    const shown = (bounds: number[], most: number) => {
      const end_seconds = (bounds.at(-1) ?? 0) * 2;
      const map = { bounds_seconds: bounds, end_seconds, counts: [bounds.map((_, row) => (row === 0 ? most : 0))] };
      const range = { from: "2026-11-21T00:00:00Z", to: "2026-11-21T01:00:00Z" };
      return dom(<DurationMapSvg map={map} {...range} title={() => ""} />);
    };
    const ticks = (bounds: number[]) =>
      shown(bounds, 1)
        .querySelectorAll(".duration-map-axis text")
        .map((tick) => `${tick.text} at ${tick.getAttribute("y")}`);
    expect(ticks([0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32])).toEqual(["10 ms at 97.7", "100 ms at 43.6"]);
    expect(ticks([1, 2])).toEqual(["1 s at 114", "2 s at 57"]);
    expect(ticks([3])).toEqual(["3 s at 114", "6 s at 0"]);
    expect(ticks([12, 24, 48])).toEqual(["20 s at 86", "50 s at 35.8"]);
    expect(shown([1, 2], 1).text).not.toContain("darker");
    expect(shown([1, 2], 2).text).toContain("darker: more runs");
  });
});
