/**
 * How many invocations were registered, pending or running in each slice of a window: from the histories of the window where they are followed, otherwise
 * from the figures over time.
 */
import type { Timeline, TimelineOccupancy } from "../../api/timeline.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import {
  micros,
  OCCUPANCY_GROUPS,
  type OccupancyGroup,
  occupancyGroup,
  occupancySpan,
  occupancyStep,
} from "../../pynenc/occupancy.ts";
import { WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch, MICROSECOND } from "../../pynenc/time.ts";
import type { OccupancyRow } from "../../rollups/reads.ts";
import type { TrackedInvocation } from "../../timeline/histories.ts";
import type { HistoryWindow } from "../../timeline/model.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import { statusMoves } from "../model/status-moves.ts";
import type { TimeWindow } from "../model/timeline-window.ts";
import { FOLLOWED } from "./timeline-histories.ts";

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
  const slices = { ...counted, waiting: waiting?.slice(1) ?? null, waiting_last: waiting?.at(-1) ?? null };
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
    waiting_last: null,
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

/** Why the queue of a window is not known, after the word `queue`. */
export const QUEUE_OF_ALL = "not shown, some tasks are left out";
const QUEUE_UNREAD = "not known yet, or no longer";
const QUEUE_OF_MANY = "not known, too much changed since the last full minute";

/** Of all at the last whole minute of a window, or where it has none, as it begins: those that are not among the tracked. */
export async function unchangedIn(
  app: OpenedApp,
  tracked: readonly TrackedInvocation[],
  { start, end, now }: HistoryWindow,
  system: boolean,
): Promise<Unchanged> {
  const minute = Math.floor(Math.min(end, now, app.now() - SETTLED) / MINUTE) * MINUTE;
  const instant = Math.max(minute, start);
  const span = { from: minute, to: minute + MINUTE, patience: PATIENCE, whole: true };
  const answer = await app.rollups?.occupancy(span, MINUTE, TOP_TASKS, { system }).catch(ifUnreachable);
  // Of days ago only hours are kept.
  if (answer == null || answer.rows === null || answer.step !== MINUTE || (answer.reach.until ?? 0) < minute)
    return { groups: null, waiting: QUEUE_UNREAD };
  const moves = await movesBetween(app, minute, instant);
  if (moves === null) return { groups: null, waiting: QUEUE_OF_MANY };
  const groups: Partial<Record<OccupancyGroup, number>> = {};
  for (const { group, before } of answer.rows) groups[group] = (groups[group] ?? 0) + before;
  let waiting = answer.waiting?.[0] ?? Number.NaN;
  const count = (status: string | undefined, by: 1 | -1, grouped = true) => {
    if (status === undefined) return;
    const group = occupancyGroup(status);
    if (grouped && group !== null) groups[group] = (groups[group] ?? 0) + by;
    if (WAITING_STATUSES.includes(status)) waiting += by;
  };
  for (const { before, after, core } of moves) {
    // The queue is that of all tasks.
    count(before, -1, system || !core);
    count(after, 1, system || !core);
  }
  for (const one of tracked) count(stepsOf(one, start).findLast(({ timestamp }) => timestamp < instant)?.status, -1);
  for (const group of OCCUPANCY_GROUPS) groups[group] = Math.max(0, groups[group] ?? 0);
  return { groups, waiting: Number.isNaN(waiting) ? QUEUE_UNREAD : waiting };
}

/** What changed since a minute and before an instant; null where that is too much to be followed. */
async function movesBetween(app: OpenedApp, from: EpochSeconds, instant: EpochSeconds) {
  if (from >= instant) return [];
  return app.store.read(async (reads) => {
    const moves = await statusMoves(reads, { from, to: instant - MICROSECOND }, FOLLOWED);
    if (moves === null) return null;
    const tasks = await reads.state_backend.tasksOf(moves.map(invocationIdOf));
    const core = new Set(tasks.flatMap((row) => (isCoreTask(row.task_id_key) ? [row.invocation_id] : [])));
    return moves.map((move) => ({ ...move, core: core.has(move.invocation_id) }));
  });
}

/** From the status on in which it was when the window began. */
function stepsOf({ steps, queued_before }: TrackedInvocation, start: EpochSeconds) {
  const within = steps.map(({ at, status }) => ({ timestamp: at, status }));
  return queued_before === undefined ? within : [{ timestamp: start - MINUTE, status: queued_before }, ...within];
}

