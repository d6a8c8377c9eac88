/** The words of the load of a timeline: what was at once, and what only within a minute. */
import { expect, test } from "vitest";
import type { TimelineOccupancy } from "../../../src/api/timeline.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { occupancyGeometry } from "../../../src/timeline/occupancy.ts";
import { OccupancySvg } from "../../../templates/svg/occupancy.tsx";
import { dom } from "../render.tsx";

/** Two slices of a minute in a window of so many minutes, in which the queue was 4 and 7 long. */
function wordsOf(minutes: number, more: Partial<TimelineOccupancy>): string[] {
  const counts = [
    { category: "pending", counts: [1, 2] },
    { category: "running", counts: [5, 3] },
  ];
  const [from, end] = [isoFromEpoch(0), isoFromEpoch(60 * minutes)];
  const occupancy: TimelineOccupancy = {
    ...{ categories: ["pending", "running"], from, slice_seconds: 60, slices: 2, totals: [6, 5], totals_are: "within" },
    ...{ waiting: [4, 7], waiting_is: "at_end", waiting_last: 7, waiting_unknown: null, groups: counts, tasks: [] },
    ...more,
  };
  const geometry = occupancyGeometry({ start: from, end, occupancy }, { width: 1_200, compact: false });
  if (geometry === null) throw new Error("nothing is drawn");
  const titles = dom(<OccupancySvg geometry={geometry} href={() => "/"} />).querySelectorAll(".slice title");
  return titles.map(({ text }) => /\d{3}: (.*)\. Zoom in$/.exec(text)?.[1] ?? text);
}

test("a part of the load says what was at once, and how long the queue was at most", () => {
  expect(wordsOf(2, { totals_are: "at_once", waiting_is: "most" })).toEqual([
    "up to 6 at once, up to 4 in the queue",
    "up to 5 at once, up to 7 in the queue",
  ]);
});

test("where minutes are counted, a part of one minute says the queue at its end, and no sum of what was not at once", () => {
  const within = "at some time in 1 min, not all at once";
  expect(wordsOf(2, {})).toEqual([
    `5 running, 1 pending ${within}, 4 in the queue at 00:01:00`,
    `3 running, 2 pending ${within}, 7 in the queue at 00:02:00`,
  ]);
});

test("a part of several minutes says the most of them, of each status on its own", () => {
  expect(wordsOf(400, {})).toEqual([
    "up to 5 running, 2 pending at some time in 1 min, not all at once, up to 7 in the queue, looked at every 1 min",
  ]);
});

test("a part whose queue is not known says nothing of it", () => {
  expect(wordsOf(2, { totals_are: "at_once", waiting: null })).toEqual(["up to 6 at once", "up to 5 at once"]);
});
