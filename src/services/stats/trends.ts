/** What happened in a range of time, by default the last hour, for pages that also show other things. */
import type { BusyRunners, Lately, Trends } from "../../api/stats.ts";
import { TIME_RANGE } from "../../inputs/common.ts";
import { stepFor } from "../../pynenc/occupancy.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { RequestedSpan, RollupReads } from "../../rollups/reads.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { stats } from "./stats.ts";
import { PAGE_PATIENCE, rangeNotes, requestedSpan, STILL_READING, shownEnd } from "./stats-range.ts";

const SLICES = 30;

/**
 * What each of these runners had running. Null as for `trends`, and until this is known for the whole history.
 *
 * @param range as for `stats`
 * @throws InvalidInputError
 */
export async function busyRunners(
  app: OpenedApp,
  runners: readonly string[],
  range: RawInput = {},
): Promise<BusyRunners | null> {
  const requested = requestedSpan(parseInput(TIME_RANGE, range), range, app.now());
  if (app.rollups === null) return null;
  const span = { ...requested, whole: true };
  const step = stepFor((span.to - span.from) / SLICES);
  const answer = await within(PAGE_PATIENCE, app.rollups.busy(span, step, runners)).catch(ifUnreachable);
  if (answer?.complete !== true || answer.rows === null) return null;
  return {
    from: isoFromEpoch(answer.span.from),
    to: shownEnd(answer.span, span, app.now()),
    slice_seconds: answer.step,
    rows: answer.rows.map(({ runner_id, counts }) => ({ runner_id, running: counts })),
  };
}

/**
 * What each of these tasks finished. Null if figures over time are switched off, and until the range has been read.
 *
 * @param range as for `stats`
 * @throws InvalidInputError
 */
export async function trends(app: OpenedApp, tasks: readonly string[], range: RawInput = {}): Promise<Trends | null> {
  const { rollups } = app;
  const span = requestedSpan(parseInput(TIME_RANGE, range), range, app.now());
  if (rollups === null) return null;
  const answers = Promise.all([rollups.trends(span, SLICES, tasks), failureTimes(rollups, span)]);
  const [answer, times] = (await within(PAGE_PATIENCE, answers).catch(ifUnreachable)) ?? [];
  if (answer?.complete !== true) return null;
  return {
    from: isoFromEpoch(answer.span.from),
    to: shownEnd(answer.span, span, app.now()),
    slice_seconds: answer.slice,
    notes: rangeNotes(answer),
    rows: answer.rows,
    first_failures: tasks.flatMap((task_id_key) => {
      const known = times?.get(task_id_key);
      return known === undefined ? [] : [{ task_id_key, at: isoFromEpoch(known.first) }];
    }),
  };
}

interface FailureTimes {
  first: EpochSeconds;
  last: EpochSeconds;
}

/** Of each task that ever failed. Not known of failures without a stored exception, if retries cannot be told from them. */
async function failureTimes(
  rollups: RollupReads,
  span: RequestedSpan,
  task_id_key?: string,
): Promise<ReadonlyMap<string, FailureTimes>> {
  const { groups } = await rollups.failures(span, 1, { task_id_key }, true);
  const times = new Map<string, FailureTimes>();
  const unknown = new Set<string>();
  for (const { task_id_key: task, ever } of groups) {
    const { failed, retries, first_seen, last_seen } = ever;
    if (task === null || failed === 0 || first_seen === null || last_seen === null) continue;
    if (retries > 0) unknown.add(task);
    const { first, last } = times.get(task) ?? { first: first_seen, last: last_seen };
    times.set(task, { first: Math.min(first, first_seen), last: Math.max(last, last_seen) });
  }
  for (const task of unknown) times.delete(task);
  return times;
}

/**
 * The figures of one task, one runner, or the whole app. Null as for `trends`.
 *
 * @param about has at most one member.
 * @param range as for `stats`
 * @throws InvalidInputError
 */
export async function lately(
  app: OpenedApp,
  about: { task_id?: string; runner?: string } = {},
  range: RawInput = {},
): Promise<Lately | null> {
  // An empty name would mean the whole app.
  if (app.rollups === null || about.task_id === "" || about.runner === "") return null;
  const raw = { ...range, ...Object.fromEntries(Object.entries({ ...about, limit: "1" }).map(asGiven)) };
  const span = requestedSpan(parseInput(TIME_RANGE, range), range, app.now());
  const { task_id } = about;
  const since = task_id === undefined ? null : failureTimes(app.rollups, span, task_id);
  const answers = Promise.all([stats(app, raw), since]);
  const [answer, failed] = (await within(PAGE_PATIENCE, answers).catch(ifUnreachable)) ?? [];
  if (answer?.complete !== true) return null;
  const { from, to, newest, notes, entries, total, slice_seconds, slices, durations } = answer;
  const times = failed?.get(task_id ?? "");
  return {
    ...{ from, to, newest, notes, entries, total, slice_seconds, slices, durations },
    failing_since: isoOrNull(times?.first),
    last_failed: isoOrNull(times?.last),
  };
}

/**
 * `lately` for a page as members of its answer, and why there is none.
 *
 * @param range null for a command: it would have to read it first.
 * @throws InvalidInputError
 */
export async function latelyMembers(
  app: OpenedApp,
  about: Parameters<typeof lately>[1],
  range: RawInput | null,
): Promise<{ lately: Lately | null; lately_note: string | null }> {
  if (range === null || app.rollups === null) return { lately: null, lately_note: null };
  const found = await lately(app, about, range);
  return { lately: found, lately_note: found === null ? STILL_READING : null };
}

function asGiven([name, value]: [string, string]): [string, string[]] {
  return [name, [value]];
}
