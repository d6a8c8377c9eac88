/**
 * Reads figures over time for detectors that need them. Not inside `store.read`, and with a deadline: whatever is not read in time is omitted, and
 * detectors say nothing about it.
 */

import { FINAL_STATUSES } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { HOUR, MINUTE, type TimeSpan } from "../../rollups/buckets.ts";
import type { FailureRow, FiguresRow, FiguresSeries, RollupReads } from "../../rollups/reads.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { earliest } from "./finding.ts";
import { isGrowing } from "./queue-growth.ts";
import { retriedShare, retryingMore } from "./retries.ts";
import { byRise, failedShare, failingMore, type Rise } from "./rises.ts";
import { onsetOf, type Share } from "./shares.ts";
import { MIN_SILENCE } from "./silence.ts";
import { isSlower, middleOf, slowerByMedian } from "./slower-tasks.ts";
import type {
  ComparedPeriod,
  GroupRise,
  Period,
  Silence,
  Slower,
  TaskFigures,
  TaskRise,
  TrendFacts,
} from "./trend-facts.ts";

/** Milliseconds a page waits, since it shows more than verdicts. More has been read the next time it is loaded. */
export const PAGE_PATIENCE = 100;

/** The same for a command, which reads the history only for this. */
export const COMMAND_PATIENCE = 1_000;

const QUARTER = 900;
const DAY = 86_400;
const WEEK = 7 * DAY;

/** Older figures are not used in place of those still being computed. */
const OLDEST_SHOWN = 5 * MINUTE;

/** Normal values change slowly and are by far the most expensive to compute, so the week is only read this often. */
const USUAL_KEPT = 10 * MINUTE;

/** Milliseconds until incomplete figures are computed again. While the past is being read every page would sum up a day and a week of it in vain. */
const INCOMPLETE_KEPT = 5_000;

/** Number of tasks examined in detail: those that rose most. */
const TASKS = 5;

/** Number of failure groups kept per task. */
const GROUPS = 5;

/** Entries of one minute searched for the first run of a task that ended in it. */
const ENTRIES_OF_MINUTE = 2_000;

/** A day in minutes, plus the partial minutes at both ends. */
const MINUTES_OF_DAY = 1_442;

/** The latest complete figures. They cover full minutes, so they stay valid within a minute. */
const known = new WeakMap<RollupReads, TrendFacts>();

/** The latest incomplete ones, with when they were computed, by `performance.now()`. */
const incomplete = new WeakMap<RollupReads, { facts: TrendFacts; at: number }>();

/**
 * Null if figures over time are switched off. Also looks up which invocations exist, for `knownInventory`: inside `store.read` that is not possible
 * either.
 *
 * @param patience milliseconds.
 */
export async function trendFacts(app: OpenedApp, patience: number): Promise<TrendFacts | null> {
  const [trends] = await Promise.all([figures(app, patience), within(patience, app.inventory().catch(ifUnreachable))]);
  return trends;
}

async function figures(app: OpenedApp, patience: number): Promise<TrendFacts | null> {
  const { rollups } = app;
  if (rollups === null) return null;
  const until = Math.floor(app.now() / MINUTE) * MINUTE;
  const latest = known.get(rollups);
  if (latest?.until === until) return latest;
  const partial = incomplete.get(rollups);
  if (partial?.facts.until === until && performance.now() - partial.at < INCOMPLETE_KEPT) return partial.facts;
  const facts = nothingRead(until);
  const deadline = performance.now() + patience;
  const left = () => Math.max(0, deadline - performance.now());
  const read = readInto(facts, latest, app, rollups, left).then((whole) => {
    if (whole) known.set(rollups, facts);
    else incomplete.set(rollups, { facts, at: performance.now() });
    return facts;
  });
  const found = await within(patience, read.catch(ifUnreachable));
  if (found !== null) return found;
  const age = until - (latest?.until ?? Number.NEGATIVE_INFINITY);
  return latest !== undefined && age > 0 && age <= OLDEST_SHOWN ? latest : { ...facts };
}

export function nothingRead(until: EpochSeconds): TrendFacts {
  const none = { hour: null, hour_before: null, same_hour: null, day: null, week: null };
  const found = { rises: new Map(), slower: [], slower_capped: false, growing_since: null, silence: null };
  return { until, usual_until: until, ...none, quarter: null, quarter_before: null, ...found };
}