/**
 * The occupancy by invocations that are followed change by change: of each slice, those at its busiest instant. Null where those that changed nothing are
 * asked for and not known.
 */
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
  const through = Object.entries(unchanged.groups ?? {}).filter(([group]) => categories.includes(group));
  const known = typeof unchanged.waiting === "number";
  const changes = changesOf(tracked, start, categories);
  const cut = { from, step, slices };
  const waiting = new Array<number>(slices).fill(0);
  const totals = new Array<number>(slices).fill(-1);
  const busiest = new Array<number>(slices).fill(-1);
  let queue = known ? Number(unchanged.waiting) : 0;
  let active = through.reduce((sum, [, number]) => sum + number, 0);
  const apply = ({ left, entered, waits }: Change) => {
    queue += waits;
    active += Number(entered !== null) - Number(left !== null);
  };
  const rest = eachInstant(changes, cut, apply, (slice, instant) => {
    waiting[slice] = Math.max(waiting[slice] ?? 0, queue);
    if (active <= (totals[slice] ?? 0)) return;
    totals[slice] = active;
    busiest[slice] = instant;
  });
  for (const change of rest) if (change.at <= micros(window.to)) apply(change);
  const counted = {
    ...occupancyOf(rowsAt(changes, cut, busiest, through), cut, categories),
    totals_are: "at_once" as const,
  };
  return known
    ? { ...counted, waiting, waiting_is: "most", waiting_last: queue }
    : { ...counted, waiting_unknown: String(unchanged.waiting) };
}

/** One invocation from one group to another; null for none of those that are counted. */
interface Change {
  /** Microseconds. */
  at: number;
  task: string | null;
  left: OccupancyGroup | null;
  entered: OccupancyGroup | null;
  /** By how much the queue grew. */
  waits: number;
}

/** In the order of time. */
function changesOf(
  tracked: readonly TrackedInvocation[],
  start: EpochSeconds,
  categories: readonly string[],
): Change[] {
  const found: Change[] = [];
  for (const one of tracked) {
    let [at, left, waited]: [number, OccupancyGroup | null, number] = [Number.NEGATIVE_INFINITY, null, 0];
    for (const { timestamp, status } of stepsOf(one, start)) {
      // Clocks may disagree about what came first.
      at = Math.max(at, micros(timestamp));
      const group = occupancyGroup(status);
      const entered = group !== null && categories.includes(group) ? group : null;
      const waiting = Number(WAITING_STATUSES.includes(status));
      found.push({ at, task: one.task_id_key, left, entered, waits: waiting - waited });
      [left, waited] = [entered, waiting];
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

interface Slices {
  from: EpochSeconds;
  step: number;
  slices: number;
}

/**
 * Visits each slice as it begins and after each instant with a change, numbered from 0: what ends as a slice begins is not in it.
 *
 * @returns the changes after the last slice.
 */
function eachInstant(
  changes: readonly Change[],
  { from, step, slices }: Slices,
  apply: (change: Change) => void,
  visit: (slice: number, instant: number) => void,
): readonly Change[] {
  let [next, instant] = [0, 0];
  const applyUntil = (end: number) => {
    for (let one = changes[next]; one !== undefined && one.at <= end; one = changes[++next]) apply(one);
  };
  for (let slice = 0; slice < slices; slice++) {
    const begin = micros(from) + slice * micros(step);
    applyUntil(begin);
    visit(slice, instant++);
    for (let one = changes[next]; one !== undefined && one.at < begin + micros(step); one = changes[next]) {
      applyUntil(one.at);
      visit(slice, instant++);
    }
  }
  return changes.slice(next);
}

type Row = Pick<OccupancyRow, "task_id_key" | "group" | "counts">;

/** By task and group, what was there at one instant of each slice. @param through how many of each group changed nothing */
function rowsAt(
  changes: readonly Change[],
  slices: Slices,
  instants: readonly number[],
  through: readonly (readonly [string, number])[],
): Row[] {
  const found = new Map<string, Row & { present: number }>();
  const rowOf = (task_id_key: string | null, group: OccupancyGroup) => {
    const key = task_id_key === null ? group : `${group} ${task_id_key}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const row = { task_id_key, group, present: 0, counts: new Array<number>(slices.slices).fill(0) };
    found.set(key, row);
    return row;
  };
  for (const [group, number] of through) rowOf(null, group as OccupancyGroup).present += number;
  const apply = ({ task, left, entered }: Change) => {
    if (left !== null) rowOf(task, left).present--;
    if (entered !== null) rowOf(task, entered).present++;
  };
  eachInstant(changes, slices, apply, (slice, instant) => {
    if (instants[slice] === instant) for (const row of found.values()) row.counts[slice] = row.present;
  });
  return [...found.values()];
}

/** Rows of the requested categories; the most frequent tasks have rows of their own. */
function occupancyOf(
  rows: readonly Row[],
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
    totals_are: "within",
    waiting: null,
    waiting_is: "at_end",
    waiting_last: null,
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
