import type { EpochSeconds } from "../../pynenc/time.ts";
import { HOUR, MINUTE, type TimeSpan } from "../../rollups/buckets.ts";
import type { FailureRow, FiguresRow, RollupReads } from "../../rollups/reads.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { earliest } from "./finding.ts";
import { isGrowing } from "./queue-growth.ts";
import { retriedShare, retryingMore } from "./retries.ts";
import { byRise, failedShare, failingMore, type Rise } from "./rises.ts";
import { onsetOf, type Share } from "./shares.ts";
import { isSlower, slowerByMedian } from "./slower-tasks.ts";
import type { ComparedPeriod, GroupRise, Period, Slower, TaskFigures, TaskRise, TrendFacts } from "./trend-facts.ts";
import {
  type Counts,
  countsIn,
  DAY,
  flowIn,
  growingSince,
  onsetMinute,
  QUARTER,
  quartersUpTo,
  type Slices,
  silenceOf,
  slowerSince,
} from "./trend-onsets.ts";

/** Milliseconds a page waits, since it shows more than verdicts. More has been read the next time it is loaded. */
export const PAGE_PATIENCE = 100;

/** Milliseconds a command waits, which reads the history only for this. */
export const COMMAND_PATIENCE = 1_000;

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

/** The latest complete figures. They are used within a minute: what happens in the rest of it is counted in the next. */
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
  // The minute that has begun counts, as in statistics, so that both say the same of the last hour.
  const until = Math.ceil(app.now() / MINUTE) * MINUTE;
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
  if (facts.day !== null) facts.silence = await silenceOf(app, rollups, until - MINUTE, left);
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
