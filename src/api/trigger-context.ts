/** The triggers around an invocation: what started it, and what it started. */
import { z } from "zod";
import { instant, TimelineQuery } from "./model/common.ts";
import { InvocationSummary } from "./model/invocation-rows.ts";
import { TriggerRunObject } from "./model/trigger-objects.ts";

export const RunOfInvocation = TriggerRunObject.extend({
  timeline: TimelineQuery.nullable().describe(
    "Timeline of what led to it and what it started; null if nothing has a time.",
  ),
}).meta({ id: "RunOfInvocation", description: "A trigger run related to an invocation." });
export type RunOfInvocation = z.infer<typeof RunOfInvocation>;

export const EmittedEvent = z
  .object({
    event_id: z.string(),
    event_code: z.string(),
    timestamp: instant,
    matched: z.boolean().describe("It met a condition."),
    triggered: z.boolean().describe("It started an invocation."),
    triggered_invocation_ids: z.array(z.string()),
  })
  .meta({ id: "EmittedEvent" });
export type EmittedEvent = z.infer<typeof EmittedEvent>;

export const SourceEventSummary = z
  .object({
    event_id: z.string(),
    event_code: z.string(),
    timestamp: instant,
    state: z.enum(["triggered", "matched", "unmatched"]),
    matched: z.boolean(),
    triggered: z.boolean(),
    triggered_count: z.int(),
    emitted_by_invocation_id: z.string().nullable(),
  })
  .meta({
    id: "SourceEventSummary",
    description: "A reference to an event, with the keys of pynenc's own monitor.",
  });
export type SourceEventSummary = z.infer<typeof SourceEventSummary>;

export const TriggerContext = z
  .object({
    events_recorded: z
      .boolean()
      .describe(
        "False if the layout records neither events nor trigger runs (before 0.2.4): the rest is unknown then, not empty.",
      ),
    triggered_by: RunOfInvocation.nullable().describe("The run that started the invocation."),
    emitted_events: z.array(EmittedEvent).describe("Events it emitted, oldest first."),
    emitted_events_truncated: z.boolean(),
    triggered_runs_caused: z
      .array(RunOfInvocation)
      .describe("Runs in which its status, result or exception took part."),
    triggered_runs_truncated: z.boolean(),
    parent_event: SourceEventSummary.nullable().describe(
      "The event that its definition names; null if there is none or it is no longer stored.",
    ),
    source_inv_summaries: z
      .record(z.string(), z.union([InvocationSummary, z.object({ invocation_id: z.never().exactOptional() })]))
      .describe("Invocations that these runs and events name; `{}` for one that is not stored."),
    source_event_summaries: z
      .record(z.string(), z.union([SourceEventSummary, z.object({ event_id: z.string() })]))
      .describe("Events that these runs name; only the id of one that is not stored."),
  })
  .meta({ id: "TriggerContext" });
export type TriggerContext = z.infer<typeof TriggerContext>;

export const InvocationTriggerContext = TriggerContext.extend({
  invocation_id: z.string(),
  parent_event_id: z.string().nullable().describe("The event that its definition names, whether or not it is stored."),
}).meta({ id: "InvocationTriggerContext" });
export type InvocationTriggerContext = z.infer<typeof InvocationTriggerContext>;
