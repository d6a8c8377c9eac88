/**
 * How many invocations were registered, pending or running in each slice of a window: from the histories of the window where they are followed, otherwise
 * from the figures over time.
 */
import type { Timeline, TimelineOccupancy } from "../../api/timeline.ts";
import {
  bucketOf,
  lastBucket,
  micros,
  OCCUPANCY_GROUPS,
  type OccupancyGroup,
  occupancyGroup,
  occupancySpan,
  occupancyStep,
  type Presence,
  presences,
} from "../../pynenc/occupancy.ts";
import { WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch } from "../../pynenc/time.ts";
import type { OccupancyRow } from "../../rollups/reads.ts";
import type { TrackedInvocation } from "../../timeline/histories.ts";
import type { HistoryWindow } from "../../timeline/model.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import type { TimeWindow } from "../model/timeline-window.ts";

export interface OccupancyOptions {
  categories: readonly string[];
  /** Pynenc's own tasks too. */
  show_system: boolean;
}

export const MINUTE = 60;

/** Seconds after which what was written has been read by what counts over time. */
export const SETTLED = 15;
/** Tasks that have a layer of their own. */
const TOP_TASKS = 8;
/** Milliseconds that a page waits for the history to be read: a later refresh has the counts. */
export const PATIENCE = 200;

/**
 * The occupancy of a window that holds too many changes to be followed, in slices of a minute or more. Null if it is not known. Not inside `store.read`.
 *
 * @throws StoreUnreachableError
 */
export async function occupancyIn(
  app: OpenedApp,
  { start, end }: TimeWindow,
  options: OccupancyOptions,
): Promise<TimelineOccupancy | null> {
  const step = Math.max(MINUTE, occupancyStep(end - start));
  const window = { from: start, to: Math.min(end, app.now()) };
  if (window.to <= window.from) return occupancyOf([], { from: start, step, slices: 0 }, options.categories);
  return byMinutes(app, window, step, options);
}

/** A window has an overview where all that is stored is at least so many times as long. */
const LONGER = 4;
/** Its columns are as long as those of a window so many times as long: it is low, and costs little. */
const COARSER = 4;
/** Fewer columns of a minute would say nothing. */
const FEWEST_MINUTES = 20;

/**
 * The occupancy by all invocations of everything that is stored, around a window that is a small part of it. Null where the window is not, and where the
 * figures over time do not have it: nothing else is read for it.
 */
export async function overviewOf(
  app: OpenedApp,
  { start, end, data_span }: Pick<Timeline, "start" | "end" | "data_span">,
  options: OccupancyOptions,
): Promise<TimelineOccupancy | null> {
  const instants = [start, end, data_span?.first, data_span?.last].map((iso) => epochFromIso(iso ?? ""));
  const [from, to, first, last] = instants.map((at) => at ?? Number.NaN) as [number, number, number, number];
  const whole = { from: first, to: Math.min(last, app.now()) };
  const length = whole.to - whole.from;
  if (!(length >= Math.max(LONGER * (to - from), FEWEST_MINUTES * MINUTE))) return null;
  return byMinutes(app, whole, Math.max(MINUTE, occupancyStep(length * COARSER)), options);
}

async function byMinutes(
  app: OpenedApp,
  window: { from: EpochSeconds; to: EpochSeconds },
  wanted: number,
  { categories, show_system: system }: OccupancyOptions,
): Promise<TimelineOccupancy | null> {
  const answer = await app.rollups
    ?.occupancy({ ...window, patience: PATIENCE, whole: true }, wanted, TOP_TASKS, { system })
    .catch(ifUnreachable);
  if (answer == null || answer.rows === null) return null;
  const { span, step, buckets, rows, reach, waiting } = answer;
  // What was read last may be older than the window.
  const counted = occupancyOf(rows, { from: span.from, step, slices: buckets }, categories);
  const slices = { ...counted, waiting: waiting?.slice(1) ?? null };
  const until = Math.min(window.to, reach.until ?? Number.NEGATIVE_INFINITY);
  return until >= window.to ? slices : knownUntil(slices, Math.max(0, Math.floor((until - span.from) / step)));
}

/** The slices from this one on are not known. */
function knownUntil(occupancy: TimelineOccupancy, slice: number): TimelineOccupancy {
  const cut = <Counts extends (number | null)[]>(counts: Counts) => counts.map((n, i) => (i < slice ? n : null));
  return {
    ...occupancy,
    totals: cut(occupancy.totals),
    waiting: occupancy.waiting && cut(occupancy.waiting),
    groups: occupancy.groups.map((row) => ({ ...row, counts: cut(row.counts) })),
    tasks: occupancy.tasks.map((row) => ({ ...row, counts: cut(row.counts) })),
  };
}

