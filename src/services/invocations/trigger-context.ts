/** What started an invocation and what it set off, through events and triggers. */
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports.ts";
import {
  byExecution,
  type EventObject,
  eventObjects,
  type TriggerRunObject,
  triggerRunObject,
} from "../model/event-objects.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { type InvocationSummary, invocationSummary } from "../model/invocation-summary.ts";
import { runTimeline, type TimelineQuery } from "../model/timeline-links.ts";

/** A trigger run beside an invocation. */
export type RunOfInvocation = TriggerRunObject & {
  /** What led to it and what it started, on a time line; null when none of it has a time. */
  timeline: TimelineQuery | null;
};

export interface EmittedEvent {
  event_id: string;
  event_code: string;
  timestamp: string;
  /** It met a condition. */
  matched: boolean;
  /** It started an invocation. */
  triggered: boolean;
  triggered_invocation_ids: string[];
}

/** An event beside something else, with the keys of the existing monitor (behaviour.md 3.5). */
export interface SourceEventSummary {
  event_id: string;
  event_code: string;
  timestamp: string;
  state: "triggered" | "matched" | "unmatched";
  matched: boolean;
  triggered: boolean;
  triggered_count: number;
  emitted_by_invocation_id: string | null;
}

export interface TriggerContext {
  /** False where the layout records neither events nor trigger runs (before 0.2.4): then the rest is unknown, not empty. */
  events_recorded: boolean;
  /** The run that started the invocation. */
  triggered_by: RunOfInvocation | null;
  /** Events it emitted, oldest first. */
  emitted_events: EmittedEvent[];
  emitted_events_truncated: boolean;
  /** Runs in which its status, result or exception took part. */
  triggered_runs_caused: RunOfInvocation[];
  triggered_runs_truncated: boolean;
  /** The event that its definition names; null when there is none or it is not stored any more. */
  parent_event: SourceEventSummary | null;
  /** Invocations that these runs and events name; `{}` for one that is not stored. */
  source_inv_summaries: Record<string, InvocationSummary | { invocation_id?: undefined }>;
  /** Events that these runs name; only the id of one that is not stored. */
  source_event_summaries: Record<string, SourceEventSummary | { event_id: string }>;
}

/** Of each: events, runs, and summaries. */
const CONTEXT_LIMIT = 200;

/** Invocations that the emitted events started, together. */
const TRIGGERED_LIMIT = 2_000;

const UNRECORDED: TriggerContext = {
  events_recorded: false,
  triggered_by: null,
  emitted_events: [],
  emitted_events_truncated: false,
  triggered_runs_caused: [],
  triggered_runs_truncated: false,
  parent_event: null,
  source_inv_summaries: {},
  source_event_summaries: {},
};

/** Eleven batched reads at most, whatever the invocation set off. */
export async function triggerContext(
  reads: AppReads,
  invocationId: string,
  parentEventId: string | null,
): Promise<TriggerContext> {
  const { events: recorded } = await reads.layout.capabilities();
  if (!recorded) return UNRECORDED;
  const [startedBy, emitted, caused] = await Promise.all([
    reads.trigger.triggerRunsOf("triggered_invocation", [invocationId], 1),
    reads.trigger.eventsEmittedBy([invocationId], CONTEXT_LIMIT + 1),
    reads.trigger.triggerRunsOf("source_invocation", [invocationId], CONTEXT_LIMIT + 1),
  ]);
  const shownEvents = emitted.slice(0, CONTEXT_LIMIT);
  const causedIds = caused.slice(0, CONTEXT_LIMIT).map((link) => link.trigger_run_id);
  const starterId = startedBy[0]?.trigger_run_id ?? null;
  const [records, started] = await Promise.all([
    reads.trigger.triggerRunsByIds([...causedIds, ...(starterId === null ? [] : [starterId])]),
    reads.trigger.triggeredBy(
      shownEvents.map((event) => event.event_id),
      TRIGGERED_LIMIT,
    ),
  ]);
  const runs = new Map(records.map((record) => [record.trigger_run_id, triggerRunObject(record)]));
  const starter = runs.get(starterId ?? "");
  const causedRuns = causedIds.flatMap((id) => runs.get(id) ?? []).sort(byExecution);
  const startedOf = new Map<string, string[]>();
  for (const { event_id, invocation_id } of started) {
    startedOf.set(event_id, [...(startedOf.get(event_id) ?? []), invocation_id]);
  }
  const all = starter === undefined ? causedRuns : [starter, ...causedRuns];
  const invocationIds = firstOf([
    ...all.flatMap(({ source_invocation_ids, triggered_invocation_id, participants }) => [
      ...source_invocation_ids,
      ...participants.flatMap((participant) => participant.source_invocation_id ?? []),
      ...(triggered_invocation_id === null ? [] : [triggered_invocation_id]),
    ]),
    ...started.map((link) => link.invocation_id),
  ]);
  const eventIds = firstOf([
    ...(parentEventId === null ? [] : [parentEventId]),
    ...all.flatMap((run) => [...run.event_ids, ...run.participants.flatMap((p) => p.event_id ?? [])]),
  ]);
  const [rows, events] = await Promise.all([invocationRows(reads, invocationIds), eventObjects(reads, eventIds)]);
  const eventById = new Map(events.map((event) => [event.event_id, eventSummary(event)]));
  const rowById = new Map(rows.map((row) => [row.invocation_id, row]));
  const onTimeline = (run: TriggerRunObject): RunOfInvocation => ({
    ...run,
    timeline: runTimeline(
      run,
      rowById,
      run.event_ids.flatMap((id) => eventById.get(id)?.timestamp ?? []),
    ),
  });
  return {
    events_recorded: true,
    triggered_by: starter === undefined ? null : onTimeline(starter),
    emitted_events: shownEvents.map((event) => ({
      event_id: event.event_id,
      event_code: event.event_code,
      timestamp: isoFromEpoch(event.timestamp),
      matched: event.matched_conditions > 0,
      triggered: event.triggered,
      triggered_invocation_ids: startedOf.get(event.event_id) ?? [],
    })),
    emitted_events_truncated: emitted.length > CONTEXT_LIMIT,
    triggered_runs_caused: causedRuns.map(onTimeline),
    triggered_runs_truncated: caused.length > CONTEXT_LIMIT,
    parent_event: eventById.get(parentEventId ?? "") ?? null,
    source_inv_summaries: Object.fromEntries(
      rows.map((row) => [row.invocation_id, isStored(row) ? invocationSummary(row) : {}]),
    ),
    source_event_summaries: Object.fromEntries(eventIds.map((id) => [id, eventById.get(id) ?? { event_id: id }])),
  };
}

function firstOf(ids: readonly string[]): string[] {
  return [...new Set(ids)].slice(0, CONTEXT_LIMIT);
}

function eventSummary(event: EventObject): SourceEventSummary {
  const { event_id, event_code, timestamp, matched, triggered, triggered_invocation_ids, emitted_by_invocation_id } =
    event;
  return {
    event_id,
    event_code,
    timestamp,
    state: triggered ? "triggered" : matched ? "matched" : "unmatched",
    matched,
    triggered,
    triggered_count: triggered_invocation_ids.length,
    emitted_by_invocation_id,
  };
}
