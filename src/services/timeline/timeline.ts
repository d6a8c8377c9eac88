/**
 * The timeline of a window: what every invocation did on which runner, with the events and triggers that led from one to the other. Whatever
 * the window holds, the number of reads is fixed and each is bounded; what is not drawn is counted, and the notes say so.
 */
import type {
  DrawnCount,
  Timeline,
  TimelineCounts,
  TimelineData,
  TimelineInvocation,
  TimelineRunner,
} from "../../api/timeline.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull, isWithinBounds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { densityOf } from "../../timeline/density.ts";
import { type GeometryOptions, type TimelineGeometry, timelineGeometry } from "../../timeline/geometry.ts";
import {
  busySeconds,
  chooseDrawn,
  type HistoryWindow,
  stepsWithin,
  type TrackedInvocation,
} from "../../timeline/histories.ts";
import { notYet, readsAsOf } from "../app/as-of.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { resolvedParameters } from "../invocations/resolved-parameters.ts";
import { unknownNames } from "../invocations/unknown-names.ts";
import { argumentsLine } from "../model/arguments-line.ts";
import { shownFilter } from "../model/filter-type.ts";
import { refusePresentFilters } from "../model/invocation-filter.ts";
import { exceptionLines } from "../model/invocation-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { newestStampedLater } from "../model/stamped-later.ts";
import { latestActivity, latestWindow, movesFrom, paddedWindow, type TimeWindow } from "../model/timeline-window.ts";
import { whyUnrecorded } from "../triggers/known-event.ts";
import { type CountedChanges, countedChanges, countedDensity } from "./counted-changes.ts";
import { occupancyIn, occupancyOfTracked } from "./occupancy.ts";
import { COUNT_CAP, causesCounted, eventsAndRuns, serviceRuns } from "./timeline-causes.ts";
import {
  FOLLOWED,
  NOTHING_TRACKED,
  shownHistories,
  surveyedDensity,
  type TrackedHistories,
  trackedHistories,
} from "./timeline-histories.ts";
import { DEFAULT_RANGE, parseTimelineInput, TIMELINE_IDS, type TimelineInput } from "./timeline-input.ts";
import { timelineNotes } from "./timeline-notes.ts";
import { timelineRunners } from "./timeline-runners.ts";

/** Status changes drawn one by one: with the usual limit a page stays below 600 kB. A low limit has room for all of what its invocations did. */
function mostMarks(limit: number): number {
  return Math.max(Math.min(4 * limit, 900), 1.8 * limit);
}

/** Seconds on both sides of the focused event. */
const AROUND_EVENT = 5;

/** Sentences about what was not there yet. */
const NOT_YET = 3;

/**
 * @param drawn for a drawing, in which only lanes with readable bars are open; data has every lane that the limit leaves room for.
 * @throws InvalidInputError
 */
export async function readTimelineInput(app: OpenedApp, given: RawInput, drawn = false): Promise<TimelineInput> {
  const { raw, storedStatuses, ...queried } = await resolvedParameters(app, given, TIMELINE_IDS);
  const input = parseTimelineInput(raw, storedStatuses, app.now());
  const filtered = input.filtered || queried.conditions.length > 0;
  const options = drawn || raw.open !== undefined ? input.options : { ...input.options, open: ["*"] };
  const read = { ...input, drawn, options, filtered, filter: { ...input.filter, ...queried } };
  refusePresentFilters(read);
  return read;
}

export async function timeline(app: OpenedApp, input: TimelineInput): Promise<Timeline> {
  const found = await timelineOf(app, input);
  const notes = [...found.notes, ...(await notYetThere(app, input))];
  const { changes, invocations } = found.counts;
  if (input.filtered && changes.total === 0 && invocations.drawn === 0) {
    notes.push(...(await unknownNames(app, input.filter)).map(({ sentence }) => sentence));
  }
  return { ...found, notes };
}

/** Sentences about requested objects that did not exist yet at the instant `at`; empty without `at`. */
async function notYetThere(app: OpenedApp, { at, filter, options }: TimelineInput): Promise<string[]> {
  const { invocation_ids, workflow_id, parent_invocation_id } = filter;
  const named = [...invocation_ids, workflow_id, parent_invocation_id, options.selected, options.focus_event];
  const ids = [...new Set(named.flatMap((id) => id ?? []))];
  if (at === null || ids.length === 0) return [];
  const sentences = await app.store.read((reads) => notYet(reads, ids, at));
  const more = sentences.length - NOT_YET;
  return more > 0
    ? [...sentences.slice(0, NOT_YET), `${more} more ${more === 1 ? "was" : "were"} not there yet either.`]
    : sentences;
}

