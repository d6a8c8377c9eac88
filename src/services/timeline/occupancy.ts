/**
 * How many invocations were registered, pending or running in each slice of a window: exactly, or not at all. Slices of a minute or more are those
 * of the figures over time; shorter ones are made of these and of the entries of the window.
 */
import type { Timeline, TimelineOccupancy } from "../../api/timeline.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { historiesInOrder, inOrder } from "../../pynenc/life.ts";
import {
  bucketOf,
  lastBucket,
  micros,
  OCCUPANCY_GROUPS,
  type OccupancyGroup,
  occupancySpan,
  occupancyStep,
  type Presence,
  presences,
} from "../../pynenc/occupancy.ts";
import type { HistoryRecord } from "../../pynenc/records.ts";
import { WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch } from "../../pynenc/time.ts";
import type { OccupancyRow } from "../../rollups/reads.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TrackedInvocation } from "../../timeline/histories.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import { WRITTEN_LATE_SECONDS } from "../model/invocation-life.ts";
import type { TimeWindow } from "../model/timeline-window.ts";
import { FOLLOWED, type WrittenEntries, writtenIn } from "./timeline-histories.ts";

export interface OccupancyOptions {
  categories: readonly string[];
  /** Pynenc's own tasks too. */
  show_system: boolean;
  /** Only of this task. */
  task_id_key?: string;
}

export const MINUTE = 60;

/** Seconds after which what was written has been read by what counts over time. */
export const SETTLED = 15;
/** Tasks that have a layer of their own. */
const TOP_TASKS = 8;
/** No limit on the tasks counted before the window. */
const ALL_TASKS = 1_000_000;

/** Milliseconds that a page waits for the history to be read: a later refresh has the counts. */
export const PATIENCE = 200;

/**
 * The occupancy of a window by all invocations, or by those of one task. Null if it is not known. Not inside `store.read`.
 *
 * @param known entries that have been read already, which are not read again.
 * @throws StoreUnreachableError
 */
