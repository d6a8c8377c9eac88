/**
 * The timeline of a window: what every invocation did on which runner, with the events and triggers that led from one to the other. Whatever
 * the window holds, the number of reads is fixed and every one is bounded; what is not drawn one by one is counted, and said.
 */
import { isCoreTask } from "../pynenc/identifiers.ts";
import type {
  EventSummary,
  ExecutionRecord,
  HistoryRecord,
  InvocationRecord,
  InvocationStatusRecord,
  TriggerRunRecord,
} from "../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../pynenc/time.ts";
import type { AppReads } from "../stores/ports.ts";
import { type GeometryOptions, type TimelineGeometry, timelineGeometry } from "../timeline/geometry.ts";
import {
  chooseDrawn,
  countedDensity,
  estimatedDensity,
  type HistoryWindow,
  occupancyOf,
  SLICES,
  stepsWithin,
  type TrackedInvocation,
} from "../timeline/histories.ts";
import type {
  DrawnCount,
  TimelineCounts,
  TimelineData,
  TimelineDensity,
  TimelineEvent,
  TimelineInvocation,
  TimelineRunner,
  TimelineServiceRun,
  TimelineTriggerRun,
} from "../timeline/model.ts";
import { isLasting, LASTING_STATUSES } from "../timeline/strands.ts";
import { countByStatus } from "./counts.ts";
import { whyUnrecorded } from "./events.ts";
import type { RawInput } from "./input.ts";
import { InvocationWalk } from "./invocation-walk.ts";
import type { OpenedApp } from "./opened-app.ts";
import { type RunnerName, runnerNames } from "./runner-names.ts";
import { DEFAULT_PRESET, parseTimelineInput, type TimelineInput } from "./timeline-input.ts";
import { timelineNotes } from "./timeline-notes.ts";
import { movesFrom, paddedWindow, type TimelineMoves, type TimeWindow } from "./timeline-window.ts";
import { causesOf } from "./trigger-runs.ts";

/** The JSON twin. */
export interface Timeline extends TimelineData {
  /** The preset that the window is, when it is one. */
  preset: string | null;
  filter: TimelineInput["filter"];
  options: TimelineInput["options"];
  /** Some invocations are asked for and not all of the window. */
  filtered: boolean;
  /** First and last status change of the app: where there is something to see. Null when there is none at all. */
  data_span: { first: string; last: string } | null;
  moves: TimelineMoves;
  /** Why no events are shown; null where the store records them. */
  unrecorded: string | null;
  /** What is left out, put together or estimated, in words. */
  notes: string[];
}

/** Windows with more status changes than this are not followed change by change but surveyed. */
const FOLLOWED = 20_000;
/** `limit` invocations may make so many marks each, on average: with the default a page stays below a megabyte. */
const MARKS_PER_INVOCATION = 3;
/** Changes looked at in a survey, in so many slices: each must hold enough of them to tell runners and statuses apart. */
const SURVEYED = 20_000;
const SURVEYED_SLICES = 60;
/** Changes before and after the window among which invocations are looked for that changed nothing inside it. */
const LOOKED_AROUND = 2_000;
/** Invocations that go on now and began before the window. */
const ONGOING = 500;
/** Candidates that a filtered timeline looks at. */
const FILTER_LOOK_LIMIT = 30_000;
const HISTORY_LIMIT = 50_000;
export const EVENTS_DRAWN = 500;
export const TRIGGER_RUNS_DRAWN = 500;
export const SERVICE_RUNS_DRAWN = 500;
/** Beyond, a count is "more than". */
export const COUNT_CAP = 10_000;

/** @throws InvalidInputError */
export async function readTimelineInput(app: OpenedApp, raw: RawInput): Promise<TimelineInput> {
  const counts = raw.status === undefined ? {} : await countByStatus(app);
  return parseTimelineInput(raw, Object.keys(counts), app.now());
}

export function timeline(app: OpenedApp, input: TimelineInput): Promise<Timeline> {
  return app.store.read((reads) => loaded(reads, input, app.now()));
}

/** The places of everything on the page. */
export function geometryOf(data: Timeline, options: GeometryOptions = {}): TimelineGeometry {
  const { collapse_external, step } = data.options;
  return timelineGeometry(data, { collapseExternal: collapse_external, step, ...options });
}

