/** The questions a rollup answers. Plain data in and out, so that a thread can answer. */
import { isCoreTask } from "../pynenc/identifiers.ts";
import { type OccupancyGroup, occupancySpan } from "../pynenc/occupancy.ts";
import { FINAL_STATUSES } from "../pynenc/statuses.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { Arrivals, ArrivedOfTask } from "./arrivals.ts";
import type { TimeSpan } from "./buckets.ts";
import type { RunExample } from "./facts.ts";
import { type Figures, figuresBy, figuresOverTime, sliceLength } from "./figures.ts";
import type { FailureGroup, Member } from "./members.ts";
import { type QuantileBins, secondsOfBin } from "./quantile-bins.ts";
import type { Rollup } from "./rollup.ts";
import { ENTERED_WORDS, entering, isEntering, keyOf, memberOf, slotOf } from "./slots.ts";

/** The part of the past that is folded. */
export interface Reach {
  /** Everything since this instant is folded; null while that is not known. */
  since: EpochSeconds | null;
  /** Everything before `until` is folded. */
  whole: boolean;
  /** Entries up to this instant are folded; infinite while new ones are read as they come, null before the first look. */
  until: EpochSeconds | null;
  /** When a purge of the history was noticed: what was counted before it is still counted. */
  purged_at: EpochSeconds | null;
}

/** What an answer is about. */
export interface Answered {
  /** The whole minutes, or beyond two days the whole hours, that hold the requested span. */
  span: TimeSpan;
  reach: Reach;
  /** All of the span is folded. */
  complete: boolean;
}

/** A span to be answered about. */
export interface RequestedSpan extends TimeSpan {
  /** Milliseconds that the answer may wait for what it needs to be read; unless given, as long as suits who answers. */
  patience?: number;
  /** It needs not only the span but the whole history. */
  whole?: boolean;
}

/** Which tasks count; absent is all. */
export interface RowsFilter {
  task_id_key?: string | undefined;
  runner_id?: string | undefined;
}

/** In seconds, within 1 %; quantiles are null where there was none. */
export interface DurationSummary {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
}

/** The figures of one task, runner or other group. */
export interface FiguresRow {
  /** Null for what has no name: tasks of invocations without a definition, and those that came when there were too many. */
  name: string | null;
  /** Entries by the status that they entered. */
  entered: Record<string, number>;
  /** Runs that began. */
  started: number;
  wait: DurationSummary;
  run: DurationSummary;
  paused_seconds: number;
  busy_seconds: number;
}

export interface FiguresSeries {
  /** Length of a slice in seconds. */
  slice: number;
  slices: {
    entered: Record<string, number>;
    /**
     * Invocations in each status at the end of the slice, computed from all entries. Null while older ones are not read, after a purge of the history, and
     * where only some are requested.
     */
    at_end: Record<string, number> | null;
    wait_p95: number | null;
    run_p50: number | null;
    run_p95: number | null;
  }[];
}

/** Status changes over time, by who wrote them or by task. */
export interface ChangeCounts {
  /** Length of a slice in seconds: the requested one, or a longer one. */
  slice: number;
  slices: number;
  /** Changes written up to here are counted. */
  until: EpochSeconds;
  /** Null where there are too many names to count each. */
  rows: { name: string | null; status: string; counts: number[] }[] | null;
}

export interface ChangesRequest {
  /** Length of a slice in seconds, one of `OCCUPANCY_STEPS`: at least a minute. */
  step: number;
  /** The name is that of the task, or the id of the runner that wrote the change. */
  by: "task" | "writer";
  /** Names. */
  most: number;
  /** Only whole minutes, or hours where no minutes are kept, that end by then are counted. */
  settled: EpochSeconds;
}

/** What tasks finished over time: those that finished anything, in the order of the request. */
export interface Trends {
  /** Length of a slice in seconds. */
  slice: number;
  /** By slice. Failed ones finished too. */
  rows: { task_id_key: string; finished: number[]; failed: number[] }[];
}

/** How long runs took over time: counts by slice of time and range of durations. */
export interface DurationMap {
  /** Length of a slice in seconds. */
  slice: number;
  /** Lower bounds of the ranges in seconds, ascending; the last range has no upper bound. */
  bounds: number[];
  /** By slice, then by range. */
  counts: number[][];
}