async function timelineOf(app: OpenedApp, input: TimelineInput): Promise<Timeline> {
  const { options, filtered, at } = input;
  const now = app.now();
  const first = await app.store.read(async (reads) => {
    const plan = await planOf(reads, input, now);
    return plan.followed ? loaded(app, reads, input, plan, null) : plan;
  });
  // The occupancy is that of the whole window also with `at`: it shows where else to go.
  if (!("found" in first)) {
    const [found, occupancy] = await Promise.all([
      loadedCounted(app, input, first),
      occupancyIn(app, first.window, options),
    ]);
    return { ...found, occupancy };
  }
  const { found, window, histories } = first;
  const occupancy = filtered
    ? occupancyOfTracked(histories.tracked, { ...window, now: at ?? now }, options.categories)
    : await occupancyIn(app, window, options, histories.written);
  return { ...found, occupancy };
}

/** The places of everything on the page. */
export function geometryOf(data: Timeline, options: GeometryOptions = {}): TimelineGeometry {
  const { collapse_external, step, group, breaks } = data.options;
  // A window that moves with the present would change its scale while somebody looks at it. With an `at` inside the window, which is `now` then,
  // whatever came later looks idle.
  const ended = data.end < data.now;
  const first = new Set([
    ...data.filter.invocation_ids,
    ...(data.options.selected === null ? [] : [data.options.selected]),
  ]);
  return timelineGeometry(data, {
    collapseExternal: collapse_external,
    step,
    group,
    breaks: breaks ?? (ended ? "mostly idle" : false),
    first,
    ...options,
  });
}

/** All but the occupancy, and what that is made of. */
interface Loaded {
  found: Omit<Timeline, "occupancy">;
  window: TimeWindow;
  histories: Pick<TrackedHistories, "tracked" | "written">;
}

/** Which window is shown, and how. */
interface Plan {
  preset: string | null;
  quiet: boolean;
  /** Times of the first and last stored entry. */
  span: { first: EpochSeconds; last: EpochSeconds } | null;
  /** The window, with the present or the earlier instant whose state is shown. */
  window: HistoryWindow;
  /** What is read: with `at`, nothing that came later. */
  seen: HistoryWindow;
  counted: { entries: number; exact: boolean };
  /** Change by change; otherwise all are counted. */
  followed: boolean;
}

/** @param present the instant that stored rows describe; the timeline may show an earlier one. */
async function planOf(reads: AppReads, input: TimelineInput, present: EpochSeconds): Promise<Plan> {
  const { at } = input;
  const now = at ?? present;
  const span = await reads.state_backend.historySpan();
  const { window: bounds, preset, quiet } = await windowOf(reads, input, span, now);
  const seen: HistoryWindow = { ...bounds, end: at === null ? bounds.end : Math.min(bounds.end, at), now: present };
  const counted = await reads.state_backend.countHistory({ from: seen.start, to: seen.end });
  const followed = input.filtered || counted.entries <= FOLLOWED;
  return { preset, quiet, span, window: { ...bounds, now }, seen, counted, followed };
}

/** Windows with too many changes to follow. The rollup is queried outside the snapshot, because it may have to read first. */
async function loadedCounted(app: OpenedApp, input: TimelineInput, plan: Plan): Promise<Loaded["found"]> {
  const by = input.options.group === "task" ? "task" : "writer";
  const changes = await countedChanges(app, plan.window, plan.window.now, by);
  const { found } = await app.store.read((reads) => loaded(app, reads, input, plan, changes));
  return found;
}

