/** What happened in the last hour, for pages that also show other things. */
import type { BusyRunners, Lately, Trends } from "../../api/stats.ts";
import { STATS_LENGTH } from "../../api/words.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { lengthOf } from "../input/moment.ts";
import { stats } from "./stats.ts";
import { rangeNotes } from "./stats-range.ts";

/** Milliseconds a list waits: it is useful without the figures. */
const PATIENCE = 200;

/** Two minutes each: an hour that starts within a minute overlaps 61 minutes. */
const SLICES = 31;

const SLICE = 120;

/** What each of these runners had running. Null as for `trends`, and until this is known for the whole history. */
export async function busyRunners(app: OpenedApp, runners: readonly string[]): Promise<BusyRunners | null> {
  if (app.rollups === null) return null;
  const to = app.now();
  const span = { from: to - (lengthOf(STATS_LENGTH) ?? 0), to, patience: PATIENCE, whole: true };
  const answer = await within(PATIENCE, app.rollups.busy(span, SLICE, runners)).catch(ifUnreachable);
  if (answer?.complete !== true || answer.rows === null) return null;
  return {
    from: isoFromEpoch(answer.span.from),
    to: isoFromEpoch(answer.span.to),
    slice_seconds: answer.step,
    rows: answer.rows.map(({ runner_id, counts }) => ({ runner_id, running: counts })),
  };
}

/** What each of these tasks finished. Null if figures over time are switched off, and until the last hour has been read. */
export async function trends(app: OpenedApp, tasks: readonly string[]): Promise<Trends | null> {
  if (app.rollups === null) return null;
  const to = app.now();
  const span = { from: to - (lengthOf(STATS_LENGTH) ?? 0), to };
  const answer = await within(PATIENCE, app.rollups.trends(span, SLICES, tasks)).catch(ifUnreachable);
  if (answer?.complete !== true) return null;
  return {
    from: isoFromEpoch(answer.span.from),
    to: isoFromEpoch(answer.span.to),
    slice_seconds: answer.slice,
    notes: rangeNotes(answer),
    rows: answer.rows,
  };
}

/**
 * The figures of one task, one runner, or the whole app. Null as for `trends`.
 *
 * @param about has at most one member.
 */
export async function lately(
  app: OpenedApp,
  about: { task_id?: string; runner?: string } = {},
): Promise<Lately | null> {
  // An empty name would mean the whole app.
  if (app.rollups === null || about.task_id === "" || about.runner === "") return null;
  const raw = Object.fromEntries(Object.entries({ ...about, range: STATS_LENGTH, limit: "1" }).map(asGiven));
  const answer = await within(PATIENCE, stats(app, raw)).catch(ifUnreachable);
  if (answer?.complete !== true) return null;
  const { from, to, newest, notes, entries, total, slice_seconds, slices, durations } = answer;
  return { from, to, newest, notes, entries, total, slice_seconds, slices, durations };
}

function asGiven([name, value]: [string, string]): [string, string[]] {
  return [name, [value]];
}
