/** Since when a figure is other than usual. */
import { FINAL_STATUSES } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { HOUR, MINUTE } from "../../rollups/buckets.ts";
import type { FiguresSeries, RollupReads } from "../../rollups/reads.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { onsetOf, type Share } from "./shares.ts";
import { MIN_SILENCE } from "./silence.ts";
import { middleOf } from "./slower-tasks.ts";
import type { Silence, Slower, TaskFigures, TrendFacts } from "./trend-facts.ts";

export const QUARTER = 900;
export const DAY = 86_400;

/** Entries of one minute searched for the first run of a task that ended in it. */
const ENTRIES_OF_MINUTE = 2_000;

/** A day in minutes, plus the partial minutes at both ends. */
const MINUTES_OF_DAY = 1_442;

/** How often something was put into the queue, and taken from it. */
export function flowIn(entered: Readonly<Record<string, number>>): Pick<TaskFigures, "queued" | "taken"> {
  const times = (...statuses: string[]) => statuses.reduce((sum, status) => sum + (entered[status] ?? 0), 0);
  return {
    queued: times("registered", "rerouted", "retry"),
    taken: times("pending", "concurrency_controlled", "concurrency_controlled_final"),
  };
}

export type Slices = FiguresSeries["slices"];
export type Counts = Pick<TaskFigures, "finished" | "failed" | "started" | "retries">;

export function countsIn({ entered: { success = 0, failed = 0, retry: retries = 0 } }: Slices[number]): Counts {
  return { finished: success + failed, failed, started: success + failed + retries, retries };
}

/**
 * The minute in which something began, by its quarter of an hour and the one before. Null if it did not, or began before the first quarter.
 *
 * @param onset the slice in which it began.
 */
export async function onsetMinute(
  { from, slices }: { from: EpochSeconds; slices: Slices },
  onset: (slices: Slices) => number | null,
  { until }: TrendFacts,
  rollups: RollupReads,
  left: () => number,
  task_id_key: string,
): Promise<EpochSeconds | null> {
  const quarter = onset(slices);
  if (!quarter) return null;
  const begin = from + (quarter - 1) * QUARTER;
  const span = { from: begin, to: Math.min(until, begin + 2 * QUARTER), patience: left() };
  const minute = onset((await rollups.series(span, (span.to - begin) / MINUTE, { task_id_key })).slices);
  return minute === null ? null : begin + minute * MINUTE;
}

/** Quarters of an hour by the clock, so that they are the same at each look: from a day and an hour ago to now; the last one may be shorter. */
export async function quartersUpTo(
  { until }: TrendFacts,
  rollups: RollupReads,
  left: () => number,
  task_id_key?: string,
): Promise<{ from: EpochSeconds; slices: Slices }> {
  const from = Math.floor((until - HOUR - DAY) / QUARTER) * QUARTER;
  const most = Math.ceil((until - from) / QUARTER);
  const { slices } = await rollups.series({ from, to: until, patience: left() }, most, { task_id_key });
  return { from, slices };
}

/** When the first run ended in the minute since which the median is nearer to that of now. */
export async function slowerSince(
  one: Slower,
  facts: TrendFacts,
  app: OpenedApp,
  rollups: RollupReads,
  left: () => number,
): Promise<EpochSeconds | null> {
  const { task_id_key } = one;
  const shareIn = ({ run_p50_seconds: run_p50 }: Slices[number]): Share => ({
    hits: run_p50 !== null && run_p50 >= middleOf(one) ? 1 : 0,
    of: run_p50 === null ? 0 : 1,
  });
  const onset = (slices: Slices) => onsetOf(slices.map(shareIn), { hits: 1, of: 1 }, { hits: 0, of: 1 });
  const quarters = await quartersUpTo(facts, rollups, left, task_id_key);
  const minute = await onsetMinute(quarters, onset, facts, rollups, left, task_id_key);
  if (minute === null) return null;
  return app.store.read(async (reads) => {
    const window = { from: minute, to: minute + MINUTE };
    const entries = await reads.state_backend.historyBetween(window, ENTRIES_OF_MINUTE, "earliest");
    const ended = entries.filter(({ status }) => FINAL_STATUSES.includes(status) || status === "retry");
    const tasks = await reads.state_backend.tasksOf([...new Set(ended.map(({ invocation_id }) => invocation_id))]);
    const own = new Set(tasks.flatMap((one) => (one.task_id_key === task_id_key ? [one.invocation_id] : [])));
    return ended.find(({ invocation_id }) => own.has(invocation_id))?.timestamp ?? null;
  });
}

/** The first quarter of the uninterrupted series up to now in which more came in than was taken; null if that is older than what was read. */
export async function growingSince(
  facts: TrendFacts,
  rollups: RollupReads,
  left: () => number,
): Promise<EpochSeconds | null> {
  const { from, slices } = await quartersUpTo(facts, rollups, left);
  // The last quarter has perhaps just begun.
  const last = slices.slice(0, -1).findLastIndex(({ entered }) => {
    const { queued, taken } = flowIn(entered);
    return queued <= taken;
  });
  return last === -1 ? null : from + (last + 1) * QUARTER;
}

/** Only checked while the history is quiet: then there is little to add up. */
export async function silenceOf(
  app: OpenedApp,
  rollups: RollupReads,
  until: EpochSeconds,
  left: () => number,
): Promise<Silence | null> {
  const stored = await app.store.read((reads) => reads.state_backend.historySpan());
  if (stored === null || until - stored.last < MIN_SILENCE || stored.last - stored.first < DAY) return null;
  const range = { from: stored.last - DAY, to: stored.last + MINUTE, patience: left() };
  const { complete, slice, slices } = await rollups.series(range, MINUTES_OF_DAY);
  if (!complete || slice > MINUTE) return null;
  let [entries, empty, longest] = [0, 0, 0];
  for (const { entered } of slices) {
    const here = Object.values(entered).reduce((sum, count) => sum + count, 0);
    entries += here;
    empty = here === 0 ? empty + 1 : 0;
    longest = Math.max(longest, empty);
  }
  // The minute after the last entry is either not over or already part of the silence. A gap may extend into the minutes on both sides.
  return { last_entry: stored.last, longest_gap_seconds: (longest + 2) * MINUTE, entries };
}
