/** What is done with all histories of a window before some of them are drawn: choosing, counting, and following who did what when. */
import type { Afterwards, TimelineDensity } from "../api/timeline.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { isLasting } from "./strands.ts";

export interface HistoryStep {
  at: EpochSeconds;
  status: string;
  runner_id: string | null;
}

/** An invocation with what it did in a window. */
export interface TrackedInvocation {
  invocation_id: string;
  task_id_key: string | null;
  /** By time; the first may lie before the window. */
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
  /** Those that are only counted. */
  counted: TrackedInvocation[];
}

/**
 * Chooses what is drawn one by one when there is too much: first what was asked for by id, then what takes the most room on the time axis,
 * because a count says more than a bar too narrow to see.
 *
 * @param marks steps drawn at most; @param limit invocations drawn at most.
 */
export function chooseDrawn(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  { marks, limit, first }: { marks: number; limit: number; first: ReadonlySet<string> },
): Choice {
  const sized = invocations.map((invocation) => ({
    invocation,
    asked: first.has(invocation.invocation_id),
    steps: Math.max(1, stepsWithin(invocation, window).length),
    extent: lastingSeconds(invocation, window),
  }));
  const total = sized.reduce((sum, { steps }) => sum + steps, 0);
  if (total <= marks && sized.length <= limit) return { drawn: [...invocations], counted: [] };
  sized.sort(
    (a, b) =>
      Number(b.asked) - Number(a.asked) ||
      b.extent - a.extent ||
      (a.invocation.invocation_id < b.invocation.invocation_id ? -1 : 1),
  );
  const drawn = new Set<TrackedInvocation>();
  let used = 0;
  for (const { invocation, steps } of sized) {
    if (drawn.size >= limit || used + steps > marks) continue;
    drawn.add(invocation);
    used += steps;
  }
  return {
    drawn: invocations.filter((invocation) => drawn.has(invocation)),
    counted: invocations.filter((invocation) => !drawn.has(invocation)),
  };
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

/** Every step of these invocations in its slice: nothing is lost, nothing is counted twice. */
export function countedDensity(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  slices: number,
): TimelineDensity {
  const totals = new Array<number>(slices).fill(0);
  const rows = new Map<string, TimelineDensity["rows"][number]>();
  let sampled = 0;
  for (const invocation of invocations) {
    for (const { at, status, runner_id } of stepsWithin(invocation, window)) {
      const slice = sliceOf(at, window, slices);
      const key = `${status}\n${runner_id ?? ""}\n${runner_id === null}`;
      const row = rows.get(key) ?? { runner_id, status, counts: new Array<number>(slices).fill(0) };
      rows.set(key, row);
      row.counts[slice] = (row.counts[slice] ?? 0) + 1;
      totals[slice] = (totals[slice] ?? 0) + 1;
      sampled++;
    }
  }
  return { estimated: false, sampled, slices, totals, rows: [...rows.values()] };
}

/** A sample of one slice: how often each pair of runner and status was met. */
export interface SampledSlice {
  /** Changes in the slice. */
  total: number;
  shares: { runner_id: string | null; status: string; met: number }[];
}

/** The counts estimated from a sample. In each slice they add up to its exact total. */
export function estimatedDensity(sample: readonly SampledSlice[]): TimelineDensity {
  const rows = new Map<string, TimelineDensity["rows"][number]>();
  let sampled = 0;
  sample.forEach(({ total, shares }, slice) => {
    const met = shares.reduce((sum, share) => sum + share.met, 0);
    sampled += met;
    const parts = apportioned(
      total,
      shares.map((share) => share.met),
    );
    shares.forEach(({ runner_id, status }, index) => {
      const key = `${status}\n${runner_id ?? ""}\n${runner_id === null}`;
      const row = rows.get(key) ?? { runner_id, status, counts: new Array<number>(sample.length).fill(0) };
      rows.set(key, row);
      row.counts[slice] = parts[index] ?? 0;
    });
  });
  return {
    estimated: true,
    sampled,
    slices: sample.length,
    totals: sample.map(({ total, shares }) => (shares.length === 0 ? 0 : total)),
    rows: [...rows.values()],
  };
}

/** Whole numbers in proportion to the weights that add up to `total`: the largest remainders are rounded up. */
function apportioned(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (total * weight) / sum);
  const parts = exact.map(Math.floor);
  let missing = total - parts.reduce((all, part) => all + part, 0);
  const byRemainder = exact.map((value, index) => ({ index, rest: value - Math.floor(value) }));
  byRemainder.sort((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of byRemainder) {
    if (missing <= 0) break;
    parts[index] = (parts[index] ?? 0) + 1;
    missing--;
  }
  return parts;
}

function sliceOf(at: EpochSeconds, window: HistoryWindow, slices: number): number {
  return Math.min(slices - 1, Math.max(0, Math.floor(share(at, window) * slices)));
}

/** How much of the window has passed at an instant. */
function share(at: EpochSeconds, { start, end }: HistoryWindow): number {
  return end > start ? (at - start) / (end - start) : 0;
}

/** So many slices that each is a few pixels wide. */
export const SLICES = 120;