/** Those that changed nothing in a window. */
export interface Unchanged {
  /** How many were in each group; null where that is not known. */
  groups: Partial<Record<OccupancyGroup, number>> | null;
  /** How many were in the queue, or why that is not known. */
  waiting: number | string;
}

/** Why the queue of a window is not known. */
export const QUEUE_OF_ALL = "The queue is that of all tasks, and some are left out here";
const QUEUE_BY_MINUTES = "What waited all through a window is known by the minute, and this window holds no whole one";
const QUEUE_UNREAD = "What waited all through this window is not known by the minute: not yet, or no longer";

/** Of all at the last whole minute of a window, those that are not among the tracked. */
export async function unchangedIn(
  app: OpenedApp,
  tracked: readonly TrackedInvocation[],
  { start, end, now }: HistoryWindow,
  system: boolean,
): Promise<Unchanged> {
  const minute = Math.floor(Math.min(end, now, app.now() - SETTLED) / MINUTE) * MINUTE;
  const span = { from: minute, to: minute + MINUTE, patience: PATIENCE, whole: true };
  const answer =
    minute < start ? null : await app.rollups?.occupancy(span, MINUTE, TOP_TASKS, { system }).catch(ifUnreachable);
  // Of days ago only hours are kept.
  if (answer == null || answer.rows === null || answer.step !== MINUTE || (answer.reach.until ?? 0) < minute)
    return { groups: null, waiting: minute < start ? QUEUE_BY_MINUTES : QUEUE_UNREAD };
  const then = tracked.flatMap((one) => stepsOf(one, start).findLast(({ timestamp }) => timestamp < minute) ?? []);
  const groups: Partial<Record<OccupancyGroup, number>> = {};
  for (const { group, before } of answer.rows) groups[group] = (groups[group] ?? 0) + before;
  for (const { status } of then) {
    const group = occupancyGroup(status);
    if (group !== null) groups[group] = Math.max(0, (groups[group] ?? 0) - 1);
  }
  const queue = answer.waiting?.[0];
  const waiting = then.filter(({ status }) => WAITING_STATUSES.includes(status)).length;
  return { groups, waiting: queue === undefined ? QUEUE_UNREAD : queue - waiting };
}

/** From the status on in which it was when the window began. */
function stepsOf({ steps, queued_before }: TrackedInvocation, start: EpochSeconds) {
  const within = steps.map(({ at, status }) => ({ timestamp: at, status }));
  return queued_before === undefined ? within : [{ timestamp: start - MINUTE, status: queued_before }, ...within];
}

/** The occupancy by invocations that are followed change by change. Null where those that changed nothing are asked for and not known. */
export function occupancyOfTracked(
  tracked: readonly TrackedInvocation[],
  { start, end, now }: HistoryWindow,
  categories: readonly string[],
  unchanged: Unchanged,
): TimelineOccupancy | null {
  const step = occupancyStep(end - start);
  const window = { from: start, to: Math.min(end, now) };
  const { from, buckets } = occupancySpan(window, step);
  const slices = window.to <= window.from ? 0 : buckets;
  if (unchanged.groups === null && categories.includes("registered")) return null;
  const rows = new SliceCounts({ from, step, slices });
  for (const group of OCCUPANCY_GROUPS) rows.addAll(null, group, unchanged.groups?.[group] ?? 0);
  for (const one of tracked) rows.add(one.task_id_key, presences(stepsOf(one, start)));
  const counted = occupancyOf(rows.rows, { from, step, slices }, categories);
  if (typeof unchanged.waiting === "string") return { ...counted, waiting_unknown: unchanged.waiting };
  const waiting = queueOver(tracked, unchanged.waiting, start, { from, step, slices });
  return { ...counted, waiting, waiting_is: "most" };
}

