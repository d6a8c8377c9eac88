/** Processes all histories of a window before drawing: which to draw, which to count, and who did what when. */
import type { Afterwards } from "../api/timeline.ts";
import { rowsBy } from "../pynenc/groups.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { Home } from "./lanes.ts";
import type { HistoryStep, HistoryWindow } from "./model.ts";
import { type Extent, packRows } from "./packing.ts";
import { isLasting } from "./strands.ts";

/** Statuses in which a runner works on an invocation. */
const EXECUTING: readonly string[] = ["running", "resumed"];

/** An invocation with its steps in a window. */
export interface TrackedInvocation {
  invocation_id: string;
  task_id_key: string | null;
  /** What started it, which is its lane; absent unless lanes are causes. */
  origin?: string;
  /** In the order of `inOrder`, which is that of time unless clocks disagree; the first may be before the window. */
  steps: HistoryStep[];
  /** Its status when the window began, if no runner held it then; absent if one did, or it was registered in the window. */
  queued_before?: string;
  afterwards: Afterwards;
}

/** The name of its lane where lanes are not runners. */
export function segmentOf({ task_id_key, origin }: Pick<TrackedInvocation, "task_id_key" | "origin">): string | null {
  return origin ?? task_id_key;
}

/** Steps inside the window: what `TimelineCounts.changes` counts. */
export function stepsWithin(
  { steps }: TrackedInvocation,
  { start, end }: HistoryWindow,
): readonly Readonly<HistoryStep>[] {
  const isWithin = ({ at }: HistoryStep) => at >= start && at <= end;
  return steps.every(isWithin) ? steps : steps.filter(isWithin);
}

export interface Choice {
  /** Those of open lanes, and those that were requested. */
  drawn: TrackedInvocation[];
  /** Runners or tasks whose lanes are columns: their bars could not be read. */
  closed: ReadonlySet<string | null>;
}

/** A lane with no more invocations than this has bars, however short they are. */
const FEW = 12;

/** One with more has bars if half of them are at least this share of the window long (8 pixels at the usual width), and if so many rows hold them. */
const READABLE = 1 / 150;
const ROWS = 6;

/** Points can be told apart if there are no more than this in a lane that has no bars. */
const POINTS = 60;

export interface ChoiceOptions {
  /** Maximum number of steps to draw. */
  marks: number;
  /** Maximum number of invocations to draw. */
  limit: number;
  /** Ids to draw before all others, because they were requested. */
  first: ReadonlySet<string>;
  /** Runners, tasks or keys of lanes that were opened by hand; `*` for all. */
  open?: ReadonlySet<string>;
  /** Lanes are tasks or causes; otherwise runners. */
  byTask?: boolean;
  /** The lane of a runner or task; by default each has its own. */
  laneKeyOf?: ((home: Home) => string | undefined) | undefined;
}

/** What invocations did in one lane. */
interface LaneContent {
  key: string | undefined;
  homes: Set<string | null>;
  steps: number;
  invocations: Set<TrackedInvocation>;
  bars: Extent[];
}

/**
 * Decides which lanes have bars and points, and which are columns, because a column says more than a bar too narrow to see. Quiet lanes come first, so that
 * a busy lane takes no room from them; those that were opened by hand come before all others.
 */
export function chooseDrawn(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  options: ChoiceOptions,
): Choice {
  const { marks, limit, first, open = new Set() } = options;
  const drawn = new Set<TrackedInvocation>();
  let left = marks;
  for (const one of invocations) {
    const steps = Math.max(1, stepsWithin(one, window).length);
    if (!first.has(one.invocation_id) || drawn.size >= limit || steps > left) continue;
    drawn.add(one);
    left -= steps;
  }
  const wasOpened = ({ key, homes }: LaneContent) =>
    open.has("*") || [key, ...homes].some((name) => typeof name === "string" && open.has(name));
  const lanes = contentsOf(invocations, window, options).sort(
    (a, b) => Number(wasOpened(b)) - Number(wasOpened(a)) || a.steps - b.steps,
  );
  const closed = new Set<string | null>();
  for (const lane of lanes) {
    const more = [...lane.invocations].filter((one) => !drawn.has(one));
    const fits = lane.steps <= left && drawn.size + more.length <= limit;
    if (fits && (wasOpened(lane) || isReadable(lane, window))) {
      for (const one of more) drawn.add(one);
      left -= lane.steps;
    } else for (const home of lane.homes) closed.add(home);
  }
  return { drawn: invocations.filter((one) => drawn.has(one)), closed };
}