/** @param changes of a window that is not followed, where they are known. */
async function loaded(
  app: OpenedApp,
  reads: AppReads,
  input: TimelineInput,
  plan: Plan,
  changes: CountedChanges | null,
): Promise<Loaded> {
  const { filter, filtered, options, at } = input;
  const { window, seen, counted, followed, preset, quiet, span } = plan;
  const then = at === null ? reads : readsAsOf(reads, at);
  const dead = at === null ? () => deadBefore(app, reads) : null;
  const later = newestStampedLater(span?.last, window.now);
  const [unrecorded, exact] = await Promise.all([
    whyUnrecorded(reads),
    changes === null ? null : countedDensity(reads, changes, options.show_system),
  ]);
  const tracked = () => (seen.end < seen.start ? NOTHING_TRACKED : trackedHistories(reads, input, seen, dead, then));
  const histories = await (followed ? tracked() : shownHistories(reads, input, seen, dead));
  const requested = new Set([...filter.invocation_ids, ...(options.selected === null ? [] : [options.selected])]);
  // What is neither followed nor counted by task is grouped by runner.
  const byTask = options.group === "task" && (followed || exact !== null);
  const { drawn, closed } = chooseDrawn(histories.tracked, window, {
    marks: input.drawn ? mostMarks(options.limit) : Number.POSITIVE_INFINITY,
    limit: options.limit,
    first: requested,
    open: new Set(options.open),
    byTask,
  });
  const densityOfClosed = closed.size === 0 ? null : densityOf(histories.tracked, window, byTask, closed);
  const density = followed ? densityOfClosed : (exact ?? (await surveyedDensity(reads, window, seen.end)));
  const invocations = await drawnInvocations(reads, drawn);
  const causes = followed ? await eventsAndRuns(then, input, window, invocations) : await causesCounted(then, window);
  const services =
    options.show_atomic_service && !filtered ? await serviceRuns(then, seen, followed) : { runs: [], total: 0 };
  const marked = [
    ...drawn.flatMap(({ steps }) => steps.map((step) => step.runner_id)),
    ...(density?.rows.map((row) => row.runner_id) ?? []),
    ...services.runs.map((run) => run.runner_id),
    ...causes.events.map((event) => event.emitted_by_runner_context_id),
    ...causes.trigger_runs.map((run) => run.atomic_service_runner_id),
  ];
  // Only of all histories follows what a runner did not do.
  const complete = followed && !filtered && histories.surroundingsComplete && histories.systemHidden === 0;
  const times =
    complete && !byTask ? { busy: busySeconds(histories.tracked, seen), window, unmarked: at === null } : null;
  const { runners, heartbeatsLeft } = await timelineRunners(reads, marked, times);
  // Bars in a lane of columns are those that were requested: their changes are in both.
  const changesDrawn = changesOf(
    drawn,
    window,
    (invocation, runner_id) =>
      requested.has(invocation.invocation_id) || !closed.has(byTask ? invocation.task_id_key : runner_id),
  );
  const counts: TimelineCounts = {
    changes: followed
      ? { total: changesOf(histories.tracked, window), drawn: changesDrawn, exact: true }
      : { total: counted.entries, drawn: changesDrawn, exact: counted.exact },
    invocations: { total: followed ? histories.tracked.length : null, drawn: drawn.length },
    events: drawnCount(causes.events_total, causes.events),
    trigger_runs: drawnCount(causes.trigger_runs_total, causes.trigger_runs),
    atomic_service_runs: drawnCount(services.total, services.runs),
    unknown_runner_entries: unknownEntries(drawn, window, runners),
  };
  const data: Omit<TimelineData, "occupancy"> = {
    start: isoFromEpoch(window.start),
    end: isoFromEpoch(window.end),
    now: isoFromEpoch(window.now),
    invocations,
    runners,
    events: causes.events,
    trigger_runs: causes.trigger_runs,
    atomic_service_runs: services.runs,
    density,
    event_counts: causes.event_counts,
    counts,
  };
  const found: Loaded["found"] = {
    ...data,
    preset,
    at: isoOrNull(at),
    filter: shownFilter(filter),
    options: { ...options, group: byTask ? "task" : "runner" },
    filtered,
    data_span: span === null ? null : { first: isoFromEpoch(span.first), last: isoFromEpoch(span.last) },
    moves: movesFrom(window, span),
    unrecorded,
    notes: timelineNotes({
      now: window.now,
      stampedLater: window.end === later ? later : null,
      counts,
      density,
      followed,
      filtered,
      quiet,
      eventsCounted: causes.event_counts !== null,
      unbegun: seen.end < seen.start,
      filterExhausted: histories.exhausted,
      surroundingsComplete: histories.surroundingsComplete,
      systemHidden: histories.systemHidden,
      showSystem: options.show_system,
      byTask,
      tasksUnknown: options.group === "task" && !byTask,
      heartbeatsLeft,
    }),
  };
  return { found, window: { start: window.start, end: window.end }, histories };
}

/** A focused event is drawn in addition to those within the limit. */
function drawnCount(counted: number, drawn: readonly unknown[]): DrawnCount {
  return { total: Math.max(counted, drawn.length), capped: counted >= COUNT_CAP, drawn: drawn.length };
}