type Unread = { -readonly [Name in keyof TrendFacts]: TrendFacts[Name] };

/** Reads the most recent periods first; each one needs everything the previous ones needed. @returns whether everything was read. */
async function readInto(
  facts: Unread,
  latest: TrendFacts | undefined,
  app: OpenedApp,
  rollups: RollupReads,
  left: () => number,
): Promise<boolean> {
  const { until } = facts;
  const hourAgo = until - HOUR;
  const period = async (from: EpochSeconds, to: EpochSeconds): Promise<Period | null> => {
    const { rows, complete } = await rollups.rows({ from, to, patience: left() }, "task");
    return complete ? periodOf(rows) : null;
  };
  facts.hour = await period(hourAgo, until);
  if (facts.hour === null) return false;
  [facts.quarter, facts.quarter_before] = await Promise.all([
    period(until - QUARTER, until),
    period(until - 2 * QUARTER, until - QUARTER),
  ]);
  facts.hour_before = await period(hourAgo - HOUR, hourAgo);
  const age = until - (latest?.usual_until ?? Number.NEGATIVE_INFINITY);
  if (latest !== undefined && age >= 0 && age < USUAL_KEPT) {
    const { usual_until, day, same_hour, week } = latest;
    Object.assign(facts, { usual_until, day, same_hour, week });
  } else {
    if (facts.hour_before !== null) facts.day = await period(hourAgo - DAY, hourAgo);
    if (facts.day !== null) facts.same_hour = await period(hourAgo - DAY, until - DAY);
    if (facts.same_hour !== null) facts.week = await period(hourAgo - WEEK, hourAgo);
  }
  if (facts.day !== null) facts.silence = await silenceOf(app, rollups, until, left);
  facts.rises = await risesOf(facts, rollups, left);
  facts.slower = await slowerOf(facts, app, rollups, left);
  facts.slower_capped = slowerByMedian(facts).length > TASKS;
  if (isGrowing(facts)) facts.growing_since = await growingSince(facts, rollups, left);
  return facts.week !== null;
}

function periodOf(rows: readonly FiguresRow[]): Period {
  return new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, figuresOf(row)]])));
}

function figuresOf({ entered, started, run }: FiguresRow): TaskFigures {
  const { success = 0, failed = 0, retry: retries = 0 } = entered;
  return { finished: success + failed, failed, started, retries, ...flowIn(entered), run };
}

/** How often something was put into the queue, and taken from it. */
function flowIn(entered: Readonly<Record<string, number>>): Pick<TaskFigures, "queued" | "taken"> {
  const times = (...statuses: string[]) => statuses.reduce((sum, status) => sum + (entered[status] ?? 0), 0);
  return {
    queued: times("registered", "rerouted", "retry"),
    taken: times("pending", "concurrency_controlled", "concurrency_controlled_final"),
  };
}

/** Where each period ends that the last hour is compared with, before its own beginning, and how long it is. */
const LENGTHS: Readonly<Record<ComparedPeriod, number>> = { day: DAY, week: WEEK, hour_before: HOUR };

function spanOf({ until, usual_until }: TrendFacts, period: ComparedPeriod): TimeSpan {
  const to = (period === "hour_before" ? until : usual_until) - HOUR;
  return { from: to - LENGTHS[period], to };
}

/** What fails or is retried more often than before, and in what way. */
async function risesOf(
  facts: TrendFacts,
  rollups: RollupReads,
  left: () => number,
): Promise<ReadonlyMap<string, TaskRise>> {
  const byTask = (some: Rise[]) =>
    new Map(
      some
        .sort(byRise)
        .slice(0, TASKS)
        .map((one) => [one.task_id_key, one] as const),
    );
  const [failing, retrying] = [byTask(failingMore(facts)), byTask(retryingMore(facts))];
  const groupsIn = async (span: TimeSpan, task_id_key: string) =>
    (await rollups.failures({ ...span, patience: left() }, 1, { task_id_key })).groups;
  const riseOf = async (task: string, { than }: Rise): Promise<TaskRise> => {
    const [now, before] = [{ from: facts.until - HOUR, to: facts.until }, spanOf(facts, than)];
    const [groups, earlier] = [await groupsIn(now, task), await groupsIn(before, task)];
    const quarters = await quartersUpTo(facts, rollups, left, task);
    const since = async (rise: Rise | undefined, shareIn: (one: Counts) => Share, kind: "failed" | "retries") => {
      if (rise === undefined) return null;
      const onset = (slices: Slices) => onsetOf(slices.map(countsIn).map(shareIn), rise.now, rise.before);
      const minute = await onsetMinute(quarters, onset, facts, rollups, left, task);
      const found = minute === null ? [] : await groupsIn({ from: minute, to: minute + MINUTE }, task);
      return earliest(found.flatMap((group) => (group[kind] > 0 ? (group.first_seen ?? []) : [])));
    };
    return {
      groups: grown(groups, earlier, HOUR / LENGTHS[than]),
      than,
      failing_since: await since(failing.get(task), failedShare, "failed"),
      retrying_since: await since(retrying.get(task), retriedShare, "retries"),
    };
  };
  const tasks = [...new Map([...retrying, ...failing])];
  return new Map(await Promise.all(tasks.map(async ([task, rise]) => [task, await riseOf(task, rise)] as const)));
}

