/**
 * The status changes of a window that holds too many to be followed, by task or by who wrote them: from the figures over time, which count whole minutes,
 * and from the entries written since the last of them. Where there are no figures, from the latest entries alone.
 */
import type { TimelineDensity } from "../../api/timeline.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { occupancySpan, occupancyStep } from "../../pynenc/occupancy.ts";
import { type EpochSeconds, isoFromEpoch, MICROSECOND } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import type { TimeWindow } from "../model/timeline-window.ts";
import { MINUTE, PATIENCE, SETTLED } from "./occupancy.ts";
import { FOLLOWED } from "./timeline-histories.ts";

/** Tasks or runners: counts of more would be larger than a page. */
const MOST_NAMES = 300;
/** Fewer slices say less than the latest entries do. */
const FEWEST_SLICES = 3;

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
  /** Null where there are no figures. */
  rows: Row[] | null;
  /** Entries written in this stretch of time, both ends included, are not among them yet. Null for none. */
  rest: { from: EpochSeconds; to: EpochSeconds } | null;
  /** There will be figures once the history has been read. */
  reading: boolean;
}

/**
 * There are no figures where they have not been read so far back, are switched off, were counted before a purge, or are too coarse for this window. Of
 * more runners than a page can name, tasks are counted. Not inside `store.read`.
 *
 * @param end nothing later is counted: the present, or the earlier instant whose state is shown.
 */
export async function countedChanges(
  app: OpenedApp,
  { start, end: last }: TimeWindow,
  end: EpochSeconds,
  by: "task" | "writer",
): Promise<CountedChanges> {
  const wanted = Math.max(MINUTE, occupancyStep(last - start));
  const settled = Math.min(end, app.now() - SETTLED);
  const span = { from: start, to: last, patience: PATIENCE };
  const found = await app.rollups?.changes(span, { step: wanted, by, most: MOST_NAMES, settled }).catch(ifUnreachable);
  const whole = found?.complete === true && found.reach.purged_at === null && found.slices >= FEWEST_SLICES;
  if (found == null || !whole || (found.rows === null && by === "task")) {
    const step = occupancyStep(last - start);
    const { from, buckets: slices } = occupancySpan({ from: start, to: last }, step);
    const rest = { from: start, to: Math.min(end, last) };
    return { by, from, step, slices, rows: null, rest, reading: found?.complete === false };
  }
  if (found.rows === null) return countedChanges(app, { start, end: last }, end, "task");
  const { span: counted, slice: step, slices, rows, until } = found;
  // What was written at the very end of the last slice is not in it.
  const rest = until < counted.to ? { from: until, to: Math.min(end, counted.to - MICROSECOND) } : null;
  return { by, from: counted.from, step, slices, rows, rest, reading: false };
}

/**
 * All of a window in numbers, or as much of it as can be read.
 *
 * @param system pynenc's own tasks too, if grouped by task.
 */
export async function countedDensity(
  reads: AppReads,
  { by, from, step, slices, rows: figures, rest }: CountedChanges,
  system: boolean,
): Promise<{ density: TimelineDensity; byTask: boolean }> {
  // Between figures and entries there is to be no gap.
  const end = figures === null ? "latest" : "earliest";
  const entries = rest === null ? [] : await reads.state_backend.historyBetween(rest, FOLLOWED, end);
  const writers = new Set(entries.map((entry) => entry.runner_context_id));
  const byTask = by === "task" || (figures === null && writers.size > MOST_NAMES);
  const ids = byTask ? [...new Set(entries.map((entry) => entry.invocation_id))] : [];
  const definitions = ids.length === 0 ? [] : await reads.state_backend.tasksOf(ids);
  const taskById = new Map(definitions.map((row) => [row.invocation_id, row.task_id_key]));
  const found = new Map<string, Row>();
  const rowOf = (name: string | null, status: string): Row => {
    const key = JSON.stringify([name, status]);
    const row = found.get(key) ?? { name, status, counts: new Array<number>(slices).fill(0) };
    found.set(key, row);
    return row;
  };
  for (const { name, status, counts } of figures ?? []) rowOf(name, status).counts = [...counts];
  for (const entry of entries) {
    const name = byTask ? (taskById.get(entry.invocation_id) ?? null) : entry.runner_context_id;
    const { counts } = rowOf(name, entry.status);
    const slice = Math.min(slices - 1, Math.floor((entry.written_at - from) / step));
    counts[slice] = (counts[slice] ?? 0) + 1;
  }
  const rows = [...found.values()].filter(({ name }) => system || !byTask || name === null || !isCoreTask(name));
  const totals = new Array<number>(slices).fill(0);
  for (const { counts } of rows) for (const [slice, n] of counts.entries()) totals[slice] = (totals[slice] ?? 0) + n;
  const [first, last] = figures === null ? [entries[0]?.written_at, rest?.to] : [from, entries.at(-1)?.written_at];
  const cut = entries.length === FOLLOWED && first !== undefined && last !== undefined;
  const density: TimelineDensity = {
    counted: cut ? { from: isoFromEpoch(first), to: isoFromEpoch(last) } : null,
    whole: figures !== null,
    busy: null,
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
  return { density, byTask };
}