function contentsOf(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  { byTask = false, laneKeyOf = (home) => (byTask ? home.task_id_key : home.runner_id) ?? undefined }: ChoiceOptions,
): LaneContent[] {
  const lanes = new Map<string | undefined, LaneContent>();
  for (const invocation of invocations) {
    invocation.steps.forEach(({ at, status, runner_id }, index) => {
      const inside = at >= window.start && at <= window.end;
      const lasts = isLasting(status);
      if (!inside && !lasts) return;
      const key = laneKeyOf({ runner_id, task_id_key: segmentOf(invocation) });
      const lane = lanes.get(key) ?? { key, homes: new Set(), steps: 0, invocations: new Set(), bars: [] };
      lanes.set(key, lane);
      lane.homes.add(byTask ? segmentOf(invocation) : runner_id);
      lane.steps++;
      lane.invocations.add(invocation);
      if (!lasts) return;
      const until = invocation.steps[index + 1]?.at ?? endOfLast(invocation.afterwards, window);
      lane.bars.push({ from: Math.max(at, window.start), to: Math.min(until, window.end) });
    });
  }
  return [...lanes.values()];
}

function isReadable({ invocations, steps, bars }: LaneContent, window: HistoryWindow): boolean {
  if (invocations.size <= FEW) return true;
  if (bars.length === 0) return steps <= POINTS;
  const least = (window.end - window.start) * READABLE;
  if (bars.filter(({ from, to }) => to - from >= least).length < bars.length / 2) return false;
  return Math.max(...packRows(bars)) < ROWS;
}

function endOfLast(afterwards: Afterwards, { end, now }: HistoryWindow): EpochSeconds {
  return afterwards === "ongoing" ? Math.min(end, now) : end;
}

/** A stretch of the window in which a runner executed an invocation. */
export interface Execution {
  runner_id: string;
  from: EpochSeconds;
  to: EpochSeconds;
}

export function executionsOf({ steps, afterwards }: TrackedInvocation, window: HistoryWindow): Execution[] {
  return steps.flatMap(({ at, status, runner_id, dead_from }, index) => {
    if (runner_id === null || !EXECUTING.includes(status)) return [];
    const from = Math.max(at, window.start);
    const to = Math.min(dead_from ?? steps[index + 1]?.at ?? endOfLast(afterwards, window), window.end);
    return to <= from ? [] : [{ runner_id, from, to }];
  });
}

/** The runner that fell silent with an invocation in its hands, if it still held it in the window. */
export function silentHolder({ steps, afterwards }: TrackedInvocation, window: HistoryWindow): string | null {
  const held = steps.findLast(({ dead_from: from }, index) => {
    const until = steps[index + 1]?.at ?? endOfLast(afterwards, window);
    return from !== undefined && Math.max(from, window.start) < Math.min(until, window.end);
  });
  return held?.runner_id ?? null;
}

/** Seconds of the window in which each runner executed at least one of these invocations. Runners that executed none have no entry. */
export function busySeconds(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
): ReadonlyMap<string, number> {
  const executions = invocations.flatMap((one) => executionsOf(one, window));
  const byRunner = rowsBy(executions, ({ runner_id }) => runner_id);
  return new Map([...byRunner].map(([id, runs]) => [id, lengthOfUnion(runs)]));
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