async function loaded(reads: AppReads, input: TimelineInput, now: EpochSeconds): Promise<Timeline> {
  const { filter, filtered, options } = input;
  const { window: bounds, preset } = await windowOf(reads, input, now);
  const window: HistoryWindow = { ...bounds, now };
  const [counted, span, unrecorded] = await Promise.all([
    reads.state_backend.countHistory({ from: window.start, to: window.end }),
    reads.state_backend.historySpan(),
    whyUnrecorded(reads),
  ]);
  const followed = filtered || counted.entries <= FOLLOWED;
  const histories = followed ? await trackedHistories(reads, input, window) : NOTHING_TRACKED;
  const asked = new Set([...filter.invocation_ids, ...(options.selected === null ? [] : [options.selected])]);
  const marks = options.limit * MARKS_PER_INVOCATION;
  const { drawn, counted: rest } = chooseDrawn(histories.tracked, window, {
    marks,
    limit: options.limit,
    first: asked,
  });
  const density = followed
    ? rest.length === 0
      ? null
      : countedDensity(rest, window, SLICES)
    : await surveyed(reads, window);
  const invocations = await drawnInvocations(reads, drawn);
  const causes = followed ? await eventsAndRuns(reads, input, window, invocations) : await causesCounted(reads, window);
  const services =
    options.show_atomic_service && !filtered ? await serviceRuns(reads, window, followed) : { runs: [], total: 0 };
  const runners = await runnersOf(reads, [
    ...drawn.flatMap(({ steps }) => steps.map((step) => step.runner_id)),
    ...(density?.rows.map((row) => row.runner_id) ?? []),
    ...services.runs.map((run) => run.runner_id),
    ...causes.events.map((event) => event.emitted_by_runner_context_id),
    ...causes.trigger_runs.map((run) => run.atomic_service_runner_id),
  ]);
  const changesDrawn = changesOf(drawn, window);
  const counts: TimelineCounts = {
    changes: followed
      ? { total: changesOf(histories.tracked, window), drawn: changesDrawn, exact: true }
      : { total: counted.entries, drawn: 0, exact: counted.exact },
    invocations: { total: followed ? histories.tracked.length : null, drawn: drawn.length },
    events: drawnCount(causes.events_total, causes.events),
    trigger_runs: drawnCount(causes.trigger_runs_total, causes.trigger_runs),
    atomic_service_runs: drawnCount(services.total, services.runs),
    unknown_runner_entries: unknownEntries(drawn, window, runners),
  };
  const data: TimelineData = {
    start: isoFromEpoch(window.start),
    end: isoFromEpoch(window.end),
    now: isoFromEpoch(now),
    invocations,
    runners,
    events: causes.events,
    trigger_runs: causes.trigger_runs,
    atomic_service_runs: services.runs,
    density,
    occupancy: followed ? occupancyOf(histories.tracked, window, SLICES, options.categories) : null,
    counts,
  };
  return {
    ...data,
    preset,
    filter,
    options,
    filtered,
    data_span: span === null ? null : { first: isoFromEpoch(span.first), last: isoFromEpoch(span.last) },
    moves: movesFrom(window, span),
    unrecorded,
    notes: timelineNotes({
      counts,
      density,
      filtered,
      filterExhausted: histories.exhausted,
      lookedAround: histories.lookedAround,
      systemHidden: histories.systemHidden,
    }),
  };
}

/** A focused event is drawn besides those that the limit admits. */
function drawnCount(counted: number, drawn: readonly unknown[]): DrawnCount {
  return { total: Math.max(counted, drawn.length), capped: counted >= COUNT_CAP, drawn: drawn.length };
}

/** The window that was asked for; without one, that of the invocations that were; else the last minutes. */
async function windowOf(
  reads: AppReads,
  { window, preset, filter, options }: TimelineInput,
  now: EpochSeconds,
): Promise<{ window: TimeWindow; preset: string | null }> {
  if (window !== null) return { window, preset };
  const ids = [...filter.invocation_ids, ...(options.selected === null ? [] : [options.selected])];
  const spans = await reads.state_backend.historySpanOf(ids);
  const around = paddedWindow(spans.flatMap(({ first, last }) => [first, last]));
  if (around !== null) return { window: around, preset: null };
  return { window: { start: now - 300, end: now }, preset: DEFAULT_PRESET };
}

interface Tracked {
  tracked: TrackedInvocation[];
  /** Every candidate of the filter was looked at. */
  exhausted: boolean;
  /** No invocation that was busy all through the window can have been missed. */
  lookedAround: boolean;
  /** Invocations of pynenc's own tasks that are left out. */
  systemHidden: number;
}

const NOTHING_TRACKED: Tracked = { tracked: [], exhausted: true, lookedAround: true, systemHidden: 0 };