/** The most that waited at once in each slice. */
function queueOver(
  tracked: readonly TrackedInvocation[],
  through: number,
  start: EpochSeconds,
  { from, step, slices }: Slices,
): number[] {
  const changes = new Map<number, number>();
  for (const one of tracked) {
    let waited = 0;
    for (const { timestamp, status } of stepsOf(one, start)) {
      const waits = Number(WAITING_STATUSES.includes(status));
      changes.set(micros(timestamp), (changes.get(micros(timestamp)) ?? 0) + waits - waited);
      waited = waits;
    }
  }
  const ordered = [...changes].sort(([a], [b]) => a - b);
  const first = bucketOf(micros(from), micros(step));
  let [queue, at] = [through, 0];
  /** Applies what happened before a slice. */
  const advance = (slice: number, each: () => void) => {
    for (let next = ordered[at]; next && bucketOf(next[0], micros(step)) - first < slice; next = ordered[++at]) {
      queue += next[1];
      each();
    }
  };
  advance(0, () => {});
  return Array.from({ length: slices }, (_, slice) => {
    let most = queue;
    advance(slice + 1, () => (most = Math.max(most, queue)));
    return most;
  });
}

interface Slices {
  from: EpochSeconds;
  step: number;
  slices: number;
}

/** Counts by task, group and slice. */
class SliceCounts {
  readonly #slices: Slices;
  readonly #rows = new Map<string, OccupancyRow>();

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  get rows(): OccupancyRow[] {
    return [...this.#rows.values()];
  }

  /** So many that are in a group in every slice. */
  addAll(task: string | null, group: OccupancyGroup, number: number): void {
    const { counts } = this.#rowOf(task, group);
    for (let slice = 0; slice < counts.length; slice++) counts[slice] = (counts[slice] ?? 0) + number;
  }

  /** One invocation: once in each slice of a group, however often it came back to it. */
  add(task: string | null, stretches: readonly (Presence & { group: OccupancyGroup })[]): void {
    const step = micros(this.#slices.step);
    const first = bucketOf(micros(this.#slices.from), step);
    const counted: Partial<Record<OccupancyGroup, number>> = {};
    for (const stretch of stretches) {
      const { counts } = this.#rowOf(task, stretch.group);
      const begin = Math.max(0, bucketOf(stretch.from, step) - first, counted[stretch.group] ?? 0);
      const end = Math.min(counts.length, lastBucket(stretch, step) - first + 1);
      for (let slice = begin; slice < end; slice++) counts[slice] = (counts[slice] ?? 0) + 1;
      counted[stretch.group] = Math.max(begin, end);
    }
  }

  #rowOf(task_id_key: string | null, group: OccupancyGroup): OccupancyRow {
    const key = JSON.stringify([task_id_key, group]);
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const counts = new Array<number>(this.#slices.slices).fill(0);
    const row = { task_id_key, group, before: 0, counts };
    this.#rows.set(key, row);
    return row;
  }
}

/** Rows of the requested categories; the most frequent tasks have rows of their own. */
function occupancyOf(
  rows: readonly OccupancyRow[],
  { from, step, slices }: Slices,
  categories: readonly string[],
): TimelineOccupancy {
  const zeros = () => new Array<number>(slices).fill(0);
  const groups = new Map<string, number[]>(
    OCCUPANCY_GROUPS.flatMap((group) => (categories.includes(group) ? [[group, zeros()]] : [])),
  );
  const totals = zeros();
  const tasks = new Map<string | null, number[]>();
  for (const { task_id_key, group, counts } of rows) {
    const sums = groups.get(group);
    if (sums === undefined || counts.every((count) => count === 0)) continue;
    const own = tasks.get(task_id_key) ?? zeros();
    tasks.set(task_id_key, own);
    for (const all of [sums, totals, own]) addTo(all, counts);
  }
  const sum = (counts: readonly number[]) => counts.reduce((all, n) => all + n, 0);
  const named = [...tasks].flatMap(([task_id_key, counts]) => (task_id_key === null ? [] : [{ task_id_key, counts }]));
  named.sort((a, b) => sum(b.counts) - sum(a.counts) || (a.task_id_key < b.task_id_key ? -1 : 1));
  const rest = tasks.get(null) ?? zeros();
  for (const { counts } of named.slice(TOP_TASKS)) addTo(rest, counts);
  return {
    categories: [...groups.keys()],
    from: isoFromEpoch(from),
    slice_seconds: step,
    slices,
    totals,
    waiting: null,
    waiting_is: "at_end",
    waiting_unknown: null,
    groups: [...groups].map(([category, counts]) => ({ category, counts })),
    tasks: [...named.slice(0, TOP_TASKS), ...(sum(rest) > 0 ? [{ task_id_key: null, counts: rest }] : [])],
  };
}

function addTo(sums: number[], counts: readonly number[]): void {
  counts.forEach((count, slice) => {
    sums[slice] = (sums[slice] ?? 0) + count;
  });
}