type Slices = FiguresSeries["slices"];
type Counts = Pick<TaskFigures, "finished" | "failed" | "started" | "retries">;

function countsIn({ entered: { success = 0, failed = 0, retry: retries = 0 } }: Slices[number]): Counts {
  return { finished: success + failed, failed, started: success + failed + retries, retries };
}

/**
 * The minute in which something began, by its quarter of an hour and the one before. Null if it did not, or began before the first quarter.
 *
 * @param onset the slice in which it began.
 */
async function onsetMinute(
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
async function quartersUpTo(
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

/** Which tasks run much longer than before, and since when. */
async function slowerOf(
  facts: TrendFacts,
  app: OpenedApp,
  rollups: RollupReads,
  left: () => number,
): Promise<Slower[]> {
  const found = slowerByMedian(facts).slice(0, TASKS);
  const all = await Promise.all(
    found.map(async (one) => {
      const filter = { task_id_key: one.task_id_key };
      const lasted = (span: TimeSpan) => rollups.durations({ ...span, patience: left() }, 1, filter);
      const now = await lasted({ from: facts.until - HOUR, to: facts.until });
      if (!isSlower(one, now, await lasted(spanOf(facts, one.than)), facts.hour?.size ?? 1)) return [];
      return [{ ...one, since: await slowerSince(one, facts, app, rollups, left) }];
    }),
  );
  return all.flat();
}

/** When the first run ended in the minute since which the median is nearer to that of now. */
async function slowerSince(
  one: Slower,
  facts: TrendFacts,
  app: OpenedApp,
  rollups: RollupReads,
  left: () => number,
): Promise<EpochSeconds | null> {
  const { task_id_key } = one;
  const shareIn = ({ run_p50 }: Slices[number]): Share => ({
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
async function growingSince(facts: TrendFacts, rollups: RollupReads, left: () => number): Promise<EpochSeconds | null> {
  const { from, slices } = await quartersUpTo(facts, rollups, left);
  // The last quarter has perhaps just begun.
  const last = slices.slice(0, -1).findLastIndex(({ entered }) => {
    const { queued, taken } = flowIn(entered);
    return queued <= taken;
  });
  return last === -1 ? null : from + (last + 1) * QUARTER;
}

/** Failure groups of now, compared with before, largest growth first. @param ratio of the lengths of the two periods. */
function grown(now: readonly FailureRow[], before: readonly FailureRow[], ratio: number): GroupRise[] {
  const nameOf = ({ type, message }: FailureRow) => JSON.stringify([type, message]);
  const earlier = new Map(before.map((group) => [nameOf(group), group]));
  const sum = ({ failed, retries }: { failed: number; retries: number }) => failed + retries;
  const growth = (group: FailureRow) =>
    sum(group) - sum(earlier.get(nameOf(group)) ?? { failed: 0, retries: 0 }) * ratio;
  const sorted = [...now].sort((a, b) => growth(b) - growth(a));
  return sorted.slice(0, GROUPS).map((group) => ({
    type: group.type,
    message: group.message,
    failed: group.failed,
    retries: group.retries,
    failed_before: earlier.get(nameOf(group))?.failed ?? 0,
    retries_before: earlier.get(nameOf(group))?.retries ?? 0,
    invocation_ids: group.examples.map(({ invocation_id }) => invocation_id),
  }));
}

/** Only checked while the history is quiet: then there is little to add up. */
async function silenceOf(
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