/**
 * The window that was asked for; without one, that of the invocations or the event that were; else the last minutes, or where no status changed
 * in them (`quiet`) those until the latest change.
 */
async function windowOf(
  reads: AppReads,
  { window, until_now, preset, filter, options, at }: TimelineInput,
  span: { first: EpochSeconds; last: EpochSeconds } | null,
  now: EpochSeconds,
): Promise<{ window: TimeWindow; preset: string | null; quiet: boolean }> {
  const later = newestStampedLater(span?.last, now);
  if (window !== null)
    return { window: until_now ? { ...window, end: later ?? window.end } : window, preset, quiet: false };
  const ids = [...filter.invocation_ids, ...(options.selected === null ? [] : [options.selected])];
  const spans = await reads.state_backend.historySpanOf(ids);
  const focused = options.focus_event === null ? [] : await reads.trigger.eventsByIds([options.focus_event], 0);
  const around = paddedWindow([
    ...spans.flatMap(({ first, last }) => [first.timestamp, last.timestamp]),
    ...focused.flatMap(({ timestamp }) => [timestamp - AROUND_EVENT, timestamp + AROUND_EVENT]),
  ]);
  if (around !== null) return { window: around, preset: null, quiet: false };
  if (at !== null) return { window: latestWindow({ last: at }, DEFAULT_RANGE.seconds), preset: null, quiet: false };
  const start = now - DEFAULT_RANGE.seconds;
  if (span !== null && span.last < start && isWithinBounds(span.last)) {
    return { window: latestActivity(span, DEFAULT_RANGE.seconds), preset: null, quiet: true };
  }
  return { window: { start, end: later ?? now }, preset: DEFAULT_RANGE.text, quiet: false };
}

/** Characters of arguments that a bar has room for. */
const ARGUMENTS = 60;
/** Characters of the message of an exception. */
const EXCEPTION = 100;

function shortArguments(definition: InvocationRecord): string {
  const characters = Array.from(argumentsLine(definition.serialized_arguments, definition));
  return characters.length <= ARGUMENTS ? characters.join("") : `${characters.slice(0, ARGUMENTS - 1).join("")}…`;
}

async function drawnInvocations(reads: AppReads, drawn: readonly TrackedInvocation[]): Promise<TimelineInvocation[]> {
  const failed = drawn.filter(({ steps }) => steps.at(-1)?.status === "failed").map((one) => one.invocation_id);
  const [definitions, exceptions] = await Promise.all([
    reads.state_backend.invocationsByIds(drawn.map((one) => one.invocation_id)),
    failed.length === 0 ? null : exceptionLines(reads, failed, EXCEPTION),
  ]);
  const definitionById = new Map(definitions.map((row) => [row.invocation_id, row]));
  return drawn.map(({ invocation_id, task_id_key, steps, afterwards }) => {
    const definition: InvocationRecord | undefined = definitionById.get(invocation_id);
    return {
      invocation_id,
      task_id_key,
      parent_invocation_id: definition?.parent_invocation_id ?? null,
      parent_event_id: definition?.parent_event_id ?? null,
      workflow_root: definition?.workflow_id === invocation_id,
      arguments: definition === undefined ? null : shortArguments(definition),
      exception: exceptions?.get(invocation_id) ?? null,
      entries: steps.map(({ at, status, runner_id, dead_from }) => ({
        timestamp: isoFromEpoch(at),
        status,
        runner_id,
        ...(dead_from !== undefined && { dead_from: isoFromEpoch(dead_from) }),
      })),
      afterwards,
    };
  });
}

function changesOf(
  invocations: readonly TrackedInvocation[],
  window: HistoryWindow,
  counts: (invocation: TrackedInvocation, runner_id: string | null) => boolean = () => true,
): number {
  const own = (one: TrackedInvocation) => stepsWithin(one, window).filter(({ runner_id }) => counts(one, runner_id));
  return invocations.reduce((sum, one) => sum + own(one).length, 0);
}

function unknownEntries(
  drawn: readonly TrackedInvocation[],
  window: HistoryWindow,
  runners: readonly TimelineRunner[],
): number {
  const known = new Set(runners.flatMap((runner) => (runner.runner_cls === null ? [] : [runner.runner_id])));
  return drawn.reduce(
    (sum, invocation) =>
      sum +
      stepsWithin(invocation, window).filter(({ runner_id }) => runner_id === null || !known.has(runner_id)).length,
    0,
  );
}
