/** What took part in a trigger run, and how. */
import type { TriggerRunRecord } from "../pynenc/records.ts";

/** How an invocation took part in a run: by the condition that it met; `source` where an old record does not say. */
export type SourceKind = "status" | "result" | "exception" | "source";

const KIND_OF_CONTEXT: Readonly<Record<string, SourceKind>> = {
  StatusContext: "status",
  ResultContext: "result",
  ExceptionContext: "exception",
};

/** One kind for each of its conditions. */
export function kindsOfSource(record: TriggerRunRecord | undefined, invocationId: string): SourceKind[] {
  const kinds = (record?.participants ?? [])
    .filter((participant) => participant.source_invocation_id === invocationId)
    .map((participant) => KIND_OF_CONTEXT[participant.context_type ?? ""] ?? "source");
  return kinds.length > 0 ? [...new Set(kinds)] : ["source"];
}

/** Participants name them; records without participants list them apart (storage.md 5.5). */
export function eventsOf(record: TriggerRunRecord): string[] {
  return [...new Set([...record.event_ids, ...record.participants.flatMap((p) => p.event_id ?? [])])];
}

export function sourcesOf(record: TriggerRunRecord): string[] {
  return [
    ...new Set([...record.source_invocation_ids, ...record.participants.flatMap((p) => p.source_invocation_id ?? [])]),
  ];
}
