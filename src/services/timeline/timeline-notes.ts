/** Sentences about what a timeline leaves out or groups. */
import type { DrawnCount, Timeline, TimelineCounts, TimelineDensity } from "../../api/timeline.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { sentenceCase } from "../../pynenc/sentences.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { stampedLaterNote } from "../model/stamped-later.ts";
import { HEARTBEATS_READ } from "./timeline-runners.ts";

interface Circumstances {
  now: EpochSeconds;
  /** The newest entry, if the window reaches beyond now to have it. */
  stampedLater: EpochSeconds | null;
  counts: TimelineCounts;
  density: TimelineDensity | null;
  /** Change by change; otherwise all are counted. */
  followed: boolean;
  filtered: boolean;
  /** No window was requested, and no status changed in the default one. */
  quiet: boolean;
  /** Events are not drawn one by one but counted over time. */
  eventsCounted: boolean;
  /** The timeline is as of an instant before its window. */
  unbegun: boolean;
  /** Every candidate of the filter was examined. */
  filterExhausted: boolean;
  /** No invocation that was busy all through the window can have been missed. */
  surroundingsComplete: boolean;
  systemHidden: number;
  /** Pynenc's own tasks are to be shown. */
  showSystem: boolean;
  /** Counts are by task, so tasks that are to be hidden can be left out. */
  byTask: boolean;
  /** More will be counted once the history has been read. */
  reading: boolean;
  lanes: Record<"wanted" | "shown", Timeline["options"]["group"]>;
  /** Not all runners with a heartbeat were examined for idle ones. */
  heartbeatsLeft: boolean;
}

const number = (value: number) => grouped(value);

export function timelineNotes(given: Circumstances): string[] {
  const { counts, stampedLater, now, followed, lanes, systemHidden: hidden } = given;
  const { drawn } = counts.invocations;
  return [
    ...when(given.quiet, "No status changed in the last 5 min: this window ends at the latest change."),
    ...(stampedLater === null ? [] : [stampedLaterNote(stampedLater, now, "shown")]),
    ...when(given.unbegun, "This window begins after the time that is shown: nothing in it had happened yet."),
    ...(followed ? [] : countedNotes(given)),
    ...when(
      lanes.wanted !== lanes.shown,
      `Lanes show ${lanes.shown}s: so many status changes are not counted by ${lanes.wanted}. Zoom in for that.`,
    ),
    ...when(!followed && !given.showSystem && !given.byTask, "pynenc's own tasks are counted too."),
    ...when(
      given.filtered && !given.filterExhausted,
      `Showing the ${number(drawn)} matches with the latest changes. Narrow the window or the filter for all.`,
    ),
    ...causeNotes(counts, given.eventsCounted),
    ...when(hidden > 0, `${many(hidden, "invocation")} of pynenc's own tasks ${hidden === 1 ? "is" : "are"} hidden.`),
    ...when(!given.surroundingsComplete, "Invocations that ran all through this window may be missing."),
    ...when(
      given.heartbeatsLeft,
      `Of runners that did nothing, only the ${HEARTBEATS_READ} with the latest heartbeats are shown.`,
    ),
  ];
}

function when(so: boolean, sentence: string): string[] {
  return so ? [sentence] : [];
}

/** Notes on a window with too many changes to follow. */
function countedNotes({ density, counts: { invocations }, showSystem, byTask, reading }: Circumstances): string[] {
  if (density === null) return [];
  const but = byTask && !showSystem ? " except those of pynenc's own tasks" : "";
  const stretch = density.counted;
  const second = (iso: string) => iso.slice(0, 19).replace("T", " ");
  const which = stretch === null ? "every one" : `those from ${second(stretch.from)} to ${second(stretch.to)} UTC`;
  return [
    `Too many status changes to draw: the columns count ${which}${but}. Zoom in to see invocations.`,
    ...when(stretch !== null && reading, "The history is still being read: more is counted after that."),
    ...when(invocations.drawn > 0, `${many(invocations.drawn, "active or selected invocation")} drawn one by one.`),
  ];
}

function causeNotes({ events, trigger_runs, atomic_service_runs }: TimelineCounts, eventsCounted: boolean): string[] {
  const kinds: readonly (readonly [what: string, count: DrawnCount, which: string])[] = [
    ...(eventsCounted ? [] : [["events", events, "the earliest"] as const]),
    ["trigger runs", trigger_runs, "the latest"],
    ["runs of the atomic service", atomic_service_runs, "the latest"],
  ];
  const cut = kinds.filter(([, { total, drawn }]) => total > drawn);
  const none = cut.filter(([, { drawn }]) => drawn === 0).map(([what, count]) => `${all(count)} ${what}`);
  return [
    ...(eventsCounted ? [`${sentenceCase(all(events))} events are counted in the top lane. Zoom in to see each.`] : []),
    ...(none.length === 0 ? [] : [`Not drawn: ${none.join(", ")}.`]),
    ...cut.flatMap(([what, count, which]) =>
      count.drawn === 0 ? [] : [`Showing ${which} ${number(count.drawn)} of ${all(count)} ${what}.`],
    ),
  ];
}

function all({ total, capped }: DrawnCount): string {
  return capped ? `more than ${number(total)}` : number(total);
}

function many(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}