export async function occupancyIn(
  app: OpenedApp,
  { start, end }: TimeWindow,
  options: OccupancyOptions,
  known: WrittenEntries | null = null,
): Promise<TimelineOccupancy | null> {
  const now = app.now();
  const window = { from: start, to: Math.min(end, now) };
  const step = occupancyStep(end - start);
  if (window.to <= window.from) return occupancyOf([], { from: start, step, slices: 0 }, options.categories);
  const rows = step < MINUTE ? await byEntries(app, window, step, options, known) : "too many";
  if (rows === null) return null;
  if (rows !== "too many") {
    const { from, buckets } = occupancySpan(window, step);
    return { ...occupancyOf(rows.rows, { from, step, slices: buckets }, options.categories), waiting: rows.waiting };
  }
  return byMinutes(app, window, Math.max(step, MINUTE), options);
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
  { categories, show_system: system, task_id_key }: OccupancyOptions,
): Promise<TimelineOccupancy | null> {
  const answer = await app.rollups
    ?.occupancy({ ...window, patience: PATIENCE, whole: true }, wanted, TOP_TASKS, { system, task_id_key })
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

/**
 * In slices shorter than a minute: those that were in a group when the minute of the first slice began and changed nothing since stay in it; the others
 * are followed entry by entry, unless there are too many. Null if it is not known.
 */
async function byEntries(
  app: OpenedApp,
  window: { from: EpochSeconds; to: EpochSeconds },
  step: number,
  { show_system: system, task_id_key }: OccupancyOptions,
  known: WrittenEntries | null,
): Promise<{ rows: OccupancyRow[]; waiting: number[] | null } | "too many" | null> {
  const { from, to, buckets } = occupancySpan(window, step);
  const minute = Math.floor(Math.min(from, app.now() - SETTLED) / MINUTE) * MINUTE;
  const span = { from: minute, to: minute + MINUTE, patience: PATIENCE, whole: true };
  const answer = await app.rollups?.occupancy(span, MINUTE, ALL_TASKS, { system, task_id_key }).catch(ifUnreachable);
  if (answer == null || answer.rows === null || (answer.reach.until ?? 0) < minute) return null;
  // Of days ago only hours are kept.
  if (answer.step !== MINUTE) return "too many";
  const followed = await app.store.read((reads) =>
    followedFrom(reads, { from: minute, to: to + WRITTEN_LATE_SECONDS }, known),
  );
  if (followed === null) return "too many";
  const counted = followed.filter(
    ({ task }) => (task_id_key === undefined || task === task_id_key) && (system || task === null || !isCoreTask(task)),
  );
  const rows = new SliceCounts({ from, step, slices: buckets });
  for (const { task_id_key: task, group, before } of answer.rows) rows.addAll(task, group, before);
  const begin = micros(minute);
  for (const { task, history } of counted) {
    const stretches = presences(history);
    for (const one of stretches) if (one.from < begin && one.to > begin) rows.addAll(task, one.group, -1);
    rows.add(task, stretches);
  }
  const [before] = answer.waiting ?? [];
  return {
    rows: rows.rows,
    waiting: before === undefined ? null : waitingFrom(before, minute, followed, { from, step, slices: buckets }),
  };
}

/** How many waited at the end of each slice. @param before when the stretch that was followed began */
function waitingFrom(
  before: number,
  begin: EpochSeconds,
  followed: readonly FollowedHistory[],
  { from, step, slices }: Slices,
): number[] {
  const changes = new Array<number>(slices).fill(0);
  let base = before;
  for (const { history } of followed) {
    let waited = 0;
    for (const { timestamp, status } of history) {
      const waits = Number(WAITING_STATUSES.includes(status));
      const change = waits - waited;
      waited = waits;
      // What it was in when the stretch began is in the number before.
      if (timestamp < begin || change === 0) continue;
      const slice = bucketOf(micros(timestamp), micros(step)) - bucketOf(micros(from), micros(step));
      if (slice < 0) base += change;
      else if (slice < slices) changes[slice] = (changes[slice] ?? 0) + change;
    }
  }
  return changes.map((change) => (base += change));
}

interface FollowedHistory {
  task: string | null;
  /** From the status on in which it was at the beginning. */
  history: HistoryRecord[];
}

/** Everything that changed in a stretch of time, with the status before; null for more than can be followed. */
async function followedFrom(
  reads: AppReads,
  stretch: { from: EpochSeconds; to: EpochSeconds },
  known: WrittenEntries | null,
): Promise<FollowedHistory[] | null> {
  const begin = stretch.from;
  const entries = await entriesIn(reads, stretch, known);
  if (entries === null || entries.length > FOLLOWED) return null;
  const histories = historiesInOrder(entries);
  const ids = [...histories.keys()];
  const begun = ids.filter((id) => histories.get(id)?.[0]?.status !== "registered");
  for (const entry of await reads.state_backend.lastEntriesBefore(begun, begin)) {
    const history = histories.get(entry.invocation_id);
    if (history !== undefined) histories.set(entry.invocation_id, inOrder([entry, ...history]));
  }
  const unknown = ids.filter((id) => known?.tasks.has(id) !== true);
  const read = new Map((await reads.state_backend.tasksOf(unknown)).map((row) => [row.invocation_id, row.task_id_key]));
  const taskOf = (id: string) => known?.tasks.get(id) ?? read.get(id) ?? null;
  return [...histories].map(([id, history]) => ({ task: taskOf(id), history }));
}

/** The entries of a stretch; null for more than can be followed. Those before and after what is known are read. */
async function entriesIn(
  reads: AppReads,
  { from, to }: { from: EpochSeconds; to: EpochSeconds },
  known: WrittenEntries | null,
): Promise<HistoryRecord[] | null> {
  if (known === null || known.from > to || known.to < from) return writtenIn(reads, { from, to });
  const [before, after] = await Promise.all([
    from < known.from ? writtenIn(reads, { from, to: known.from }) : [],
    to > known.to ? writtenIn(reads, { from: known.to, to }) : [],
  ]);
  if (before === null || after === null) return null;
  return [
    ...before.filter(({ written_at }) => written_at < known.from),
    ...known.entries.filter(({ written_at }) => written_at >= from && written_at <= to),
    ...after.filter(({ written_at }) => written_at > known.to),
  ];
}

/** The occupancy by invocations whose histories were read for another reason. */
export function occupancyOfTracked(
  tracked: readonly TrackedInvocation[],
  { start, end, now }: TimeWindow & { now: EpochSeconds },
  categories: readonly string[],
): TimelineOccupancy {
  const step = occupancyStep(end - start);
  const window = { from: start, to: Math.min(end, now) };
  const { from, buckets } = occupancySpan(window, step);
  const slices = window.to <= window.from ? 0 : buckets;
  const rows = new SliceCounts({ from, step, slices });
  for (const { task_id_key, steps } of tracked) {
    rows.add(task_id_key, presences(steps.map(({ at, status }) => ({ timestamp: at, status }))));
  }
  return occupancyOf(rows.rows, { from, step, slices }, categories);
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
    groups: [...groups].map(([category, counts]) => ({ category, counts })),
    tasks: [...named.slice(0, TOP_TASKS), ...(sum(rest) > 0 ? [{ task_id_key: null, counts: rest }] : [])],
  };
}

function addTo(sums: number[], counts: readonly number[]): void {
  counts.forEach((count, slice) => {
    sums[slice] = (sums[slice] ?? 0) + count;
  });
}
