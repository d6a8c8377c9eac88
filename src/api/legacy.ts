/**
 * Answers in the shape that clients of pynenc's own monitor read. Its members keep their names and types (behaviour.md 3.5, 3.7, 3.8); all
 * other members are additions.
 */
import { z } from "zod";
import { ConditionItem } from "./conditions.ts";
import { InvocationDetail, WorkflowRole } from "./invocations.ts";
import { instant, seconds, statusWord } from "./model/common.ts";
import { InvocationSummary } from "./model/invocation-rows.ts";
import { EventObject, ParticipantObject, TriggerRunObject } from "./model/trigger-objects.ts";
import { InvocationTriggerContext, RunOfInvocation } from "./trigger-context.ts";

const timelineUrl = z
  .string()
  .nullable()
  .describe("The timeline around it, without a host; null if nothing has a time.");

export const HistoryJson = z
  .object({
    timestamp: instant,
    written_at: instant,
    status: statusWord,
    status_runner_id: z.string().nullable(),
    runner_context_summary: z
      .string()
      .describe("`Class(id7)` or `ParentClass(id7).Class[id7]`; `N/A` if no context is stored."),
    runner_cls: z.string().nullable(),
    runner_id: z.string().nullable(),
    hostname: z.string().nullable(),
    pid: z.string().nullable(),
    thread_id: z.string().nullable(),
    parent_runner_cls: z.string().nullable(),
    parent_runner_id: z.string().nullable(),
    parent_hostname: z.string().nullable(),
    parent_pid: z.string().nullable(),
    parent_thread_id: z.string().nullable(),
    since_previous_seconds: seconds.nullable(),
    possible: z.boolean(),
    registered_by_inv_id: z.string().nullable(),
  })
  .meta({ id: "HistoryJson", description: "One entry of a history. Process and thread ids are text." });
export type HistoryJson = z.infer<typeof HistoryJson>;

export const InvocationHistory = z
  .array(HistoryJson)
  .meta({ id: "InvocationHistory", description: "The history of an invocation, in the order of time." });

export const LinkedRun = RunOfInvocation.omit({ timeline: true })
  .extend({ timeline_url: timelineUrl })
  .meta({ id: "LinkedRun", description: "A trigger run related to an invocation, with an address." });
export type LinkedRun = z.infer<typeof LinkedRun>;

const linkedRuns = { triggered_by: LinkedRun.nullable(), triggered_runs_caused: z.array(LinkedRun) };

export const TriggerContextApi = InvocationTriggerContext.extend(linkedRuns).meta({
  id: "TriggerContextApi",
  description: "What triggered an invocation and what it triggered.",
});
export type TriggerContextApi = z.infer<typeof TriggerContextApi>;

export const InvocationApi = InvocationDetail.omit({ timeline: true, workflow_role: true, workflow: true })
  .extend(linkedRuns)
  .extend({
    timeline_url: timelineUrl,
    status: z.string().describe("In upper case."),
    num_retries: z.int().nullable(),
    parent_invocation_id: z.string().nullable(),
    workflow_role: z.object({
      kind: WorkflowRole,
      label: z.string(),
      description: z.string(),
      is_subworkflow: z.boolean(),
    }),
    workflow: InvocationDetail.shape.workflow.unwrap().extend({ workflow_type: z.string().nullable() }).nullable(),
  })
  .meta({ id: "InvocationApi", description: "One invocation, with the members that clients of pynmon read." });
export type InvocationApi = z.infer<typeof InvocationApi>;

export const ConditionBlock = z
  .object({
    available: z.boolean(),
    kind: z.literal("TriggerCondition"),
    type: z.string().nullable(),
    id: z.string().nullable(),
    id_short: z.string().nullable(),
    detail_url: z.string().nullable().describe("Null if there is no page for it."),
    sentence: z.string().nullable(),
    items: z.array(ConditionItem),
  })
  .meta({ id: "ConditionBlock" });
export type ConditionBlock = z.infer<typeof ConditionBlock>;

const source = z
  .enum(["live", "snapshot"])
  .describe("`live`: the valid condition is stored. `snapshot`: from what the trigger run and the event keep.");

export const ParticipantBlocks = z
  .object({
    condition_view: ConditionBlock,
    context_view: z.object({
      available: z.boolean(),
      kind: z.literal("ConditionContext"),
      type: z.string().nullable(),
      id: z.string().nullable(),
      id_short: z.string().nullable(),
      timestamp: z.string().nullable(),
      summary: z.string(),
      source,
      items: z.array(ConditionItem),
    }),
    valid_condition_view: z.object({
      id: z.string().nullable(),
      id_short: z.string().nullable(),
      available: z.boolean(),
      source,
      detail_url: z.string().nullable(),
    }),
  })
  .meta({ id: "ParticipantBlocks" });
export type ParticipantBlocks = z.infer<typeof ParticipantBlocks>;

export const TriggerRunApi = TriggerRunObject.extend({
  participants: z.array(ParticipantObject.extend(ParticipantBlocks.partial().shape)),
  show_participant_event_column: z.boolean(),
  show_participant_source_column: z.boolean(),
  condition_details: z.array(ConditionBlock),
  invocation_summaries: z.record(z.string(), InvocationSummary),
  events: z.array(EventObject),
  timeline_url: timelineUrl,
  trigger_registered: z.boolean(),
  truncated: z.boolean(),
  notes: z.array(z.string()),
}).meta({ id: "TriggerRunApi", description: "One trigger run, with the members that clients of pynmon read." });
export type TriggerRunApi = z.infer<typeof TriggerRunApi>;
