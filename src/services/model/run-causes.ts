/** What caused a trigger run. */
import type { RunCause, SourceKind } from "../../api/model/trigger-objects.ts";
import { contextKind, summaryWords } from "../../pynenc/context-summary.ts";
import type { ParticipantRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";

const KIND_OF_CONTEXT: Readonly<Record<string, SourceKind>> = {
  StatusContext: "status",
  ResultContext: "result",
  ExceptionContext: "exception",
};

/** In which roles an invocation caused a run: one kind per condition. */
export function kindsOfSource(record: TriggerRunRecord | undefined, invocationId: string): SourceKind[] {
  const kinds = (record?.participants ?? [])
    .filter((participant) => participant.source_invocation_id === invocationId)
    .map((participant) => KIND_OF_CONTEXT[participant.context_type ?? ""] ?? "source");
  return kinds.length > 0 ? [...new Set(kinds)] : ["source"];
}

/** From the participants, and from the separate list that records without participants have (storage-format.md 5.5). */
export function eventsOf(record: TriggerRunRecord): string[] {
  return [...new Set([...record.event_ids, ...record.participants.flatMap((p) => p.event_id ?? [])])];
}

export function sourcesOf(record: TriggerRunRecord): string[] {
  return [
    ...new Set([...record.source_invocation_ids, ...record.participants.flatMap((p) => p.source_invocation_id ?? [])]),
  ];
}

/** The participants. Records without participants list events and invocations separately (storage-format.md 5.5). */
export function causesOf(record: TriggerRunRecord): RunCause[] {
  if (record.participants.length > 0) return record.participants.map(causeOf);
  const nothing = { task_id_key: null, event_code: null, status: null, exception_type: null, timestamp: null };
  return [
    ...record.event_ids.map((event_id) => ({
      ...nothing,
      kind: "event" as const,
      event_id,
      source_invocation_id: null,
    })),
    ...record.source_invocation_ids.map((source_invocation_id) => ({
      ...nothing,
      kind: null,
      event_id: null,
      source_invocation_id,
    })),
  ];
}

function causeOf(participant: ParticipantRecord): RunCause {
  const words = summaryWords(participant.context_summary);
  return {
    kind: contextKind(participant.context_type),
    event_id: participant.event_id,
    event_code: words.event_code,
    source_invocation_id: participant.source_invocation_id,
    task_id_key: words.task_id_key,
    status: words.status,
    exception_type: words.exception_type,
    timestamp: isoOrNull(participant.context_timestamp),
  };
}
