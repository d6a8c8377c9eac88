/** Events and trigger runs as records, and what took part in them. */
import { z } from "zod";
import { CONTEXT_KINDS } from "../../pynenc/context-summary.ts";
import { instant, statusWord, taskIdKey } from "./common.ts";

/** What lists, the timeline and the details of an event have in common. */
export const EventHead = z.object({
  event_id: z.string(),
  event_code: z.string(),
  timestamp: instant,
  matched: z.boolean(),
  triggered: z.boolean(),
  emitted_by_invocation_id: z.string().nullable(),
  emitted_by_task_id: z.string().nullable(),
  emitted_by_runner_context_id: z.string().nullable(),
});

export const EventObject = EventHead.extend({
  matched_condition_ids: z.array(z.string()).readonly(),
  valid_condition_ids: z.array(z.string()).readonly(),
  triggered_invocation_ids: z.array(z.string()),
  payload: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("Values as stored: JSON where they are JSON, else text. Null: left out for its size."),
  payload_too_large: z.int().nullable().describe("Bytes of a payload that is left out."),
}).meta({ id: "EventObject" });
export type EventObject = z.infer<typeof EventObject>;

export const ParticipantObject = z
  .object({
    context_type: z.string().nullable(),
    condition_id: z.string().nullable(),
    valid_condition_id: z.string().nullable(),
    event_id: z.string().nullable(),
    source_invocation_id: z.string().nullable(),
    context_timestamp: instant.nullable(),
    context_summary: z.string(),
  })
  .meta({ id: "ParticipantObject" });
export type ParticipantObject = z.infer<typeof ParticipantObject>;

export const TriggerRunObject = z
  .object({
    trigger_run_id: z.string(),
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    logic_value: z.string(),
    valid_condition_ids: z.array(z.string()).readonly(),
    condition_ids: z.array(z.string()).readonly(),
    event_ids: z.array(z.string()).readonly(),
    source_invocation_ids: z.array(z.string()).readonly(),
    triggered_invocation_id: z.string().nullable(),
    claimed_at: instant.nullable(),
    executed_at: instant.nullable(),
    atomic_service_run_id: z.string().nullable(),
    atomic_service_runner_id: z.string().nullable(),
    participants: z.array(ParticipantObject),
  })
  .meta({ id: "TriggerRunObject" });
export type TriggerRunObject = z.infer<typeof TriggerRunObject>;

export const ContextKind = z.enum(CONTEXT_KINDS).meta({ id: "ContextKind" });

export const RunCause = z
  .object({
    kind: ContextKind.nullable().describe(
      "Null for a context class that this monitor does not know, and in old records without one.",
    ),
    event_id: z.string().nullable(),
    event_code: z.string().nullable(),
    source_invocation_id: z.string().nullable(),
    task_id_key: taskIdKey.nullable().describe("Of the source invocation."),
    status: statusWord.nullable().describe("Of the source invocation at that time."),
    exception_type: z.string().nullable(),
    timestamp: instant.nullable(),
  })
  .meta({ id: "RunCause", description: "Something that took part in a run." });
export type RunCause = z.infer<typeof RunCause>;

export const SourceKind = z.enum(["status", "result", "exception", "source"]).meta({
  id: "SourceKind",
  description:
    "How an invocation took part in a run: by the condition that it met; `source` where an old record does not say.",
});
export type SourceKind = z.infer<typeof SourceKind>;