/** Histories of the window's invocations, with the status that each was in when the window began. */
async function trackedHistories(reads: AppReads, input: TimelineInput, window: HistoryWindow): Promise<Tracked> {
  const { filter, filtered, options } = input;
  const bounds = { from: window.start, to: window.end };
  const walk = filtered ? new InvocationWalk({ ...filter, ...bounds }, false) : null;
  const matching = (await walk?.next(reads, options.limit, FILTER_LOOK_LIMIT)) ?? [];
  const inWindow = filtered ? [] : await reads.state_backend.historyBetween(bounds, FOLLOWED, "earliest");
  const active = new Set(filtered ? matching : inWindow.map((entry) => entry.invocation_id));
  const spanning = await spanningAmong(reads, input, window, active);
  // A filter may have found no more than its limit: what spans the window is only told from the whole history.
  const entries = filtered
    ? (await reads.state_backend.historyOf([...matching, ...spanning.ids], HISTORY_LIMIT)).filter(
        ({ timestamp }) => timestamp >= window.start && timestamp <= window.end,
      )
    : inWindow;
  const stepsOf = new Map<string, HistoryRecord[]>();
  for (const entry of entries) {
    const known = stepsOf.get(entry.invocation_id);
    if (known === undefined) stepsOf.set(entry.invocation_id, [entry]);
    else known.push(entry);
  }
  const begun = [...stepsOf].flatMap(([id, steps]) => (steps[0]?.status === "registered" ? [] : [id]));
  const before = await reads.state_backend.lastEntriesBefore([...new Set([...begun, ...spanning.ids])], window.start);
  for (const entry of before) {
    if (isLasting(entry.status)) stepsOf.set(entry.invocation_id, [entry, ...(stepsOf.get(entry.invocation_id) ?? [])]);
  }
  const ids = [...stepsOf.keys()];
  const statuses = await reads.orchestrator.statusesByIds(ids);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const purged = await reads.state_backend.invocationsByIds(ids.filter((id) => !statusById.has(id)));
  const taskById = new Map([...purged, ...statuses].map((row) => [row.invocation_id, row.task_id_key]));
  const all = [...stepsOf].map(
    ([invocation_id, steps]): TrackedInvocation => ({
      invocation_id,
      task_id_key: taskById.get(invocation_id) ?? null,
      steps: steps.map(({ timestamp, status, runner_context_id }) => ({
        at: timestamp,
        status,
        runner_id: runner_context_id,
      })),
      afterwards: afterwardsOf(steps.at(-1), statusById.get(invocation_id)),
    }),
  );
  const tracked = options.show_system
    ? all
    : all.filter(({ task_id_key }) => task_id_key === null || !isCoreTask(task_id_key));
  return {
    tracked,
    exhausted: walk?.done ?? true,
    lookedAround: spanning.complete,
    systemHidden: all.length - tracked.length,
  };
}

/** The orchestrator's present status is told by the last entry, or a later one lies behind the window. */
function afterwardsOf(last: HistoryRecord | undefined, status: InvocationStatusRecord | undefined) {
  return last !== undefined && status?.status === last.status && status.status_timestamp <= last.timestamp + 1
    ? "ongoing"
    : "continues";
}

/**
 * Invocations that changed nothing in the window because they were busy all through it. They began before and go on now, or changed after it:
 * a window that reaches up to the present leaves no other way.
 */
async function spanningAmong(
  reads: AppReads,
  { filter, filtered }: TimelineInput,
  { start, end, now }: HistoryWindow,
  active: ReadonlySet<string>,
): Promise<{ ids: string[]; complete: boolean }> {
  const past = end < now;
  const [recent, next, ongoing] = await Promise.all([
    past ? reads.state_backend.historyBetween({ to: start }, LOOKED_AROUND, "latest") : [],
    past ? reads.state_backend.historyBetween({ from: end }, LOOKED_AROUND, "earliest") : [],
    reads.orchestrator.listInvocations({ statuses: LASTING_STATUSES }, { limit: ONGOING + 1, offset: 0 }),
  ]);
  const last = new Map(recent.map((entry) => [entry.invocation_id, entry.status]));
  const first = new Map([...next].reverse().map((entry) => [entry.invocation_id, entry.status]));
  const candidates = new Set([
    ...[...last].flatMap(([id, status]) => (isLasting(status) ? [id] : [])),
    ...[...first].flatMap(([id, status]) => (status === "registered" ? [] : [id])),
    ...ongoing.flatMap((row) => (row.status_timestamp < start ? [row.invocation_id] : [])),
  ]);
  const ids = [...candidates].filter(
    (id) => !active.has(id) && (filter.invocation_ids.length === 0 || filter.invocation_ids.includes(id)),
  );
  const complete = ongoing.length <= ONGOING && (recent.length < LOOKED_AROUND || next.length < LOOKED_AROUND);
  if (!filtered || ids.length === 0) return { ids, complete };
  const walk = new InvocationWalk({ ...filter, invocation_ids: ids }, false);
  return { ids: await walk.next(reads, ids.length, ids.length), complete };
}