/** Which tasks are counted; absent members do not restrict. */
export interface OccupancyFilter {
  task_id_key?: string | undefined;
  /** Pynenc's own tasks too. */
  system?: boolean;
}

/** Invocations of one task in one group (occupancy.ts). */
export interface OccupancyRow {
  /** Null for invocations without a definition, and for tasks that are not among those requested by number. */
  task_id_key: string | null;
  group: OccupancyGroup;
  /** In the group right before the first bucket, and on into it. */
  before: number;
  /** By bucket: in the group at any time of it. */
  counts: number[];
}

export interface OccupancyCounts {
  /** Length of a bucket in seconds: the requested one, or a longer one. */
  step: number;
  buckets: number;
  /** Null where it is not known: while a part of the history is not read, and after a purge of it. */
  rows: OccupancyRow[] | null;
}

/** What runners had running over time. */
export interface BusyCounts {
  /** Length of a bucket in seconds: the requested one, or a longer one. */
  step: number;
  /**
   * Of each requested runner, unless there are too many to count each: how many invocations it had running at any time of each bucket. Null
   * where it is not known: while a part of the history is not read, and after a purge of it.
   */
  rows: { runner_id: string; counts: number[] }[] | null;
}

export interface FailureRow extends Omit<FailureGroup, "kind"> {
  failed: number;
  retries: number;
  first_seen: EpochSeconds | null;
  last_seen: EpochSeconds | null;
  /** Failures and retries by slice of the span. */
  trend: number[];
  /** The newest of the span that are known, newest first. */
  examples: RunExample[];
}

/** The methods of a port, so that what answers may be a thread. */
export interface RollupReads {
  /**
   * @param by `total` gives one row without a name.
   * @param groups name of the group by runner id: then there is one row for each group.
   */
  rows(
    span: RequestedSpan,
    by: "total" | "task" | "runner",
    filter?: RowsFilter,
    groups?: Readonly<Record<string, string>>,
  ): Promise<Answered & { rows: FiguresRow[] }>;
  /** @param most slices; so of the other methods. */
  series(span: RequestedSpan, most: number, filter?: RowsFilter): Promise<Answered & FiguresSeries>;
  /** @param tasks those to count. */
  trends(span: RequestedSpan, most: number, tasks: readonly string[]): Promise<Answered & Trends>;
  durations(span: RequestedSpan, most: number, filter?: RowsFilter): Promise<Answered & DurationMap>;
  /** All status changes. The span of the answer is that of its slices, which begin at multiples of their length. */
  changes(span: RequestedSpan, requested: ChangesRequest): Promise<Answered & ChangeCounts>;
  /**
   * How many invocations were registered, pending or running: in each bucket that touches the span, each once in a group. The span of the answer is
   * that of its buckets.
   *
   * @param step one of `OCCUPANCY_STEPS`, at least a minute.
   * @param most tasks that have rows of their own: those with the most. The others have rows together.
   */
  occupancy(
    span: RequestedSpan,
    step: number,
    most: number,
    filter?: OccupancyFilter,
  ): Promise<Answered & OccupancyCounts>;
  /**
   * As `occupancy`, by runner, of what runs.
   *
   * @param runners ids of those to count.
   */
  busy(span: RequestedSpan, step: number, runners: readonly string[]): Promise<Answered & BusyCounts>;
  failures(
    span: RequestedSpan,
    most: number,
    filter?: RowsFilter,
  ): Promise<Answered & { slice: number; groups: FailureRow[] }>;
  /**
   * Successes of tasks at about some time, drawn at random, in the order of the request.
   *
   * @param most of each.
   */
  successes(
    span: TimeSpan,
    wanted: readonly (TimeSpan & { task_id_key: string })[],
    most: number,
  ): Promise<Answered & { examples: RunExample[][] }>;
  /** What has arrived since the history began to be followed, whatever the span. */
  arrived(requested: RequestedSpan): Promise<Answered & { tasks: readonly ArrivedOfTask[] }>;
}

const FAILED = entering("failed");
const RETRIED = entering("retry");
const FINAL: ReadonlySet<number> = new Set(FINAL_STATUSES.map(entering));

const QUANTILES = [0.5, 0.95, 0.99, 1];

/** Ranges of durations in a map: each is about a fifth longer than the one before. */
const BINS_IN_RANGE = 10;

