/** The queries a rollup answers. Plain data in and out, so that they can be answered from another thread. */
import { isCoreTask } from "../pynenc/identifiers.ts";
import { type OccupancyGroup, occupancySpan } from "../pynenc/occupancy.ts";
import { FINAL_STATUSES, waitingAmong } from "../pynenc/statuses.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { Arrivals, ArrivedOfTask } from "./arrivals.ts";
import type { TimeSpan } from "./buckets.ts";
import type { RunExample } from "./facts.ts";
import { byMember, type Figures, figuresBy, figuresOverTime, sliceLength } from "./figures.ts";
import type { FailureGroup, Member } from "./members.ts";
import { type QuantileBins, secondsOfBin } from "./quantile-bins.ts";
import { type FailuresEver, NEVER, type Rollup } from "./rollup.ts";
import { ENTERED_WORDS, entering, isEntering } from "./slots.ts";

/** Which part of the history has been folded in. */
export interface Reach {
  /** Everything from this instant on is folded in and matches the stored rows; null if that is not known yet. */
  since: EpochSeconds | null;
  /** Everything before `until` is folded in. */
  whole: boolean;
  /** Entries up to this instant are folded in; infinite while new ones are read as they arrive, null before the first read. */
  until: EpochSeconds | null;
  /** When a purge of the history was noticed. Counts from before the purge are kept. */
  purged_at: EpochSeconds | null;
  /** Counts from before `since` are from an earlier run of the monitor, and have not been compared with the history yet. */
  checking: boolean;
}

/** What an answer covers. */
export interface Answered {
  /** The requested span, extended to whole minutes, or to whole hours for times older than two days. */
  span: TimeSpan;
  reach: Reach;
  /** The whole span has been folded in. */
  complete: boolean;
}

/** The requested span. */
export interface RequestedSpan extends TimeSpan {
  /** How many milliseconds the answer may wait for reads it needs; by default the answering side decides. */
  patience?: number;
  /** The answer needs the whole history, not only the span. */
  whole?: boolean;
}

/** Which tasks or runners to count; all if absent. */
export interface RowsFilter {
  task_id_key?: string | undefined;
  runner_id?: string | undefined;
}

/** In seconds: quantiles within 1 %, the maximum exact. Null if there were no durations. */
export interface DurationSummary {
  count: number;
  p50_seconds: number | null;
  p95_seconds: number | null;
  p99_seconds: number | null;
  max_seconds: number | null;
}

/** Figures of one task, runner or other group. */
export interface FiguresRow {
  /** Null for figures without a name: invocations without a definition, and tasks that arrived after the limit was reached. */
  name: string | null;
  /** Entries by the status they entered. */
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
     * Invocations in each status at the end of the slice, according to all entries. Null until older entries are read, after a purge of the history,
     * and if a filter applies.
     */
    at_end: Record<string, number> | null;
    wait_p95_seconds: number | null;
    run_p50_seconds: number | null;
    run_p95_seconds: number | null;
  }[];
}

/** Status changes over time, by who wrote them or by task. */
export interface ChangeCounts {
  /** Length of a slice in seconds: the requested one, or a longer one. */
  slice: number;
  slices: number;
  /** Changes written before this instant are counted. */
  until: EpochSeconds;
  /** Null if there are too many names to count each of them. */
  rows: { name: string | null; status: string; counts: number[] }[] | null;
}

export interface ChangesRequest {
  /** Requested length of a slice in seconds, one of `OCCUPANCY_STEPS`, at least a minute. */
  step: number;
  /** The name is the task, or the id of the runner that wrote the change. */
  by: "task" | "writer";
  /** Maximum number of names. */
  most: number;
  /** Only complete minutes (or hours, where minutes are not kept) that end by then are counted. */
  settled: EpochSeconds;
}

/** What tasks finished over time, in the order of the requested tasks. Tasks that finished nothing are left out. */
export interface Trends {
  /** Length of a slice in seconds. */
  slice: number;
  /** By slice. `finished` includes failures. */
  rows: { task_id_key: string; finished: number[]; failed: number[] }[];
}

