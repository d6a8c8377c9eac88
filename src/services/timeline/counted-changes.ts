/**
 * Every status change of a window that holds too many to be followed, by task or by who wrote it: from the figures over time, which count whole minutes,
 * and from the entries written since the last of them.
 */
import type { TimelineDensity } from "../../api/timeline.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { occupancyStep } from "../../pynenc/occupancy.ts";
import { type EpochSeconds, isoFromEpoch, MICROSECOND } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import type { TimeWindow } from "../model/timeline-window.ts";
import { MINUTE, PATIENCE, SETTLED } from "./occupancy.ts";
import { writtenIn } from "./timeline-histories.ts";

/** Tasks or runners: counts of more would be larger than a page. */
const MOST_NAMES = 300;
/** Fewer slices show less than a sample of the window does. */
const FEWEST_SLICES = 6;

/** Status changes of one status by slice. */
interface Row {
  /** The task, or the runner that wrote the changes, depending on `by`. */
  name: string | null;
  status: string;
  counts: number[];
}

export interface CountedChanges {
  by: "task" | "writer";
  /** When the first slice begins: not after the window does. */
  from: EpochSeconds;
  /** Length of a slice in seconds. */
  step: number;
  slices: number;
  rows: Row[];
  /** Entries written in this stretch of time, both ends included, are not among them yet. Null for none. */
  rest: { from: EpochSeconds; to: EpochSeconds } | null;
}

/**
 * Null if the figures are not known: they have not been read so far back, are switched off, were counted before a purge, or are too coarse for this
 * window. Not inside `store.read`.
 *
 * @param end nothing later is counted: the present, or the earlier instant whose state is shown.
 */
export async function countedChanges(
  app: OpenedApp,
  { start: from, end: to }: TimeWindow,
  end: EpochSeconds,
  by: "task" | "writer",
): Promise<CountedChanges | null> {
  const step = Math.max(MINUTE, occupancyStep(to - from));
  const settled = Math.min(end, app.now() - SETTLED);
  const span = { from, to, patience: PATIENCE };
  const found = await app.rollups?.changes(span, { step, by, most: MOST_NAMES, settled }).catch(ifUnreachable);
  if (found == null || found.rows === null || !found.complete || found.reach.purged_at !== null) return null;
  if (found.slices < FEWEST_SLICES) return null;
  return {
    by,
    from: found.span.from,
    step: found.slice,
    slices: found.slices,
    rows: found.rows,
    // What was written at the very end of the last slice is not in it.
    rest: found.until < found.span.to ? { from: found.until, to: Math.min(end, found.span.to - MICROSECOND) } : null,
  };
}

/**
 * All of a window in numbers. Null if too much was written since the figures.
 *
 * @param system pynenc's own tasks too, if grouped by task.
 */
export async function countedDensity(
  reads: AppReads,
  counted: CountedChanges,
  system: boolean,
): Promise<TimelineDensity | null> {
  const rest = counted.rest === null ? [] : await writtenIn(reads, counted.rest);
  if (rest === null) return null;
  const { by, from, step, slices } = counted;
  const byTask = by === "task";
  const ids = byTask ? [...new Set(rest.map((entry) => entry.invocation_id))] : [];
  const definitions = ids.length === 0 ? [] : await reads.state_backend.tasksOf(ids);
  const taskById = new Map(definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const found = new Map<string, Row>();
  const rowOf = (name: string | null, status: string): Row => {
    const key = JSON.stringify([name, status]);
    const row = found.get(key) ?? { name, status, counts: new Array<number>(slices).fill(0) };
    found.set(key, row);
    return row;
  };
  for (const { name, status, counts } of counted.rows) rowOf(name, status).counts = [...counts];
  for (const entry of rest) {
    const name = byTask ? (taskById.get(entry.invocation_id) ?? null) : entry.runner_context_id;
    const { counts } = rowOf(name, entry.status);
    const slice = Math.min(slices - 1, Math.floor((entry.written_at - from) / step));
    counts[slice] = (counts[slice] ?? 0) + 1;
  }
  const rows = [...found.values()].filter(({ name }) => system || !byTask || name === null || !isCoreTask(name));
  const totals = new Array<number>(slices).fill(0);
  for (const { counts } of rows) for (const [slice, n] of counts.entries()) totals[slice] = (totals[slice] ?? 0) + n;
  return {
    estimated: false,
    whole: true,
    busy: null,
    sampled: totals.reduce((sum, n) => sum + n, 0),
    from: isoFromEpoch(from),
    slice_seconds: step,
    slices,
    totals,
    rows: rows.map(({ name, status, counts }) => ({
      runner_id: byTask ? null : name,
      task_id_key: byTask ? name : null,
      status,
      counts,
    })),
  };
}
