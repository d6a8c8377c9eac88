/**
 * The timeline of a window: what every invocation did on which runner, with the events and triggers that led from one to the other. Whatever
 * the window holds, the number of reads is fixed and each is bounded; what is not drawn is counted, and the notes say so.
 */
import type { CriticalPath } from "../../api/model/critical-path.ts";
import type {
  DrawnCount,
  Timeline,
  TimelineCounts,
  TimelineDensity,
  TimelineInvocation,
  TimelineOptions,
  TimelineRunner,
  TimelineServiceRun,
} from "../../api/timeline.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull, isWithinBounds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { densityOf } from "../../timeline/density.ts";
import { type GeometryOptions, type TimelineGeometry, timelineGeometry } from "../../timeline/geometry.ts";
import { busySeconds, chooseDrawn, segmentOf, stepsWithin, type TrackedInvocation } from "../../timeline/histories.ts";
import { type LaneMark, type Lanes, lanesOf, MAX_LANES } from "../../timeline/lanes.ts";
import type { HistoryWindow } from "../../timeline/model.ts";
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
import { timeSpent } from "../model/time-spent.ts";
import { latestActivity, movesFrom, paddedWindow, type TimeWindow } from "../model/timeline-window.ts";
import { whyUnrecorded } from "../triggers/known-event.ts";
import { type CountedChanges, countedChanges, countedDensity } from "./counted-changes.ts";
import { occupancyIn, occupancyOfTracked, QUEUE_OF_ALL, unchangedIn } from "./occupancy.ts";
import { type Causes, COUNT_CAP, causesIn, causesOfInvocations, serviceRuns } from "./timeline-causes.ts";
import {
  FOLLOWED,
  NOTHING_TRACKED,
  shownHistories,
  type TrackedHistories,
  trackedHistories,
} from "./timeline-histories.ts";
import {
  DEFAULT_RANGE,
  parseTimelineInput,
  TIMELINE_IDS,
  type TimelineForm,
  type TimelineInput,
} from "./timeline-input.ts";
import { timelineNotes } from "./timeline-notes.ts";
import { withOrigins } from "./timeline-origins.ts";
import { timelineRunners, withSilence } from "./timeline-runners.ts";

/** Status changes drawn one by one: with the usual limit a page stays below 300 kB. A low limit has room for all of what its invocations did. */
function mostMarks({ form, options: { limit } }: TimelineInput): number {
  if (form !== "drawing") return form === "counts" ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(Math.min(4 * limit, 500), limit);
}

/** Seconds on both sides of the focused event. */
const AROUND_EVENT = 5;

/** Sentences about what was not there yet. */
const NOT_YET = 3;

/**
 * Data has every lane open that the limit leaves room for, unless lanes are named; in other forms those with readable bars are.
 *
 * @throws InvalidInputError
 */
export async function readTimelineInput(
  app: OpenedApp,
  given: RawInput,
  form: TimelineForm = "data",
): Promise<TimelineInput> {
  // Bookmarks of pynmon and of earlier versions have these two, which never changed what is drawn, only its scale.
  const { resolution, breaks, ...asked } = given;
  const { raw, storedStatuses, ...queried } = await resolvedParameters(app, asked, TIMELINE_IDS);
  const input = parseTimelineInput(raw, storedStatuses, app.now());
  const filtered = input.filtered || queried.conditions.length > 0;
  const options = form === "data" && raw.open === undefined ? { ...input.options, open: ["*"] } : input.options;
  const read = { ...input, form, options, filtered, filter: { ...input.filter, ...queried } };
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
  const { options, filtered } = input;
  const now = app.now();
  const first = await app.store.read(async (reads) => {
    const plan = await planOf(app, reads, input, now);
    if (!plan.followed) return { plan, content: null };
    const content = await followed(app, reads, input, plan);
    return { plan, content, timeline: await described(reads, input, plan, content) };
  });
  const { plan } = first;
  if (first.content === null) {
    const [timeline, occupancy] = await Promise.all([
      countedTimeline(app, input, plan),
      occupancyIn(app, plan.window, options),
    ]);
    return { ...timeline, occupancy };
  }
  const { tracked, systemHidden } = first.content.histories;
  const unchanged = filtered
    ? { groups: {}, waiting: QUEUE_OF_ALL }
    : await unchangedIn(app, tracked, plan.window, options.show_system);
  // The queue is that of all tasks.
  if (systemHidden > 0) unchanged.waiting = QUEUE_OF_ALL;
  return { ...first.timeline, occupancy: occupancyOfTracked(tracked, plan.window, options.categories, unchanged) };
}