/** The same, answered at once. */
export type RollupAnswers = {
  [Name in keyof RollupReads]: (...args: Parameters<RollupReads[Name]>) => Awaited<ReturnType<RollupReads[Name]>>;
};

/** What a history is folded into. */
export interface Folded {
  rollup: Rollup;
  arrivals: Arrivals;
  /** The present time, included in every answer. */
  reach: Reach;
}

export function rollupAnswers({ rollup, arrivals, reach }: Folded): RollupAnswers {
  const answered = (span: TimeSpan): Answered => {
    const begins = reach.whole || (reach.since !== null && reach.since <= span.from);
    return { span, reach, complete: begins && reach.until !== null && reach.until >= span.to };
  };
  const occupancyKnown = () => reach.whole && reach.purged_at === null && rollup.occupancy.exact;
  return {
    rows(requested, by, filter = {}, groups) {
      const span = rollup.buckets.aligned(requested);
      const kind = by === "runner" ? "runner" : kindOf(filter);
      const rows = figuresBy(rollup, span, (member): string | null | undefined => {
        if (member.kind === "failure" || !isOf(member, kind, filter)) return undefined;
        if (by === "total" || member.name === null) return null;
        return groups === undefined ? member.name : (groups[member.name] ?? null);
      });
      return { ...answered(span), rows: [...rows].map(([name, figures]) => figuresRow(name, figures)) };
    },

    series(requested, most, filter = {}) {
      const span = rollup.buckets.aligned(requested);
      const slice = sliceLength(rollup, span, most);
      const over = figuresOverTime(rollup, span, slice, (member) => isOf(member, kindOf(filter), filter));
      const all = filter.runner_id === undefined && filter.task_id_key === undefined;
      const known = all && reach.whole && reach.purged_at === null;
      const ends = known ? countsAtEnds(rollup, span, slice) : null;
      return {
        ...answered(span),
        slice,
        slices: over.map((figures, i) => {
          const [wait_p95 = null] = figures.wait.quantiles([0.95]);
          const [run_p50 = null, run_p95 = null] = figures.run.quantiles([0.5, 0.95]);
          return { entered: figures.byStatus, at_end: ends?.[i] ?? null, wait_p95, run_p50, run_p95 };
        }),
      };
    },

    trends(requested, most, tasks) {
      const span = rollup.buckets.aligned(requested);
      const slice = sliceLength(rollup, span, most);
      const zeros = () => Array.from({ length: Math.ceil((span.to - span.from) / slice) }, () => 0);
      const wanted: ReadonlySet<string | null> = new Set(tasks);
      const found = new Map<string, Trends["rows"][number]>();
      rollup.buckets.forEach(span, (at, number, slot, count) => {
        if (!FINAL.has(slot)) return;
        const member = rollup.members.at(number);
        if (member?.kind !== "task" || member.name === null || !wanted.has(member.name)) return;
        const row = found.get(member.name) ?? { task_id_key: member.name, finished: zeros(), failed: zeros() };
        found.set(member.name, row);
        const place = Math.floor((at - span.from) / slice);
        row.finished[place] = (row.finished[place] ?? 0) + count;
        if (slot === FAILED) row.failed[place] = (row.failed[place] ?? 0) + count;
      });
      return { ...answered(span), slice, rows: tasks.flatMap((task) => found.get(task) ?? []) };
    },

    durations(requested, most, filter = {}) {
      const span = rollup.buckets.aligned(requested);
      const slice = sliceLength(rollup, span, most);
      const over = figuresOverTime(rollup, span, slice, (member) => isOf(member, kindOf(filter), filter));
      const filled = over.map((figures) => figures.run.filled());
      const rangeOf = (bins: (typeof filled)[number], at: number) =>
        Math.floor((bins.at(at)?.bin ?? 0) / BINS_IN_RANGE);
      const some = filled.filter((bins) => bins.length > 0);
      const first = some.length === 0 ? 0 : Math.min(...some.map((bins) => rangeOf(bins, 0)));
      const last = some.length === 0 ? -1 : Math.max(...some.map((bins) => rangeOf(bins, -1)));
      const bounds = Array.from({ length: last - first + 1 }, (_, i) => secondsOfBin((first + i) * BINS_IN_RANGE));
      const counts = filled.map((bins) => {
        const row = bounds.map(() => 0);
        for (const { bin, count } of bins) {
          const at = Math.floor(bin / BINS_IN_RANGE) - first;
          row[at] = (row[at] ?? 0) + count;
        }
        return row;
      });
      return { ...answered(span), slice, bounds, counts };
    },

    changes(requested, { step: wanted, by, most, settled }) {
      const { buckets, members } = rollup;
      // A bucket that is longer than a slice cannot be divided.
      const step = Math.max(wanted, buckets.longestIn(occupancySpan(requested, wanted)));
      const { from, to, buckets: slices } = occupancySpan(requested, step);
      const until = Math.max(from, to <= settled ? to : buckets.beginning(settled));
      const found = new Map<number, number[]>();
      buckets.forEach({ from, to: until }, (at, number, slot, count) => {
        if (!isEntering(slot) || members.at(number)?.kind !== by) return;
        const key = keyOf(number, slot);
        let counts = found.get(key);
        if (counts === undefined) {
          counts = new Array<number>(slices).fill(0);
          found.set(key, counts);
        }
        const place = Math.floor((at - from) / step);
        counts[place] = (counts[place] ?? 0) + count;
      });
      const distinct = members.tellsApart(by) && new Set([...found.keys()].map(memberOf)).size <= most;
      const rows = [...found].map(([key, counts]) => {
        const member = members.at(memberOf(key));
        const name = member?.kind === by ? member.name : null;
        return { name, status: ENTERED_WORDS[slotOf(key)] ?? "other", counts };
      });
      return {
        ...answered({ from, to: until }),
        span: { from, to },
        slice: step,
        slices,
        until,
        rows: distinct ? rows : null,
      };
    },

    occupancy(requested, wanted, most, { task_id_key, system = true } = {}) {
      const { occupancy } = rollup;
      const step = occupancy.stepFor(occupancySpan(requested, wanted).from, wanted);
      const { from, to, buckets } = occupancySpan(requested, step);
      const span = { from, to };
      const isTask = (number: number) => rollup.members.at(number)?.kind === "task";
      const rows = occupancyKnown() ? occupancy.over(span, step, isTask) : null;
      const named = rows?.flatMap(({ member: number, ...row }): OccupancyRow[] => {
        const member = rollup.members.at(number);
        const name = member?.kind === "task" ? member.name : null;
        if (task_id_key !== undefined && name !== task_id_key) return [];
        return !system && name !== null && isCoreTask(name) ? [] : [{ task_id_key: name, ...row }];
      });
      return { ...answered(span), step, buckets, rows: named === undefined ? null : together(named, most) };
    },

    busy(requested, wanted, runners) {
      const { members, occupancy } = rollup;
      const step = occupancy.stepFor(occupancySpan(requested, wanted).from, wanted);
      const { from, to, buckets } = occupancySpan(requested, step);
      const span = { from, to };
      const numbers = new Map(runners.map((name) => [name, members.known({ kind: "runner", name })]));
      const some = new Set(numbers.values());
      const found = occupancyKnown() ? occupancy.over(span, step, (number) => some.has(number)) : null;
      const countsOf = new Map(found?.map(({ member, counts }) => [member, counts]));
      const rows = [...numbers].flatMap(([runner_id, number]) => {
        if (number === undefined && !members.tellsApart("runner")) return [];
        return [{ runner_id, counts: countsOf.get(number ?? -1) ?? new Array<number>(buckets).fill(0) }];
      });
      return { ...answered(span), step, rows: found === null ? null : rows };
    },

    failures(requested, most, filter = {}) {
      const span = rollup.buckets.aligned(requested);
      const slice = sliceLength(rollup, span, most);
      const length = Math.ceil((span.to - span.from) / slice);
      const trends = new Map<number, number[]>();
      const groups = figuresBy(rollup, span, (member, number) =>
        isOf(member, "failure", filter) ? number : undefined,
      );
      rollup.buckets.forEach(span, (at, member, slot, number) => {
        if (!groups.has(member) || (slot !== FAILED && slot !== RETRIED)) return;
        const trend = trends.get(member) ?? Array.from({ length }, () => 0);
        const place = Math.floor((at - span.from) / slice);
        trend[place] = (trend[place] ?? 0) + number;
        trends.set(member, trend);
      });
      return {
        ...answered(span),
        slice,
        groups: [...groups].flatMap(([number, figures]) => {
          const member = rollup.members.at(number);
          if (member?.kind !== "failure") return [];
          const { task_id_key, type, message } = member;
          const [failed, retries] = [figures.entered("failed"), figures.entered("retry")];
          const { firstSeen: first_seen, lastSeen: last_seen } = figures;
          const examples = rollup.examplesOf(number).filter(({ at }) => at >= span.from && at < span.to);
          const trend = trends.get(number) ?? [];
          return [{ task_id_key, type, message, failed, retries, first_seen, last_seen, trend, examples }];
        }),
      };
    },

    successes(requested, wanted, most) {
      const span = rollup.buckets.aligned(requested);
      const examples = wanted.map(({ task_id_key, from, to }) => rollup.successesOf(task_id_key, { from, to }, most));
      return { ...answered(span), examples };
    },

    arrived(requested) {
      return { ...answered(rollup.buckets.aligned(requested)), tasks: arrivals.tasks };
    },
  };
}

