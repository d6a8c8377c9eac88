/** What started an invocation and what it caused, through events and triggers. */

import type { EventObject, TriggerRunObject } from "../../api/model/trigger-objects.ts";
import type { RunOfInvocation, SourceEventSummary, TriggerContext } from "../../api/trigger-context.ts";
import { listsOf } from "../../pynenc/groups.ts";
import { eventIdOf, invocationIdOf, triggerRunIdOf } from "../../pynenc/keys.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { byExecution, eventObjects, triggerRunObject } from "../model/event-objects.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { invocationSummary } from "../model/invocation-summary.ts";
import { runTimeline } from "../model/timeline-links.ts";

/** Limit of events, runs and summaries. */
const CONTEXT_LIMIT = 200;

/** Limit of invocations started by the emitted events in total. */
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

/** At most eleven batched reads. @param effects also reads what it emitted and caused. */
export async function triggerContext(
  reads: AppReads,
  invocationId: string,
  parentEventId: string | null,
  effects = true,
): Promise<TriggerContext> {
  const { events: recorded } = await reads.layout.capabilities();
  if (!recorded) return UNRECORDED;
  const [startedBy, emitted, caused] = await Promise.all([
    reads.trigger.triggerRunsOf("triggered_invocation", [invocationId], 1),
    effects ? reads.trigger.eventsEmittedBy([invocationId], CONTEXT_LIMIT + 1) : [],
    effects ? reads.trigger.triggerRunsOf("source_invocation", [invocationId], CONTEXT_LIMIT + 1) : [],
  ]);
  const shownEvents = emitted.slice(0, CONTEXT_LIMIT);
  const causedIds = caused.slice(0, CONTEXT_LIMIT).map(triggerRunIdOf);
  const starterId = startedBy[0]?.trigger_run_id ?? null;
  const [records, started] = await Promise.all([
    reads.trigger.triggerRunsByIds([...causedIds, ...(starterId === null ? [] : [starterId])]),
    reads.trigger.triggeredBy(shownEvents.map(eventIdOf), TRIGGERED_LIMIT),
  ]);
  const runs = new Map(records.map((record) => [record.trigger_run_id, triggerRunObject(record)]));
  const starter = runs.get(starterId ?? "");
  const causedRuns = causedIds.flatMap((id) => runs.get(id) ?? []).sort(byExecution);
  const startedOf = listsOf(started.map(({ event_id, invocation_id }) => [event_id, invocation_id]));
  const all = starter === undefined ? causedRuns : [starter, ...causedRuns];
  const invocationIds = firstOf([
    ...all.flatMap(({ source_invocation_ids, triggered_invocation_id, participants }) => [
      ...source_invocation_ids,
      ...participants.flatMap((participant) => participant.source_invocation_id ?? []),
      ...(triggered_invocation_id === null ? [] : [triggered_invocation_id]),
    ]),
    ...started.map(invocationIdOf),
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
  const unused = matched ? "matched" : "unmatched";
  return {
    event_id,
    event_code,
    timestamp,
    state: triggered ? "triggered" : unused,
    matched,
    triggered,
    triggered_count: triggered_invocation_ids.length,
    emitted_by_invocation_id,
  };
}
