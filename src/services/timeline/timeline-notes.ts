/** Sentences about what a timeline leaves out, groups or estimates. */
import type { DrawnCount, TimelineCounts, TimelineDensity } from "../../api/timeline.ts";
import { grouped } from "../../pynenc/numbers.ts";

interface Circumstances {
  counts: TimelineCounts;
  density: TimelineDensity | null;
  filtered: boolean;
  /** No window was asked for, and no status changed in the one that is shown otherwise. */
  quiet: boolean;
  /** Every candidate of the filter was looked at. */
  filterExhausted: boolean;
  /** No invocation that was busy all through the window can have been missed. */
  lookedAround: boolean;
  systemHidden: number;
  /** Lanes by task were asked for where only runners are told. */
  tasksUntold: boolean;
}

const number = (value: number) => grouped(value);

export function timelineNotes(given: Circumstances): string[] {
  const { counts, density } = given;
  return [
    ...(given.quiet
      ? ["No status changed in the last 5 minutes: these are the 5 minutes until the latest change."]
      : []),
    ...densityNotes(density, counts),
    ...(given.tasksUntold
      ? ["Lanes are those of runners: in a window with so many changes tasks are not told. Zoom in."]
      : []),
    ...(given.filtered && !given.filterExhausted
      ? [
          `The ${number(counts.invocations.drawn)} invocations with the latest changes that match are drawn; there may be more. Narrow the window or the filter to see them.`,
        ]
      : []),
    ...causeNotes(counts),
    ...(counts.unknown_runner_entries === 0
      ? []
      : [
          `${many(counts.unknown_runner_entries, "status change")} in this window name${counts.unknown_runner_entries === 1 ? "s" : ""} a runner without a stored context, or none: they are drawn in separate lanes.`,
        ]),
    ...(given.systemHidden === 0
      ? []
      : [
          `${many(given.systemHidden, "invocation")} of pynenc's own tasks ${given.systemHidden === 1 ? "is" : "are"} hidden.`,
        ]),
    ...(given.lookedAround
      ? []
      : [
          "Invocations that were active throughout this window are drawn only if they began shortly before it, changed shortly after it, or are still active.",
        ]),
  ];
}

function densityNotes(density: TimelineDensity | null, { changes, invocations }: TimelineCounts): string[] {
  if (density === null) return [];
  if (density.estimated) {
    return [
      `This window holds ${changes.exact ? "" : "about "}${number(changes.total)} status changes, too many to draw. The columns show how many there were in each time slice; how they divide among runners and statuses is estimated from an evenly spread sample of ${number(density.sampled)}. Zoom in to see invocations.`,
    ];
  }
  const total = invocations.total ?? invocations.drawn;
  return [
    `${number(invocations.drawn)} of ${number(total)} invocations are drawn, in each lane those that take the most space. The ${number(changes.total - changes.drawn)} status changes of the other ${number(total - invocations.drawn)} are counted in the columns below the bars of each lane. Zoom in to see them.`,
  ];
}

function causeNotes({ events, trigger_runs, atomic_service_runs }: TimelineCounts): string[] {
  const kinds: readonly [what: string, count: DrawnCount, which: string][] = [
    ["events", events, "the earliest"],
    ["trigger runs", trigger_runs, "the latest"],
    ["runs of the atomic service", atomic_service_runs, "the latest"],
  ];
  const cut = kinds.filter(([, { total, drawn }]) => total > drawn);
  const none = cut.filter(([, { drawn }]) => drawn === 0).map(([what, count]) => `${all(count)} ${what}`);
  return [
    ...(none.length === 0 ? [] : [`Not drawn either: ${none.join(", ")}.`]),
    ...cut.flatMap(([what, count, which]) =>
      count.drawn === 0 ? [] : [`${number(count.drawn)} of ${all(count)} ${what} are drawn, ${which}.`],
    ),
  ];
}

function all({ total, capped }: DrawnCount): string {
  return capped ? `more than ${number(total)}` : number(total);
}

function many(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}
