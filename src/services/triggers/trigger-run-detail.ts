/** One trigger run: its participants and what it started. */
import type { TriggerRunDetail, WholeTriggerRun } from "../../api/trigger-runs.ts";
import { NotFoundError } from "../../errors.ts";
import { contextKind } from "../../pynenc/context-summary.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import type { TriggerRunRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { bytesOfEach, VALUE_BYTES } from "../../stores/value-limit.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { conditionView } from "../model/condition-views.ts";
import { eventObjects, triggerRunObject } from "../model/event-objects.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { runnerNames } from "../model/runner-names.ts";
import { runTimeline } from "../model/timeline-links.ts";
import { participantViews } from "./participant-views.ts";

/** Maximum participants, events and invocations read and shown. */
const SHOWN = 200;

/** @throws NotFoundError */
export async function triggerRunDetail(app: OpenedApp, id: string): Promise<TriggerRunDetail> {
  const run = await fullTriggerRun(app, id);
  return { ...run, events: run.events.map(({ payload: _payload, payload_too_large: _size, ...event }) => event) };
}

/** @throws NotFoundError */
export function fullTriggerRun(app: OpenedApp, id: string): Promise<WholeTriggerRun> {
  return app.store.read(async (reads) => {
    const [record] = await reads.trigger.triggerRunsByIds([id], VALUE_BYTES);
    if (record === undefined) throw new NotFoundError("trigger run", id, await absence(reads));
    return described(reads, bounded(record), record);
  });
}

async function absence(reads: AppReads): Promise<string> {
  const { events } = await reads.layout.capabilities();
  return events
    ? "Trigger runs are removed with the events they belong to, by age and by number, and by a purge."
    : "pynenc records trigger runs since 0.2.4; this store is older.";
}

/** The record with its lists cut to what is shown. */
function bounded(record: TriggerRunRecord): TriggerRunRecord {
  const participants = record.participants.slice(0, SHOWN);
  const named = (ids: readonly string[], more: readonly (string | null)[]) =>
    [...new Set([...ids, ...more.filter((id) => id !== null)])].slice(0, SHOWN);
  return {
    ...record,
    participants,
    condition_ids: named(
      record.condition_ids,
      participants.map((p) => p.condition_id),
    ),
    valid_condition_ids: named(
      record.valid_condition_ids,
      participants.map((p) => p.valid_condition_id),
    ),
    event_ids: named(
      record.event_ids,
      participants.map((p) => p.event_id),
    ),
    source_invocation_ids: named(
      record.source_invocation_ids,
      participants.map((p) => p.source_invocation_id),
    ),
  };
}

async function described(reads: AppReads, record: TriggerRunRecord, full: TriggerRunRecord): Promise<WholeTriggerRun> {
  const { participants, triggered_invocation_id: triggered, atomic_service_runner_id: serviceRunner } = record;
  const invocationIds = [...new Set([...record.source_invocation_ids, ...(triggered === null ? [] : [triggered])])];
  const [triggers, registered, retained, eventRecords, events, invocations, runners] = await Promise.all([
    reads.trigger.triggers({ by: "trigger_id", ids: [record.trigger_id] }, { limit: 1, offset: 0 }),
    reads.trigger.conditionsByIds(record.condition_ids),
    reads.trigger.validConditionsByIds(record.valid_condition_ids, bytesOfEach(record.valid_condition_ids.length)),
    reads.trigger.eventsByIds(record.event_ids, bytesOfEach(record.event_ids.length)),
    eventObjects(reads, record.event_ids),
    invocationRows(reads, invocationIds),
    runnerNames(reads, serviceRunner === null ? [] : [serviceRunner]),
  ]);
  const conditionById = new Map(registered.map((row) => [row.condition_id, row]));
  const retainedById = new Map(retained.map((row) => [row.valid_condition_id, row.valid_condition_json]));
  const eventById = new Map(eventRecords.map((row) => [row.event_id, row]));
  const invocationById = new Map(invocations.map((row) => [row.invocation_id, row]));
  return {
    ...triggerRunObject(record),
    trigger_registered: triggers.length > 0,
    core: isCoreTask(record.task_id_key),
    atomic_service_runner: runners.get(serviceRunner ?? "") ?? null,
    triggered_invocation: invocationById.get(triggered ?? "") ?? null,
    timeline: runTimeline(
      triggerRunObject(record),
      invocationById,
      events.map((event) => event.timestamp),
    ),
    sources: record.source_invocation_ids.flatMap((id) => invocationById.get(id) ?? []),
    events,
    events_gone: record.event_ids.filter((id) => !eventById.has(id)),
    participant_views: await participantViews(reads, participants, {
      conditions: conditionById,
      retained: retainedById,
      events: eventById,
      invocations: invocationById,
    }),
    conditions:
      participants.length > 0 ? [] : record.condition_ids.map((id) => conditionView(id, conditionById.get(id))),
    truncated: isCut(full),
    notes: notesOn(full),
  };
}

function isCut(record: TriggerRunRecord): boolean {
  const { participants, event_ids, source_invocation_ids, condition_ids, valid_condition_ids } = record;
  return [participants, event_ids, source_invocation_ids, condition_ids, valid_condition_ids].some(
    (list) => list.length > SHOWN,
  );
}

function notesOn(record: TriggerRunRecord): string[] {
  const notes: string[] = [];
  if (record.participants.some((p) => contextKind(p.context_type) === "exception")) {
    notes.push(
      "Runs of this trigger for the same exception type share one id, and only the latest is kept: invocations that earlier failures started are not named.",
    );
  }
  if (record.participants.length === 0) {
    notes.push("Which condition was met, and by what, is not recorded.");
  }
  if (record.executed_at === null) notes.push("Claimed, but not recorded as run.");
  else if (record.triggered_invocation_id === null) notes.push("No started invocation is recorded.");
  if (isCut(record)) notes.push(`Only the first ${SHOWN} participants are shown.`);
  return notes;
}