/** The places of everything on the page. */
export function geometryOf(data: Timeline, options: GeometryOptions = {}): TimelineGeometry {
  const { collapse_external, group, open, selected } = data.options;
  const onPath = (data.critical_path?.segments ?? []).map((segment) => segment.invocation_id);
  return timelineGeometry(data, {
    collapseExternal: collapse_external,
    group,
    open,
    first: new Set([...data.filter.invocation_ids, ...(selected === null ? [] : [selected]), ...onPath]),
    path: data.critical_path,
    ...options,
  });
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
  path: CriticalPath | null;
}

/** @param present the instant that stored rows describe; the timeline may show an earlier one. */
async function planOf(app: OpenedApp, reads: AppReads, input: TimelineInput, present: EpochSeconds): Promise<Plan> {
  const { at } = input;
  const now = at ?? present;
  const span = await reads.state_backend.historySpan();
  const { window: bounds, preset, quiet } = await windowOf(reads, input, span, now);
  const seen: HistoryWindow = { ...bounds, end: at === null ? bounds.end : Math.min(bounds.end, at), now: present };
  const counted = await reads.state_backend.countHistory({ from: seen.start, to: seen.end });
  const followed = input.filtered || counted.entries <= FOLLOWED;
  const path = await pathOf(app, reads, input, present);
  return { preset, quiet, span, window: { ...bounds, now }, seen, counted, followed, path };
}

/** What an invocation waited for in the past is not known. */
async function pathOf(
  app: OpenedApp,
  reads: AppReads,
  { at, form, filter, options }: TimelineInput,
  now: EpochSeconds,
): Promise<CriticalPath | null> {
  const id = options.selected ?? filter.workflow_id ?? null;
  if (id === null || at !== null || form === "counts") return null;
  const spent = await timeSpent(reads, id, { now, deadBefore: () => deadBefore(app, reads) });
  return spent?.critical_path ?? null;
}

/** What happened in a window, and which of it is drawn one by one. */
interface Content {
  histories: TrackedHistories;
  drawn: TrackedInvocation[];
  definitions: readonly InvocationRecord[];
  /** Runners or tasks whose lanes are columns: of their changes only those of requested invocations are drawn. */
  closed: ReadonlySet<string | null>;
  density: TimelineDensity | null;
  changes: { total: number; exact: boolean };
  invocations: number | null;
  byTask: boolean;
  /** More of it will be counted once the history has been read. */
  reading: boolean;
  causes: Causes;
  services: { runs: TimelineServiceRun[]; total: number };
  runners: TimelineRunner[];
  heartbeatsLeft: boolean;
}

/** A window whose changes are few enough to be followed one by one. */
async function followed(app: OpenedApp, reads: AppReads, input: TimelineInput, plan: Plan): Promise<Content> {
  const { filtered, options, at } = input;
  const { window, seen } = plan;
  const then = at === null ? reads : readsAsOf(reads, at);
  const dead = at === null ? () => deadBefore(app, reads) : null;
  const found = seen.end < seen.start ? NOTHING_TRACKED : await trackedHistories(reads, input, seen, dead, then);
  const definitionsOf = (some: readonly TrackedInvocation[]) =>
    reads.state_backend.invocationsByIds(some.map((one) => one.invocation_id));
  const all = filtered || options.group === "cause" ? await definitionsOf(found.tracked) : null;
  const tracked = options.group === "cause" ? await withOrigins(then, found.tracked, all ?? []) : found.tracked;
  const histories = { ...found, tracked };
  const [causes, services] = await Promise.all([
    filtered ? causesOfInvocations(then, input, window, tracked, all ?? []) : causesIn(then, input, window, true),
    options.show_atomic_service && !filtered ? serviceRuns(then, seen, true) : NO_SERVICES,
  ]);
  const byTask = options.group !== "runner";
  // Only of all histories follows what a runner did not do.
  const complete = !filtered && histories.surroundingsComplete && histories.systemHidden === 0;
  const times = complete && !byTask ? { busy: busySeconds(tracked, seen), window, unmarked: at === null } : null;
  const marked = [
    ...runnersOf(tracked),
    ...services.runs.map((run) => run.runner_id),
    ...causes.events.map((event) => event.emitted_by_runner_context_id),
    ...causes.trigger_runs.map((run) => run.atomic_service_runner_id),
  ];
  const { runners, heartbeatsLeft } = await timelineRunners(reads, marked, times);
  const lanes = lanesOfTracked(tracked, runners, options);
  const { drawn, closed } = chooseDrawn(tracked, window, {
    marks: mostMarks(input),
    limit: options.limit,
    first: requestedIn(input, plan.path),
    open: new Set(options.open),
    byTask,
    laneKeyOf: (home) => lanes.laneOf(home)?.key,
  });
  const shared = input.form === "drawing" ? together(lanes) : undefined;
  return {
    ...{ histories, drawn, closed, byTask, causes, services, runners, heartbeatsLeft, reading: false },
    definitions: all ?? (await definitionsOf(drawn)),
    density: closed.size === 0 ? null : densityOf(tracked, window, byTask, closed, shared),
    changes: { total: changesOf(tracked, window), exact: true },
    invocations: tracked.length,
  };
}