/** The tasks that were most often in a group, and the others as one without a name. */
function together(rows: readonly OccupancyRow[], most: number): OccupancyRow[] {
  const sizes = new Map<string, number>();
  for (const { task_id_key, counts } of rows) {
    if (task_id_key === null) continue;
    sizes.set(
      task_id_key,
      counts.reduce((sum, count) => sum + count, sizes.get(task_id_key) ?? 0),
    );
  }
  const largest = [...sizes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, most);
  const named = new Set(largest.map(([task]) => task));
  const rest = new Map<OccupancyGroup, OccupancyRow>();
  const own: OccupancyRow[] = [];
  for (const row of rows) {
    if (row.task_id_key !== null && named.has(row.task_id_key)) {
      own.push(row);
      continue;
    }
    const sum = rest.get(row.group) ?? {
      task_id_key: null,
      group: row.group,
      before: 0,
      counts: row.counts.map(() => 0),
    };
    rest.set(row.group, sum);
    sum.before += row.before;
    row.counts.forEach((count, n) => {
      sum.counts[n] = (sum.counts[n] ?? 0) + count;
    });
  }
  return [...own, ...rest.values()];
}

/** Backwards from now: what a status has now, less what changed since. */
function countsAtEnds(rollup: Rollup, span: TimeSpan, slice: number): Record<string, number>[] {
  const changesOf = (figures: Figures | undefined) => Object.entries(figures?.changes ?? {});
  const counted = (member: Member) => member.kind === "task" || member.kind === "all";
  const counts = new Map(ENTERED_WORDS.map((status) => [status, rollup.inStatus(status)]));
  const undo = (figures: Figures | undefined) => {
    for (const [status, change] of changesOf(figures)) counts.set(status, (counts.get(status) ?? 0) - change);
  };
  const later = { from: span.to, to: Number.POSITIVE_INFINITY };
  undo(figuresBy(rollup, later, (member) => (counted(member) ? "all" : undefined)).get("all"));
  const slices = figuresOverTime(rollup, span, slice, counted);
  const ends: Record<string, number>[] = [];
  for (const figures of slices.reverse()) {
    ends.unshift(Object.fromEntries(counts));
    undo(figures);
  }
  return ends;
}

/** Figures of one runner are counted apart from those of tasks. */
function kindOf({ runner_id }: RowsFilter): "task" | "runner" {
  return runner_id === undefined ? "task" : "runner";
}

function isOf(member: Member, kind: Member["kind"], { task_id_key, runner_id }: RowsFilter): boolean {
  if (member.kind !== kind) return false;
  if (member.kind === "failure") return task_id_key === undefined || member.task_id_key === task_id_key;
  if (member.kind === "task") return task_id_key === undefined || member.name === task_id_key;
  return runner_id === undefined || member.name === runner_id;
}

function figuresRow(name: string | null, figures: Figures): FiguresRow {
  return {
    name,
    entered: figures.byStatus,
    started: figures.started,
    wait: summary(figures.wait),
    run: summary(figures.run),
    paused_seconds: figures.pausedSeconds,
    busy_seconds: figures.busySeconds,
  };
}

function summary(bins: QuantileBins): DurationSummary {
  const [p50 = null, p95 = null, p99 = null, max = null] = bins.quantiles(QUANTILES);
  return { count: bins.total, p50, p95, p99, max };
}
