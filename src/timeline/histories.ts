/** Processes all histories of a window before drawing: which to draw, which to count, and who did what when. */
import type { Afterwards } from "../api/timeline.ts";
import { addTo, rowsBy } from "../pynenc/groups.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { busiest, MAX_LANES } from "./lanes.ts";
import { isLasting } from "./strands.ts";

/** Statuses in which a runner works on an invocation. */
const EXECUTING: readonly string[] = ["running", "resumed"];

export interface HistoryStep {
  at: EpochSeconds;
  status: string;
  runner_id: string | null;
  /** From then on its runner, which had died, did not work on it; absent if that is not so. */
  dead_from?: EpochSeconds;
}

/** An invocation with its steps in a window. */
export interface TrackedInvocation {
  invocation_id: string;
  task_id_key: string | null;
  /** In the order of `inOrder`, which is that of time unless clocks disagree; the first may be before the window. */
  steps: HistoryStep[];
  afterwards: Afterwards;
}

export interface HistoryWindow {
  start: EpochSeconds;
  end: EpochSeconds;
  now: EpochSeconds;
}

/** Steps inside the window: what `TimelineCounts.changes` counts. */
export function stepsWithin({ steps }: TrackedInvocation, { start, end }: HistoryWindow): HistoryStep[] {
  return steps.filter(({ at }) => at >= start && at <= end);
}

export interface Choice {
  drawn: TrackedInvocation[];
  /** Invocations that are only counted. */
  counted: TrackedInvocation[];
}

/** Maximum rows of bars in a lane that cannot show all its invocations. */
const ROWS = 12;

/** In a lane that cannot show everything, only what takes at least this share of the window is drawn: two pixels at the usual width. */
const MIN_SHARE = 1 / 600;

export interface ChoiceOptions {
  /** Maximum number of steps to draw. */
  marks: number;
  /** Maximum number of invocations to draw. */
  limit: number;
  /** Ids to draw before all others, because they were requested. */
  first: ReadonlySet<string>;
  /** Lanes are tasks; otherwise runners. */
  byTask?: boolean;
}

interface Sized {
  invocation: TrackedInvocation;
  steps: number;
  /** Seconds in lasting statuses within the window. */
  extent: number;
  ongoing: boolean;
}

/**
 * Decides per lane what is drawn individually: everything if it fits, otherwise what is in progress, then what takes the most room on the time axis.
 * The rest is counted, because a count says more than a bar too narrow to see. Requested ids take precedence over all lanes. Lanes share the room
 * fairly, so that a busy lane takes nothing from a quiet one.
 */
export function chooseDrawn(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  { marks, limit, first, byTask = false }: ChoiceOptions,
): Choice {
  const sized = invocations.map((invocation) => ({
    invocation,
    steps: Math.max(1, stepsWithin(invocation, window).length),
    extent: lastingSeconds(invocation, window),
    ongoing: invocation.afterwards === "ongoing" && isLasting(invocation.steps.at(-1)?.status ?? ""),
  }));
  const drawn = new Set<TrackedInvocation>();
  let left = marks;
  for (const { invocation, steps } of sized) {
    if (!first.has(invocation.invocation_id) || drawn.size >= limit || steps > left) continue;
    drawn.add(invocation);
    left -= steps;
  }
  const lanes = rowsBy(
    sized.filter(({ invocation }) => !drawn.has(invocation)),
    ({ invocation }) => (byTask ? invocation.task_id_key : workerOf(invocation)),
  );
  const all = pooled([...lanes.values()]);
  const stepsOf = all.map(stepsIn);
  const shares = fairShares(left, stepsOf);
  const limits = fairShares(
    limit - drawn.size,
    all.map((lane) => lane.length),
  );
  all.forEach((lane, at) => {
    const [share = 0, most = 0] = [shares[at], limits[at]];
    const fits = (stepsOf[at] ?? 0) <= share && lane.length <= most;
    for (const { invocation } of fits ? lane : chosenOf(lane, window, share, most)) drawn.add(invocation);
  });
  return {
    drawn: invocations.filter((invocation) => drawn.has(invocation)),
    counted: invocations.filter((invocation) => !drawn.has(invocation)),
  };
}

/** Combines the lanes beyond MAX_LANES into one: they are drawn as one lane, and each of thousands of equal shares would round to nothing. */
function pooled(lanes: Sized[][]): Sized[][] {
  const kept = new Set(busiest(lanes, stepsIn, MAX_LANES));
  const rest = lanes.filter((lane) => !kept.has(lane));
  return rest.length === 0 ? lanes : [...kept, rest.flat()];
}

