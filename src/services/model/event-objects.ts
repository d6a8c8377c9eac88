/** Events and trigger runs as JSON objects with the keys that clients of the existing monitor expect (behaviour.md 3.7, 3.8). */

import type { EventObject, ParticipantObject, TriggerRunObject } from "../../api/model/trigger-objects.ts";
import { listsOf } from "../../pynenc/groups.ts";
import { ascending } from "../../pynenc/order.ts";
import type { EventRecord, ParticipantRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { StoredJson } from "../../pynenc/stored-json.ts";
import { isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** Limit of invocations started by events. An app that exceeds it has a defect, and the list is cut. */
const TRIGGERED_PER_READ = 20_000;

/**
 * Objects in the order of the ids; unknown ids are omitted. Two batched reads.
 *
 * @param payloadBytes larger events come without their payload, for long lists.
 */
export async function eventObjects(
  reads: AppReads,
  eventIds: readonly string[],
  payloadBytes?: number,
): Promise<EventObject[]> {
  const [records, links] = await Promise.all([
    reads.trigger.eventsByIds(eventIds, payloadBytes),
    reads.trigger.triggeredBy(eventIds, TRIGGERED_PER_READ),
  ]);
  const triggered = listsOf(links.map(({ event_id, invocation_id }) => [event_id, invocation_id]));
  const byId = new Map(records.map((record) => [record.event_id, record]));
  return eventIds.flatMap((id) => {
    const record = byId.get(id);
    return record === undefined ? [] : [eventObject(record, triggered.get(id) ?? [])];
  });
}

function eventObject(record: EventRecord, triggered_invocation_ids: string[]): EventObject {
  return {
    event_id: record.event_id,
    event_code: record.event_code,
    timestamp: isoFromEpoch(record.timestamp),
    matched: record.matched_condition_ids.length > 0,
    triggered: triggered_invocation_ids.length > 0,
    matched_condition_ids: record.matched_condition_ids,
    valid_condition_ids: record.valid_condition_ids,
    triggered_invocation_ids,
    emitted_by_invocation_id: record.emitted_by_invocation_id,
    emitted_by_task_id: record.emitted_by_task_id,
    emitted_by_runner_context_id: record.emitted_by_runner_context_id,
    payload: record.payload === null ? null : storedPayload(record.payload),
    payload_too_large: record.whole_size ?? null,
  };
}

function storedPayload(payload: Readonly<Record<string, string>>): Record<string, StoredJson | string> {
  return Object.fromEntries(Object.entries(payload).map(([name, stored]) => [name, StoredJson.of(stored) ?? stored]));
}

/** Objects in the order of the ids; unknown ids are omitted. One batched read. */
export async function triggerRunObjects(reads: AppReads, ids: readonly string[]): Promise<TriggerRunObject[]> {
  const byId = new Map((await reads.trigger.triggerRunsByIds(ids)).map((record) => [record.trigger_run_id, record]));
  return ids.flatMap((id) => {
    const record = byId.get(id);
    return record === undefined ? [] : [triggerRunObject(record)];
  });
}

export function triggerRunObject(record: TriggerRunRecord): TriggerRunObject {
  return {
    ...record,
    claimed_at: isoOrNull(record.claimed_at),
    executed_at: isoOrNull(record.executed_at),
    participants: record.participants.map(participantObject),
  };
}

function participantObject(participant: ParticipantRecord): ParticipantObject {
  return {
    ...participant,
    context_timestamp: isoOrNull(participant.context_timestamp),
    context_summary: participant.context_summary ?? "",
  };
}

/** Sorts oldest first; ISO texts of the same form sort like times. */
export function byExecution(a: TriggerRunObject, b: TriggerRunObject): number {
  const [first, second] = [a, b].map((run) => run.executed_at ?? run.claimed_at ?? "") as [string, string];
  return ascending(first, second);
}
