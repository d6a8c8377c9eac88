/** What a timeline leaves out, in sentences: nothing when nothing is left out. */
import { describe, expect, it } from "vitest";
import type { TimelineCounts, TimelineDensity } from "../../../src/api/timeline.ts";
import { timelineNotes } from "../../../src/services/timeline/timeline-notes.ts";

type Given = Parameters<typeof timelineNotes>[0];

const all = (total: number) => ({ total, drawn: total, capped: false });
const COUNTS: TimelineCounts = {
  changes: { total: 30, drawn: 30, exact: true },
  invocations: { total: 10, drawn: 10 },
  events: all(3),
  trigger_runs: all(2),
  atomic_service_runs: all(1),
};
const DENSITY = { counted: null, rows: [] } as unknown as TimelineDensity;

const notes = (given: Partial<Given>, counts: Partial<TimelineCounts> = {}) =>
  timelineNotes({
    now: 1_000,
    stampedLater: null,
    counts: { ...COUNTS, ...counts },
    density: null,
    followed: true,
    filtered: false,
    quiet: false,
    unbegun: false,
    eventsCounted: false,
    filterExhausted: true,
    surroundingsComplete: true,
    systemHidden: 0,
    showSystem: true,
    byTask: false,
    reading: false,
    lanes: { wanted: "runner", shown: "runner" },
    heartbeatsLeft: false,
    ...given,
  });

describe("the notes of a timeline", () => {
  it("say that only the 100 latest heartbeats were read for idle runners, if there are more", () => {
    expect(notes({ heartbeatsLeft: true })).toEqual([
      "Of runners that did nothing, only the 100 with the latest heartbeats are shown.",
    ]);
  });

  it("are empty if everything is drawn", () => {
    expect(notes({})).toEqual([]);
    expect(notes({ filtered: true })).toEqual([]);
  });

  it("say which time the columns count, and that the history is still being read", () => {
    const counted = { from: "2026-07-04T10:03:00.000000+00:00", to: "2026-07-04T10:15:00.000000+00:00" };
    const density = { ...DENSITY, counted };
    const told = (given: Partial<Given>) =>
      notes({ density, followed: false, ...given }, { invocations: { total: null, drawn: 0 } });
    expect(told({})).toEqual([
      "Too many status changes to draw: the columns count those from 2026-07-04 10:03:00 to 2026-07-04 10:15:00 UTC. Zoom in to see invocations.",
    ]);
    expect(told({ reading: true })).toContain("The history is still being read: more is counted after that.");
    expect(told({ reading: true, density: DENSITY })).toHaveLength(1);
  });

  it("say what lanes are if the columns are not counted by what was asked for", () => {
    const changes = { total: 90_000, drawn: 0, exact: true };
    const lanes = { wanted: "cause", shown: "runner" } as const;
    expect(notes({ density: DENSITY, followed: false, lanes }, { changes })).toContain(
      "Lanes show runners: so many status changes are not counted by cause. Zoom in for that.",
    );
  });

  it("say that every change is counted, and how many invocations are drawn nevertheless", () => {
    const changes = { total: 90_000, drawn: 0, exact: true };
    const told = (drawn: number) =>
      notes({ density: DENSITY, followed: false }, { changes, invocations: { total: null, drawn } });
    expect(told(0)).toEqual([expect.stringMatching(/the columns count every one\./)]);
    expect(told(1)).toContainEqual(expect.stringMatching(/^1 active or selected invocation drawn one by one/));
    expect(told(2)).toEqual([
      expect.stringMatching(/every one/),
      expect.stringMatching(/^2 active or selected invocations drawn one by one/),
    ]);
  });

  it("say whether the columns include pynenc's own tasks if these are to be hidden", () => {
    const changes = { total: 90_000, drawn: 0, exact: true };
    const told = (given: Partial<Given>) =>
      notes({ density: DENSITY, followed: false, ...given }, { changes }).join("\n");
    expect(told({ showSystem: false, byTask: true })).toContain("count every one except those of pynenc's own tasks.");
    expect(told({ showSystem: false, byTask: true })).not.toContain("counted here too");
    expect(told({ showSystem: false, byTask: false })).toContain("count every one.");
    expect(told({ showSystem: false, byTask: false })).toContain("pynenc's own tasks are counted too");
    expect(told({ showSystem: true, byTask: true })).not.toContain("pynenc's own");
    expect(told({ showSystem: true, byTask: false })).not.toContain("Pynenc's own");
    expect(notes({ showSystem: false })).toEqual([]);
  });

  it("say that more may match for a filter whose search was not finished", () => {
    expect(notes({ filtered: true, filterExhausted: false })).toEqual([
      expect.stringMatching(/Narrow the window or the filter for all/),
    ]);
    expect(notes({ filtered: false, filterExhausted: false })).toEqual([]);
  });

  it("say how many events, trigger runs and service runs are drawn, and which", () => {
    const cut = { total: 700, drawn: 500, capped: false };
    expect(notes({}, { events: cut })).toEqual(["Showing the earliest 500 of 700 events."]);
    expect(notes({ eventsCounted: true }, { events: { ...cut, drawn: 1 } })).toEqual([
      "700 events are counted in the top lane. Zoom in to see each.",
    ]);
    expect(notes({ eventsCounted: true }, { events: { total: 10_000, drawn: 0, capped: true } })).toEqual([
      "More than 10,000 events are counted in the top lane. Zoom in to see each.",
    ]);
    expect(notes({}, { trigger_runs: { ...cut, total: 10_000, capped: true } })).toEqual([
      "Showing the latest 500 of more than 10,000 trigger runs.",
    ]);
    expect(notes({}, { events: { ...cut, drawn: 0 }, atomic_service_runs: { ...cut, drawn: 0 } })).toEqual([
      "Not drawn: 700 events, 700 runs of the atomic service.",
    ]);
  });

  it("count hidden invocations, in the singular or plural", () => {
    expect(notes({ systemHidden: 1 })).toEqual(["1 invocation of pynenc's own tasks is hidden."]);
    expect(notes({ systemHidden: 2 })).toEqual(["2 invocations of pynenc's own tasks are hidden."]);
  });

  it("say that invocations which were busy throughout may be missing", () => {
    expect(notes({ surroundingsComplete: false })).toEqual([expect.stringMatching(/ran all through this window/)]);
  });
});