function stepsIn(lane: readonly Sized[]): number {
  return lane.reduce((sum, { steps }) => sum + steps, 0);
}

/** The runner it kept busy longest; null if none. */
function workerOf({ steps }: TrackedInvocation): string | null {
  let [worker, longest] = [null as string | null, -1];
  steps.forEach(({ at, status, runner_id }, index) => {
    const lasts = (steps[index + 1]?.at ?? Number.POSITIVE_INFINITY) - at;
    if (isLasting(status) && lasts > longest) [worker, longest] = [runner_id, lasts];
  });
  return worker;
}

/** From the first to the last step in the window. */
function extentOf({ steps, afterwards }: TrackedInvocation, window: HistoryWindow): { from: number; to: number } {
  const last = steps.at(-1);
  const lasts = last !== undefined && isLasting(last.status);
  const times = steps.map(({ at }) => at);
  return {
    from: Math.max(window.start, Math.min(...times)),
    to: lasts ? Math.min(window.end, endOfLast(afterwards, window)) : Math.min(window.end, Math.max(...times)),
  };
}

function chosenOf(lane: Sized[], window: HistoryWindow, marks: number, limit: number): Sized[] {
  const least = (window.end - window.start) * MIN_SHARE;
  const wide = lane.filter(({ ongoing, extent }) => ongoing || extent >= least);
  wide.sort(
    (a, b) =>
      Number(b.ongoing) - Number(a.ongoing) ||
      b.extent - a.extent ||
      (a.invocation.invocation_id < b.invocation.invocation_id ? -1 : 1),
  );
  const chosen: Sized[] = [];
  const rows: { from: number; to: number }[][] = [];
  let used = 0;
  for (const one of wide) {
    if (chosen.length >= limit) break;
    if (used + one.steps > marks) continue;
    const extent = extentOf(one.invocation, window);
    const free = rows.find((row) => row.every(({ from, to }) => to <= extent.from || from >= extent.to));
    if (free !== undefined) free.push(extent);
    else if (rows.length < ROWS) rows.push([extent]);
    else continue;
    chosen.push(one);
    used += one.steps;
  }
  return chosen;
}

/** Divides room fairly: everyone gets what they want while there is enough, otherwise those who want more get equal shares. */
export function fairShares(room: number, wanted: readonly number[]): number[] {
  const shares = wanted.map(() => 0);
  const order = wanted.map((want, at) => ({ want, at })).sort((a, b) => a.want - b.want);
  let left = room;
  order.forEach(({ want, at }, done) => {
    const share = Math.min(want, Math.floor(left / (order.length - done)));
    shares[at] = share;
    left -= share;
  });
  return shares;
}

function lastingSeconds({ steps, afterwards }: TrackedInvocation, window: HistoryWindow): number {
  return steps.reduce((sum, step, index) => {
    if (!isLasting(step.status)) return sum;
    const until = steps[index + 1]?.at ?? endOfLast(afterwards, window);
    return sum + Math.max(0, Math.min(until, window.end) - Math.max(step.at, window.start));
  }, 0);
}

function endOfLast(afterwards: Afterwards, { end, now }: HistoryWindow): EpochSeconds {
  return afterwards === "ongoing" ? Math.min(end, now) : end;
}

/** Seconds of the window in which each runner executed at least one of these invocations. Runners that executed none have no entry. */
export function busySeconds(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
): ReadonlyMap<string, number> {
  const runsOf = new Map<string, { from: EpochSeconds; to: EpochSeconds }[]>();
  for (const { steps, afterwards } of invocations) {
    steps.forEach(({ at, status, runner_id, dead_from }, index) => {
      if (runner_id === null || !EXECUTING.includes(status)) return;
      const from = Math.max(at, window.start);
      const to = Math.min(dead_from ?? steps[index + 1]?.at ?? endOfLast(afterwards, window), window.end);
      if (to <= from) return;
      addTo(runsOf, runner_id, { from, to });
    });
  }
  return new Map([...runsOf].map(([id, runs]) => [id, lengthOfUnion(runs)]));
}

/** Stretches that overlap count once. */
function lengthOfUnion(stretches: { from: EpochSeconds; to: EpochSeconds }[]): number {
  let [sum, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of stretches.sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return sum;
}
