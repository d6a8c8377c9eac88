/** Events, trigger runs and runs of the atomic service for a timeline. */
import type { TimelineEvent, TimelineEventCounts, TimelineServiceRun, TimelineTriggerRun } from "../../api/timeline.ts";
import { totalOf } from "../../pynenc/groups.ts";
import { OCCUPANCY_STEPS } from "../../pynenc/occupancy.ts";
import type { EventSummary, ExecutionRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, hasYear, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { HistoryWindow } from "../../timeline/model.ts";
import { causesOf } from "../model/run-causes.ts";
import { eventCounts } from "../triggers/event-counts.ts";
import { eventMarker } from "../triggers/event-markers.ts";
import type { TimelineInput } from "./timeline-input.ts";

/** Where a window has more, all of them are counted over time. More are drawn for who asks for more invocations than usual. */
const EVENTS_DRAWN = 150;
const EVENTS_PER_INVOCATION = 0.3;
/** Whole slices of a window at most. They begin at multiples of their length: those of a window that moves on stay where they are. */
const EVENT_SLICES = 60;
/** Counted in a slice. */
const SLICE_CAP = 1_000;
const TRIGGER_RUNS_DRAWN = 300;
const SERVICE_RUNS_DRAWN = 500;
/** Beyond, a count is "more than". */
export const COUNT_CAP = 10_000;

export interface Causes {
  events: TimelineEvent[];
  events_total: number;
  /** Null if each event is drawn. */
  event_counts: TimelineEventCounts | null;
  trigger_runs: TimelineTriggerRun[];
  trigger_runs_total: number;
}

function mostEvents({ options }: TimelineInput): number {
  return Math.max(EVENTS_DRAWN, Math.ceil(options.limit * EVENTS_PER_INVOCATION));
}

/** Events and trigger runs of a window. @param listed false only counts them: where there is too much to draw */
export async function causesIn(
  reads: AppReads,
  input: TimelineInput,
  window: HistoryWindow,
  listed: boolean,
): Promise<Causes> {
  const bounds = { from: window.start, to: window.end };
  const most = listed ? mostEvents(input) : 0;
  const [events, [events_total = 0], runs, trigger_runs_total] = await Promise.all([
    listed ? reads.trigger.listEvents(bounds, { limit: most, offset: 0 }, "oldest") : [],
    reads.trigger.countEvents([bounds], COUNT_CAP),
    listed ? reads.trigger.listTriggerRuns(bounds, { limit: TRIGGER_RUNS_DRAWN, offset: 0 }) : [],
    reads.trigger.countTriggerRuns(bounds, COUNT_CAP),
  ]);
  const drawn = events_total > most ? [] : events;
  const [focused, event_counts] = await Promise.all([
    listed ? focusedEvent(reads, input.options.focus_event, bounds, drawn) : [],
    events_total > most ? eventsCounted(reads, window) : null,
  ]);
  return {
    events: [...drawn, ...focused].map(eventMarker),
    events_total,
    event_counts,
    trigger_runs: runs.map(timelineRun),
    trigger_runs_total,
  };
}

/** Events and trigger runs that these invocations emitted, caused or came from. @param definitions of those that are still stored. */
export async function causesOfInvocations(
  reads: AppReads,
  input: TimelineInput,
  window: HistoryWindow,
  invocations: readonly { invocation_id: string }[],
  definitions: readonly { parent_event_id: string | null }[],
): Promise<Causes> {
  const { focus_event } = input.options;
  const most = mostEvents(input);
  const ids = invocations.map((one) => one.invocation_id);
  const [emitted, started, caused] = await Promise.all([
    reads.trigger.eventsEmittedBy(ids, most + 1),
    reads.trigger.triggerRunsOf("triggered_invocation", ids, TRIGGER_RUNS_DRAWN + 1),
    reads.trigger.triggerRunsOf("source_invocation", ids, TRIGGER_RUNS_DRAWN + 1),
  ]);
  const runIds = [...new Set([...started, ...caused].map((link) => link.trigger_run_id))];
  const runs = await reads.trigger.triggerRunsByIds(runIds.slice(0, TRIGGER_RUNS_DRAWN));
  const origins = [
    ...runs.flatMap((run) => run.event_ids),
    ...definitions.flatMap((one) => one.parent_event_id ?? []),
    ...(focus_event === null ? [] : [focus_event]),
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
    events: inWindow.slice(0, most).map(eventMarker),
    events_total: inWindow.length,
    event_counts: null,
    trigger_runs: runs.map(timelineRun),
    trigger_runs_total: runIds.length,
  };
}

async function eventsCounted(reads: AppReads, { start, end }: HistoryWindow): Promise<TimelineEventCounts | null> {
  const wanted = (end - start) / EVENT_SLICES;
  // Where these do not suffice, the slice of a window of years.
  const step = OCCUPANCY_STEPS.find((one) => one >= wanted);
  const counted = await eventCounts(reads, {}, { from: start, to: end }, SLICE_CAP, step);
  if (counted === null) return null;
  const { from, slice_seconds, counts: totals } = counted;
  return { from, slice_seconds, slices: totals.length, totals, cap: SLICE_CAP };
}

/** The selected event, if it is in the window but beyond the drawn ones. */
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
export async function serviceRuns(
  reads: AppReads,
  window: HistoryWindow,
  listed: boolean,
): Promise<{ runs: TimelineServiceRun[]; total: number }> {
  const overlapping = { from: window.start, to: window.end };
  const [runs, counts] = await Promise.all([
    listed ? reads.orchestrator.executions({ limit: SERVICE_RUNS_DRAWN, offset: 0 }, overlapping) : [],
    reads.orchestrator.countExecutions(overlapping, COUNT_CAP),
  ]);
  // What is stored need not be a time; such a run has no place.
  return { runs: runs.filter(({ start_time }) => hasYear(start_time)).map(serviceRun), total: totalOf(counts) };
}

function serviceRun({ atomic_service_run_id, runner_id, start_time, end_time, status }: ExecutionRecord) {
  return {
    atomic_service_run_id,
    runner_id,
    start_time: isoFromEpoch(start_time),
    end_time: isoOrNull(end_time),
    status,
  };
}