/** Run times over time: counts by time slice and duration range. */
export interface DurationMap {
  /** Length of a slice in seconds. */
  slice: number;
  /** Lower bounds of the ranges in seconds, ascending. */
  bounds: number[];
  /** Upper bound of the last range. */
  end: number;
  /** By slice, then by range. */
  counts: number[][];
}

/** Which tasks to count; absent members do not restrict. */
export interface OccupancyFilter {
  task_id_key?: string | undefined;
  /** Include pynenc's own tasks. */
  system?: boolean;
}

/** Invocations of one task in one group (occupancy.ts). */
export interface OccupancyRow {
  /** Null for invocations without a definition, and for tasks beyond the requested number. */
  task_id_key: string | null;
  group: OccupancyGroup;
  /** In the group just before the first bucket and still in it when that began. */
  before: number;
  /** By bucket: in the group at any time during it. */
  counts: number[];
}

export interface OccupancyCounts {
  /** Length of a bucket in seconds: the requested one, or a longer one. */
  step: number;
  buckets: number;
  /** Null if not known: while part of the history is unread, and after a purge. */
  rows: OccupancyRow[] | null;
  /** Invocations that waited for a runner when the first bucket began, and at the end of each. Null if that is not known, and of a single task. */
  waiting: number[] | null;
}

/** What runners had running over time. */
export interface BusyCounts {
  /** Length of a bucket in seconds: the requested one, or a longer one. */
  step: number;
  /**
   * For each requested runner, how many invocations it had running at any time during each bucket. Null if not known: while part of the history is
   * unread, and after a purge. Runners are missing if there are too many to count each of them.
   */
  rows: { runner_id: string; counts: number[] }[] | null;
}

export interface FailureRow extends Omit<FailureGroup, "kind"> {
  failed: number;
  retries: number;
  first_seen: EpochSeconds | null;
  last_seen: EpochSeconds | null;
  /** Over all that was folded in, not only the span. */
  ever: FailuresEver;
  /** Failures and retries by slice of the span. */
  trend: number[];
  /** The newest known failures of the span, newest first. */
  examples: RunExample[];
}

/** Methods of a port: asynchronous, so that a thread can answer. */
export interface RollupReads {
  /**
   * @param by `total` gives a single row without a name.
   * @param groups name of a group by runner id. If given, there is one row per group.
   */
  rows(
    span: RequestedSpan,
    by: "total" | "task" | "runner",
    filter?: RowsFilter,
    groups?: Readonly<Record<string, string>>,
  ): Promise<Answered & { rows: FiguresRow[] }>;
  /** @param most maximum number of slices, also in the other methods. */
  series(span: RequestedSpan, most: number, filter?: RowsFilter): Promise<Answered & FiguresSeries>;
  trends(span: RequestedSpan, most: number, tasks: readonly string[]): Promise<Answered & Trends>;
  durations(span: RequestedSpan, most: number, filter?: RowsFilter): Promise<Answered & DurationMap>;
  /** All status changes. The span of the answer is extended to slices that begin at multiples of their length. */
  changes(span: RequestedSpan, requested: ChangesRequest): Promise<Answered & ChangeCounts>;
  /**
   * How many invocations were registered, pending or running in each bucket that overlaps the span. An invocation counts once per group and bucket.
   * The span of the answer is that of its buckets.
   *
   * @param step one of `OCCUPANCY_STEPS`, at least a minute.
   * @param most number of tasks with rows of their own: the largest. All others share rows.
   */
  occupancy(
    span: RequestedSpan,
    step: number,
    most: number,
    filter?: OccupancyFilter,
  ): Promise<Answered & OccupancyCounts>;
  /**
   * Like `occupancy`, but by runner and only for `running`.
   *
   * @param runners requested ids.
   */
  busy(span: RequestedSpan, step: number, runners: readonly string[]): Promise<Answered & BusyCounts>;
  /** @param absent also groups without failures in the span, with zeros. */
  failures(
    span: RequestedSpan,
    most: number,
    filter?: RowsFilter,
    absent?: boolean,
  ): Promise<Answered & { slice: number; groups: FailureRow[] }>;
  /**
   * A random sample of successes for each requested task and time span, in the order requested.
   *
   * @param most maximum number per request.
   */
  successes(
    span: TimeSpan,
    wanted: readonly (TimeSpan & { task_id_key: string })[],
    most: number,
  ): Promise<Answered & { examples: RunExample[][] }>;
  /** Everything that has arrived since monitoring began, whatever the span. */
  arrived(requested: RequestedSpan): Promise<Answered & { tasks: readonly ArrivedOfTask[] }>;
}

