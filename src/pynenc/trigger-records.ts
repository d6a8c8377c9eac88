/** Builds records of events and trigger runs from a store's columns or keys and from their JSON (storage-format.md 5.3, 5.5). */

import { type EventJson, parseEvent, parseTriggerRun, type TriggerRunJson } from "./json-records.ts";
import { withoutLargeMember } from "./large-document.ts";
import type { EventRecord, EventSummary, TriggerRunRecord } from "./records.ts";

/** The fields of an event that have columns. */
export type EventColumns = Omit<EventSummary, "matched_conditions" | "triggered">;

/** Like `EventColumns`, for a trigger run. */
export type TriggerRunColumns = Pick<
  TriggerRunRecord,
  | "trigger_run_id"
  | "trigger_id"
  | "task_id_key"
  | "logic_value"
  | "claimed_at"
  | "executed_at"
  | "triggered_invocation_id"
>;

/** Bytes of the payload in an event's record, if the record exceeds the limit; else undefined. */
export function largePayload(json: string, recordBytes: number): number | undefined {
  const size = Buffer.byteLength(json);
  return size > recordBytes ? (withoutLargeMember(json, json, size, "payload")?.size ?? size) : undefined;
}

/**
 * Columns take precedence; the JSON adds the payload and the ids of conditions.
 *
 * @param leftOut size of an omitted payload; undefined if it is included.
 */
export function eventRecord(columns: EventColumns, details: EventJson | null, leftOut?: number): EventRecord {
  return {
    ...columns,
    matched_condition_ids: details?.matched_condition_ids ?? [],
    valid_condition_ids: details?.valid_condition_ids ?? [],
    ...(leftOut === undefined ? { payload: details?.payload ?? {} } : { payload: null, whole_size: leftOut }),
  };
}

/** An event stored only as JSON under its id. Null if it has no code or no time. */
export function eventFromJson(event_id: string, json: string, leftOut?: number): EventRecord | null {
  const details = parseEvent(json);
  if (details === null || details.event_code === null || details.timestamp === null) return null;
  const { event_code, timestamp, emitted_by_invocation_id, emitted_by_task_id, emitted_by_runner_context_id } = details;
  const emitter = { emitted_by_invocation_id, emitted_by_task_id, emitted_by_runner_context_id };
  return eventRecord({ event_id, event_code, timestamp, ...emitter }, details, leftOut);
}

export function triggerRunRecord(columns: TriggerRunColumns, details: TriggerRunJson | null): TriggerRunRecord {
  return {
    ...columns,
    participants: details?.participants ?? [],
    valid_condition_ids: details?.valid_condition_ids ?? [],
    condition_ids: details?.condition_ids ?? [],
    event_ids: details?.event_ids ?? [],
    source_invocation_ids: details?.source_invocation_ids ?? [],
    atomic_service_run_id: details?.atomic_service_run_id ?? null,
    atomic_service_runner_id: details?.atomic_service_runner_id ?? null,
  };
}

/** A run stored only as JSON under its id. Null if it has no trigger, task or logic. */
export function triggerRunFromJson(trigger_run_id: string, json: string): TriggerRunRecord | null {
  const details = parseTriggerRun(json);
  if (details === null) return null;
  const { trigger_id, task_id_key, logic_value, claimed_at, executed_at, triggered_invocation_id } = details;
  if (trigger_id === null || task_id_key === null || logic_value === null) return null;
  const times = { claimed_at, executed_at };
  return triggerRunRecord(
    { trigger_run_id, trigger_id, task_id_key, logic_value, ...times, triggered_invocation_id },
    details,
  );
}
