/** The words of the load of a timeline: what was at once, and what only within a minute. */
import { expect, test } from "vitest";
import type { TimelineOccupancy } from "../../../src/api/timeline.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { occupancyGeometry } from "../../../src/timeline/occupancy.ts";
import { QueueKey } from "../../../templates/fragments/timeline/occupancy.tsx";
import { OccupancySvg } from "../../../templates/svg/occupancy.tsx";
import { dom } from "../render.tsx";

/** Two slices of a minute in a window of so many minutes, in which the queue was 4 and 7 long. */
function geometryOf(minutes: number, more: Partial<TimelineOccupancy>) {
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
  return geometry;
}

function wordsOf(minutes: number, more: Partial<TimelineOccupancy>): string[] {
  const geometry = geometryOf(minutes, more);
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

test("the peak of the queue says when it was and leads there: within its column, or where queues are looked at as columns end, then", () => {
  const peak = (more: Partial<TimelineOccupancy>) => {
    const zoomed = ({ start_date, end_date }: { start_date: string; end_date: string }) => `/${start_date} ${end_date}`;
    const link = dom(<QueueKey occupancy={geometryOf(2, more)} zoomed={zoomed} />).querySelector("a");
    return [link?.text, link?.getAttribute("title"), link?.getAttribute("href")];
  };
  const [minute, last] = [`1970-01-01 00:01:00.000`, `1970-01-01 00:02:00.000`];
  const second = "/1970-01-01T00:01:00.000000 1970-01-01T00:02:00.000000";
  expect(peak({ waiting_is: "most" })).toEqual(["peak 7", `Between ${minute} and ${last}. Zoom in`, second]);
  expect(peak({})).toEqual(["peak 7", `At ${last}. Zoom in`, second]);
  expect(peak({ waiting: [7, 7] })[1]).toBe(`At ${minute}. Zoom in`);
  expect(peak({ waiting: [0, 0], waiting_last: 0 })[0]).toBeUndefined();
});