const FAILED = entering("failed");
const RETRIED = entering("retry");
const FINAL: ReadonlySet<number> = new Set(FINAL_STATUSES.map(entering));

const QUANTILES = [0.5, 0.95, 0.99];

/** Each duration range of the map is about a fifth longer than the previous one. */
const BINS_IN_RANGE = 10;

/** The same queries, answered synchronously. */
export type RollupAnswers = {
  [Name in keyof RollupReads]: (...args: Parameters<RollupReads[Name]>) => Awaited<ReturnType<RollupReads[Name]>>;
};

/** The result of folding a history. */
export interface Folded {
  rollup: Rollup;
  arrivals: Arrivals;
  /** The current reach, part of every answer. */
  reach: Reach;
  /** Everything of a span is folded in and matches the stored rows, whatever is before it. */
  covers(span: TimeSpan): boolean;
}

export function rollupAnswers(folded: Folded): RollupAnswers {
  const { rollup, arrivals, reach } = folded;
  const answered = (span: TimeSpan): Answered => {
    return { span, reach, complete: folded.covers(span) && reach.until !== null && reach.until >= span.to };
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
          const [wait_p95_seconds = null] = figures.wait.quantiles([0.95]);
          const [run_p50_seconds = null, run_p95_seconds = null] = figures.run.quantiles([0.5, 0.95]);
          return {
            entered: figures.byStatus,
            at_end: ends?.[i + 1] ?? null,
            wait_p95_seconds,
            run_p50_seconds,
            run_p95_seconds,
          };
        }),
      };
    },

    trends(requested, most, tasks) {
      const span = rollup.buckets.aligned(requested);
      const slice = sliceLength(rollup, span, most);
      const zeros = () => Array.from({ length: Math.ceil((span.to - span.from) / slice) }, () => 0);
      const wanted: ReadonlySet<string | null> = new Set(tasks);
      const found = new Map<string, Trends["rows"][number]>();
      rollup.buckets.forEach(
        span,
        (at, number, slot, count) => {
          if (!FINAL.has(slot)) return;
          const member = rollup.members.at(number);
          if (member?.kind !== "task" || member.name === null || !wanted.has(member.name)) return;
          const row = found.get(member.name) ?? { task_id_key: member.name, finished: zeros(), failed: zeros() };
          found.set(member.name, row);
          const index = Math.floor((at - span.from) / slice);
          row.finished[index] = (row.finished[index] ?? 0) + count;
          if (slot === FAILED) row.failed[index] = (row.failed[index] ?? 0) + count;
        },
        { from: span.from, length: slice },
      );
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
      return { ...answered(span), slice, bounds, end: secondsOfBin((last + 1) * BINS_IN_RANGE), counts };
    },

    changes(requested, { step: wanted, by, most, settled }) {
      const { buckets, members } = rollup;
      // A bucket longer than a slice cannot be divided.
      const step = Math.max(wanted, buckets.longestIn(occupancySpan(requested, wanted)));
      const { from, to, buckets: slices } = occupancySpan(requested, step);
      const until = Math.max(from, to <= settled ? to : buckets.beginning(settled));
      const found: { name: string | null; bySlot: Map<number, number[]> }[] = [];
      const countsOf = byMember(rollup, (member) => {
        if (member.kind === "failure" || member.kind !== by) return null;
        const bySlot = new Map<number, number[]>();
        found.push({ name: member.name, bySlot });
        return bySlot;
      });
      buckets.forEach(
        { from, to: until },
        (at, number, slot, count) => {
          const bySlot = isEntering(slot) ? countsOf(number) : null;
          if (bySlot === null) return;
          let counts = bySlot.get(slot);
          if (counts === undefined) {
            counts = new Array<number>(slices).fill(0);
            bySlot.set(slot, counts);
          }
          const index = Math.floor((at - from) / step);
          counts[index] = (counts[index] ?? 0) + count;
        },
        { from, length: step },
      );
      const distinct = members.countsEachByName(by) && found.length <= most;
      const rows = found.flatMap(({ name, bySlot }) =>
        [...bySlot].map(([slot, counts]) => ({ name, status: ENTERED_WORDS[slot] ?? "other", counts })),
      );
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
      // Neither is counted in more buckets than a chart has.
      const waiting =
        task_id_key === undefined && rows !== null ? countsAtEnds(rollup, span, step).map(waitingAmong) : null;
      return { ...answered(span), step, buckets, rows: named === undefined ? null : withLargest(named, most), waiting };
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
        if (number === undefined && !members.countsEachByName("runner")) return [];
        return [{ runner_id, counts: countsOf.get(number ?? -1) ?? new Array<number>(buckets).fill(0) }];
      });
      return { ...answered(span), step, rows: found === null ? null : rows };
    },

    failures(requested, most, filter = {}, absent = false) {
      const span = rollup.buckets.aligned(requested);
      const slice = sliceLength(rollup, span, most);
      const length = Math.ceil((span.to - span.from) / slice);
      const trends = new Map<number, number[]>();
      const allEver = rollup.failuresEver();
      const groups = figuresBy(rollup, span, (member, number) =>
        isOf(member, "failure", filter) ? number : undefined,
      );
      rollup.buckets.forEach(
        span,
        (at, member, slot, number) => {
          if (!groups.has(member) || (slot !== FAILED && slot !== RETRIED)) return;
          const trend = trends.get(member) ?? Array.from({ length }, () => 0);
          const index = Math.floor((at - span.from) / slice);
          trend[index] = (trend[index] ?? 0) + number;
          trends.set(member, trend);
        },
        { from: span.from, length: slice },
      );
      return {
        ...answered(span),
        slice,
        groups: [...new Set([...groups.keys(), ...(absent ? allEver.keys() : [])])].flatMap((number) => {
          const member = rollup.members.at(number);
          if (member?.kind !== "failure" || !isOf(member, "failure", filter)) return [];
          const { task_id_key, type, message } = member;
          const figures = groups.get(number);
          const [failed, retries] = [figures?.entered("failed") ?? 0, figures?.entered("retry") ?? 0];
          const { firstSeen: first_seen = null, lastSeen: last_seen = null } = figures ?? {};
          const examples = rollup.examplesOf(number).filter(({ at }) => at >= span.from && at < span.to);
          const trend = trends.get(number) ?? [];
          const ever = allEver.get(number) ?? NEVER;
          return [{ task_id_key, type, message, failed, retries, first_seen, last_seen, ever, trend, examples }];
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

/** Keeps the tasks with the highest counts and combines all others into one row without a name. */
function withLargest(rows: readonly OccupancyRow[], most: number): OccupancyRow[] {
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

/** By status when the first slice begins, and at the end of each. Computed backwards from now: the current count, minus all later changes. */
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
  const ends = [Object.fromEntries(counts)];
  for (const figures of slices.reverse()) {
    undo(figures);
    ends.push(Object.fromEntries(counts));
  }
  return ends.reverse();
}

/** Figures of runners are counted separately from those of tasks. */
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
  const [p50 = null, p95 = null, p99 = null] = bins.quantiles(QUANTILES);
  return { count: bins.total, p50_seconds: p50, p95_seconds: p95, p99_seconds: p99, max_seconds: bins.longest };
}