async function surveyed(reads: AppReads, window: HistoryWindow): Promise<TimelineDensity> {
  const { slices } = await reads.state_backend.surveyHistory(
    { from: window.start, to: window.end },
    SURVEYED_SLICES,
    SURVEYED,
  );
  return estimatedDensity(
    slices.map(({ entries, shares }) => ({
      total: entries,
      shares: shares.map(({ runner_context_id, status, met }) => ({ runner_id: runner_context_id, status, met })),
    })),
  );
}

async function drawnInvocations(reads: AppReads, drawn: readonly TrackedInvocation[]): Promise<TimelineInvocation[]> {
  const definitions = await reads.state_backend.invocationsByIds(drawn.map((one) => one.invocation_id));
  const definitionById = new Map(definitions.map((row) => [row.invocation_id, row]));
  return drawn.map(({ invocation_id, task_id_key, steps, afterwards }) => {
    const definition: InvocationRecord | undefined = definitionById.get(invocation_id);
    return {
      invocation_id,
      task_id_key,
      parent_invocation_id: definition?.parent_invocation_id ?? null,
      parent_event_id: definition?.parent_event_id ?? null,
      workflow_root: definition?.workflow_id === invocation_id,
      entries: steps.map(({ at, status, runner_id }) => ({ timestamp: isoFromEpoch(at), status, runner_id })),
      afterwards,
    };
  });
}

interface Causes {
  events: TimelineEvent[];
  events_total: number;
  trigger_runs: TimelineTriggerRun[];
  trigger_runs_total: number;
}

/** Events and runs of the window; of a filtered timeline those that its invocations emitted, caused or came from. */
async function eventsAndRuns(
  reads: AppReads,
  { filtered, options }: TimelineInput,
  window: HistoryWindow,
  invocations: readonly TimelineInvocation[],
): Promise<Causes> {
  const bounds = { from: window.start, to: window.end };
  const ids = invocations.map((one) => one.invocation_id);
  if (!filtered) {
    const [events, events_total, runs, trigger_runs_total] = await Promise.all([
      reads.trigger.listEventsForward(bounds, { limit: EVENTS_DRAWN, offset: 0 }),
      reads.trigger.countEvents(bounds, COUNT_CAP),
      reads.trigger.listTriggerRuns(bounds, { limit: TRIGGER_RUNS_DRAWN, offset: 0 }),
      reads.trigger.countTriggerRuns(bounds, COUNT_CAP),
    ]);
    const focused = await focusedEvent(reads, options.focus_event, bounds, events);
    return {
      events: [...events, ...focused].map(timelineEvent),
      events_total,
      trigger_runs: runs.map(timelineRun),
      trigger_runs_total,
    };
  }
  const [emitted, started, caused] = await Promise.all([
    reads.trigger.eventsEmittedBy(ids, EVENTS_DRAWN + 1),
    reads.trigger.triggerRunsOf("triggered_invocation", ids, TRIGGER_RUNS_DRAWN + 1),
    reads.trigger.triggerRunsOf("source_invocation", ids, TRIGGER_RUNS_DRAWN + 1),
  ]);
  const runIds = [...new Set([...started, ...caused].map((link) => link.trigger_run_id))];
  const runs = await reads.trigger.triggerRunsByIds(runIds.slice(0, TRIGGER_RUNS_DRAWN));
  const origins = [
    ...runs.flatMap((run) => run.event_ids),
    ...invocations.flatMap((one) => one.parent_event_id ?? []),
    ...(options.focus_event === null ? [] : [options.focus_event]),
  ];
  const known = new Set(emitted.map((event) => event.event_id));
  const others = await eventsById(
    reads,
    [...new Set(origins)].filter((id) => !known.has(id)),
  );
  const inWindow = [...emitted, ...others].filter(
    ({ timestamp }) => timestamp >= window.start && timestamp <= window.end,
  );
  return {
    events: inWindow.slice(0, EVENTS_DRAWN).map(timelineEvent),
    events_total: inWindow.length,
    trigger_runs: runs.map(timelineRun),
    trigger_runs_total: runIds.length,
  };
}