function runnersOf(tracked: readonly TrackedInvocation[]): Set<string | null> {
  const runners = new Set<string | null>();
  for (const { steps } of tracked) for (const { runner_id } of steps) runners.add(runner_id);
  return runners;
}

function lanesOfTracked(
  tracked: readonly TrackedInvocation[],
  runners: readonly TimelineRunner[],
  { collapse_external, open, group }: TimelineOptions,
): Lanes {
  const byTask = group !== "runner";
  const counts = new Map<string | null, LaneMark>();
  for (const one of tracked) {
    const task_id_key = segmentOf(one);
    for (const { runner_id } of one.steps) {
      const name = byTask ? task_id_key : runner_id;
      const mark = counts.get(name) ?? { home: { runner_id, task_id_key }, count: 0, failed: 0 };
      counts.set(name, mark);
      mark.count++;
    }
  }
  const marks = [...counts.values()];
  return lanesOf(runners, marks, { group, collapseExternal: collapse_external, maxLanes: MAX_LANES, open });
}

/** Which runners share a lane whatever their marks. */
function together({ lanes }: Lanes): string[][] {
  return lanes.flatMap(({ kind, runner_ids }) =>
    ["group", "one-shot", "external"].includes(kind) && runner_ids.length > 1 ? [runner_ids] : [],
  );
}

/** A window with too many changes to follow: all of them are counted. The figures are asked for outside the snapshot, because they may have to be read first. */
async function countedTimeline(app: OpenedApp, input: TimelineInput, plan: Plan): Promise<Omit<Timeline, "occupancy">> {
  const by = input.options.group === "task" ? "task" : "writer";
  const changes = await countedChanges(app, plan.window, plan.window.now, by);
  return app.store.read(async (reads) =>
    described(reads, input, plan, await counted(app, reads, input, plan, changes)),
  );
}

async function counted(
  app: OpenedApp,
  reads: AppReads,
  input: TimelineInput,
  { window, seen, counted: changesIn, path }: Plan,
  changes: CountedChanges,
): Promise<Content> {
  const { options, at, filtered } = input;
  const then = at === null ? reads : readsAsOf(reads, at);
  const { density, byTask } = await countedDensity(reads, changes, options.show_system);
  const histories = await shownHistories(reads, input, seen, path, at === null ? () => deadBefore(app, reads) : null);
  const requested = requestedIn(input, path);
  const drawn = histories.tracked
    .toSorted((a, b) => Number(requested.has(b.invocation_id)) - Number(requested.has(a.invocation_id)))
    .slice(0, input.form === "counts" ? 0 : options.limit);
  const causes = await causesIn(then, input, window, false);
  const services = options.show_atomic_service && !filtered ? await serviceRuns(then, seen, false) : NO_SERVICES;
  const marked = [...runnersOf(drawn), ...density.rows.map((row) => row.runner_id)];
  return {
    ...{ histories, drawn, density, causes, services, reading: changes.reading },
    ...(await timelineRunners(reads, marked, null)),
    definitions: await reads.state_backend.invocationsByIds(drawn.map((one) => one.invocation_id)),
    closed: new Set(),
    byTask,
    changes: { total: changesIn.entries, exact: changesIn.exact },
    invocations: null,
  };
}

const NO_SERVICES = { runs: [], total: 0 };

/** The selected invocation, those that were asked for by id, and those on the critical path. */
function requestedIn({ filter, options }: TimelineInput, path: CriticalPath | null): ReadonlySet<string> {
  const selected = options.selected === null ? [] : [options.selected];
  const onPath = (path?.segments ?? []).map((segment) => segment.invocation_id);
  return new Set([...filter.invocation_ids, ...selected, ...onPath]);
}

