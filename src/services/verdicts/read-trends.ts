/**
 * Reads figures over time for detectors that need them. Not inside `store.read`, and with a deadline: whatever is not read in time is omitted, and
 * detectors say nothing about it.
 */
import type { EpochSeconds } from "../../pynenc/time.ts";
import { HOUR, MINUTE, type TimeSpan } from "../../rollups/buckets.ts";
import type { FailureRow, FiguresRow, RollupReads } from "../../rollups/reads.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { retryingMore } from "./retries.ts";
import { byRise, failingMore } from "./rises.ts";
import { MIN_SILENCE } from "./silence.ts";
import type { GroupRise, Period, Quarter, Silence, TaskFigures, TaskRise, TrendFacts } from "./trend-facts.ts";

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
  return { until, usual_until: until, ...none, quarter: null, quarter_before: null, rises: new Map(), silence: null };
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
  return facts.week !== null;
}

function periodOf(rows: readonly FiguresRow[]): Period {
  return new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, figuresOf(row)]])));
}

function figuresOf({ entered, started, run }: FiguresRow): TaskFigures {
  const times = (...statuses: string[]) => statuses.reduce((sum, status) => sum + (entered[status] ?? 0), 0);
  return {
    finished: times("success", "failed"),
    failed: times("failed"),
    started,
    retries: times("retry"),
    queued: times("registered", "rerouted", "retry"),
    taken: times("pending", "concurrency_controlled", "concurrency_controlled_final"),
    run,
  };
}

/** What fails or is retried more often than before, and in what way. */
async function risesOf(
  facts: TrendFacts,
  rollups: RollupReads,
  left: () => number,
): Promise<ReadonlyMap<string, TaskRise>> {
  const found = [failingMore(facts), retryingMore(facts)].flatMap((some) => some.sort(byRise).slice(0, TASKS));
  const tasks = [...new Set(found.map(({ task_id_key }) => task_id_key))];
  if (tasks.length === 0) return new Map();
  const [hour, before] = [
    { from: facts.until - HOUR, to: facts.until },
    { from: facts.until - HOUR - DAY, to: facts.until - HOUR },
  ];
  const groupsIn = async (span: TimeSpan, task_id_key: string) =>
    (await rollups.failures({ ...span, patience: left() }, 1, { task_id_key })).groups;
  const quartersOf = async (task_id_key: string): Promise<Quarter[]> => {
    const range = { from: before.from, to: hour.to, patience: left() };
    const { span, slice, slices } = await rollups.series(range, (HOUR + DAY) / QUARTER, { task_id_key });
    return slices.map(({ entered }, at) => {
      const { success = 0, failed = 0, retry = 0 } = entered;
      return { from: span.from + at * slice, finished: success + failed, failed, retries: retry };
    });
  };
  const groups = await Promise.all(
    tasks.map(async (task): Promise<[string, TaskRise]> => {
      const [groups, earlier] = [await groupsIn(hour, task), await groupsIn(before, task)];
      return [task, { groups: grown(groups, earlier), quarters: await quartersOf(task) }];
    }),
  );
  return new Map(groups);
}

/** Failure groups of now, compared with before, largest growth first. */
function grown(now: readonly FailureRow[], before: readonly FailureRow[]): GroupRise[] {
  const nameOf = ({ type, message }: FailureRow) => JSON.stringify([type, message]);
  const earlier = new Map(before.map((group) => [nameOf(group), group]));
  const sum = ({ failed, retries }: { failed: number; retries: number }) => failed + retries;
  // The day before is 24 times as long.
  const growth = (group: FailureRow) =>
    sum(group) - (sum(earlier.get(nameOf(group)) ?? { failed: 0, retries: 0 }) * HOUR) / DAY;
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