/** Where there is too much to draw, events and runs are only counted. */
async function causesCounted(reads: AppReads, window: HistoryWindow): Promise<Causes> {
  const bounds = { from: window.start, to: window.end };
  const [events_total, trigger_runs_total] = await Promise.all([
    reads.trigger.countEvents(bounds, COUNT_CAP),
    reads.trigger.countTriggerRuns(bounds, COUNT_CAP),
  ]);
  return { events: [], events_total, trigger_runs: [], trigger_runs_total };
}

/** The event that is looked at, when it lies in the window behind those that are drawn. */
async function focusedEvent(
  reads: AppReads,
  id: string | null,
  { from, to }: { from: EpochSeconds; to: EpochSeconds },
  drawn: readonly EventSummary[],
): Promise<EventSummary[]> {
  if (id === null || drawn.some((event) => event.event_id === id)) return [];
  const found = await eventsById(reads, [id]);
  return found.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
}

async function eventsById(reads: AppReads, ids: readonly string[]): Promise<EventSummary[]> {
  const [records, links] = await Promise.all([
    reads.trigger.eventsByIds(ids.slice(0, EVENTS_DRAWN), 0),
    reads.trigger.triggeredBy(ids.slice(0, EVENTS_DRAWN), COUNT_CAP),
  ]);
  const triggered = new Set(links.map((link) => link.event_id));
  return records.map((record) => ({
    event_id: record.event_id,
    event_code: record.event_code,
    timestamp: record.timestamp,
    matched_conditions: record.matched_condition_ids.length,
    triggered: triggered.has(record.event_id),
    emitted_by_invocation_id: record.emitted_by_invocation_id,
    emitted_by_task_id: record.emitted_by_task_id,
    emitted_by_runner_context_id: record.emitted_by_runner_context_id,
  }));
}

function timelineEvent(event: EventSummary): TimelineEvent {
  return {
    event_id: event.event_id,
    event_code: event.event_code,
    timestamp: isoFromEpoch(event.timestamp),
    matched: event.matched_conditions > 0,
    triggered: event.triggered,
    emitted_by_invocation_id: event.emitted_by_invocation_id,
    emitted_by_runner_context_id: event.emitted_by_runner_context_id,
  };
}

function timelineRun(record: TriggerRunRecord): TimelineTriggerRun {
  return {
    trigger_run_id: record.trigger_run_id,
    task_id_key: record.task_id_key,
    claimed_at: isoOrNull(record.claimed_at),
    executed_at: isoOrNull(record.executed_at),
    triggered_invocation_id: record.triggered_invocation_id,
    atomic_service_run_id: record.atomic_service_run_id,
    atomic_service_runner_id: record.atomic_service_runner_id,
    causes: causesOf(record).map(({ kind, event_id, source_invocation_id, timestamp }) => ({
      kind,
      event_id,
      source_invocation_id,
      timestamp,
    })),
  };
}

/** @param listed false only counts them: where there is too much to draw. */
async function serviceRuns(
  reads: AppReads,
  window: HistoryWindow,
  listed: boolean,
): Promise<{ runs: TimelineServiceRun[]; total: number }> {
  const overlapping = { from: window.start, to: window.end };
  const [runs, total] = await Promise.all([
    listed ? reads.orchestrator.executions({ limit: SERVICE_RUNS_DRAWN, offset: 0 }, overlapping) : [],
    reads.orchestrator.countExecutions(overlapping, COUNT_CAP),
  ]);
  return { runs: runs.map(serviceRun), total };
}

function serviceRun({ atomic_service_run_id, runner_id, start_time, end_time, status }: ExecutionRecord) {
  return { atomic_service_run_id, runner_id, start: isoFromEpoch(start_time), end: isoOrNull(end_time), status };
}

/** Runners with their parents, each once. */
async function runnersOf(reads: AppReads, ids: readonly (string | null)[]): Promise<TimelineRunner[]> {
  const names = await runnerNames(
    reads,
    ids.filter((id) => id !== null),
  );
  const runners = new Map<string, TimelineRunner>();
  const add = (name: RunnerName) => {
    if (name.parent !== null && !runners.has(name.parent.runner_id)) add(name.parent);
    runners.set(name.runner_id, timelineRunner(name));
  };
  for (const name of names.values()) add(name);
  return [...runners.values()];
}

export function timelineRunner({
  runner_id,
  runner_cls,
  hostname,
  pid,
  thread_id,
  parent,
}: RunnerName): TimelineRunner {
  return { runner_id, runner_cls, hostname, pid, thread_id, parent_runner_id: parent?.runner_id ?? null };
}

function changesOf(invocations: readonly TrackedInvocation[], window: HistoryWindow): number {
  return invocations.reduce((sum, invocation) => sum + stepsWithin(invocation, window).length, 0);
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