async function described(
  reads: AppReads,
  input: TimelineInput,
  { window, seen, span, preset, quiet, followed, path }: Plan,
  content: Content,
): Promise<Omit<Timeline, "occupancy">> {
  const { filter, filtered, options, at } = input;
  const { histories, drawn, closed, density, byTask, causes, services, runners } = content;
  const requested = requestedIn(input, path);
  const counted = byTask ? ("task" as const) : ("runner" as const);
  const group = followed ? options.group : counted;
  const later = newestStampedLater(span?.last, window.now);
  const [unrecorded, invocations] = await Promise.all([
    whyUnrecorded(reads),
    drawnInvocations(reads, drawn, content.definitions),
  ]);
  const counts: TimelineCounts = {
    changes: {
      ...content.changes,
      // Bars in a lane of columns are those that were requested: their changes are in both.
      drawn: changesOf(
        drawn,
        window,
        (invocation, runner_id) =>
          requested.has(invocation.invocation_id) || !closed.has(byTask ? segmentOf(invocation) : runner_id),
      ),
    },
    invocations: { total: content.invocations, drawn: drawn.length },
    events: drawnCount(causes.events_total, causes.events),
    trigger_runs: drawnCount(causes.trigger_runs_total, causes.trigger_runs),
    atomic_service_runs: drawnCount(services.total, services.runs),
  };
  return {
    start: isoFromEpoch(window.start),
    end: isoFromEpoch(window.end),
    now: isoFromEpoch(window.now),
    invocations,
    runners: withSilence(runners, histories.tracked, window.now),
    events: causes.events,
    trigger_runs: causes.trigger_runs,
    atomic_service_runs: services.runs,
    density,
    event_counts: causes.event_counts,
    counts,
    preset,
    at: isoOrNull(at),
    filter: shownFilter(filter),
    options: { ...options, group },
    filtered,
    data_span: span === null ? null : { first: isoFromEpoch(span.first), last: isoFromEpoch(span.last) },
    critical_path: path,
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
      reading: content.reading,
      lanes: { wanted: options.group, shown: group },
      heartbeatsLeft: content.heartbeatsLeft,
    }),
  };
}

/** A focused event is drawn in addition to those within the limit. */
function drawnCount(counted: number, drawn: readonly unknown[]): DrawnCount {
  return { total: Math.max(counted, drawn.length), capped: counted >= COUNT_CAP, drawn: drawn.length };
}

/**
 * The window that was asked for; without one, that of the invocations or the event that were, as far as they had come at the instant `at`; else the
 * last minutes, up to `at`, or where no status changed in them (`quiet`) those until the latest change.
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
  const stretches = [
    ...spans.map(({ first, last }) => [first.timestamp, last.timestamp]),
    ...focused.map(({ timestamp }) => [timestamp - AROUND_EVENT, timestamp + AROUND_EVENT]),
  ].filter(([from = now]) => at === null || from <= at);
  const around = paddedWindow(stretches.flat());
  if (around !== null)
    return { window: { ...around, end: Math.min(around.end, at ?? around.end) }, preset: null, quiet: false };
  const start = now - DEFAULT_RANGE.seconds;
  if (at !== null) return { window: { start, end: at }, preset: null, quiet: false };
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

async function drawnInvocations(
  reads: AppReads,
  drawn: readonly TrackedInvocation[],
  definitions: readonly InvocationRecord[],
): Promise<TimelineInvocation[]> {
  const failed = drawn.filter(({ steps }) => steps.at(-1)?.status === "failed").map((one) => one.invocation_id);
  const exceptions = failed.length === 0 ? null : await exceptionLines(reads, failed, EXCEPTION);
  const definitionById = new Map(definitions.map((row) => [row.invocation_id, row]));
  return drawn.map(({ invocation_id, task_id_key, origin, steps, afterwards }) => {
    const definition: InvocationRecord | undefined = definitionById.get(invocation_id);
    return {
      invocation_id,
      task_id_key,
      parent_invocation_id: definition?.parent_invocation_id ?? null,
      parent_event_id: definition?.parent_event_id ?? null,
      ...(origin !== undefined && { origin }),
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
  let changes = 0;
  for (const one of invocations)
    for (const { runner_id } of stepsWithin(one, window)) if (counts(one, runner_id)) changes++;
  return changes;
}
