/** Runs of triggers. */

import { z } from "zod";
import { ConditionView, ParticipantView } from "./conditions.ts";
import { instant, PageInfo, TimelineQuery, taskIdKey } from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";
import { ContextKind, EventObject, RunCause, TriggerRunObject } from "./model/trigger-objects.ts";

export const TriggerRunRow = z
  .object({
    trigger_run_id: z.string(),
    trigger_id: z.string(),
    trigger_registered: z.boolean().describe("The trigger is registered now, so it has a page."),
    task_id_key: taskIdKey,
    logic_value: z.string(),
    claimed_at: instant.nullable(),
    executed_at: instant.nullable(),
    causes: z.array(RunCause).describe("The first few."),
    causes_count: z.int(),
    triggered_invocation: InvocationRow.nullable().describe("What the run started."),
  })
  .meta({ id: "TriggerRunRow", description: "One line of a list of trigger runs." });

export type TriggerRunRow = z.infer<typeof TriggerRunRow>;

export const TriggerRunFilterInput = z
  .object({
    task: z.string().nullable(),
    trigger: z.string().nullable(),
    from: instant.nullable(),
    to: instant.nullable(),
    kind: ContextKind.nullable(),
  })
  .meta({ id: "TriggerRunFilterInput" });

export const TriggerRunList = z
  .object({
    events_recorded: z
      .boolean()
      .describe(
        'False where the layout records no trigger runs (before 0.2.4): then nothing is known, which is not "none".',
      ),
    trigger_runs: z.array(TriggerRunRow),
    page: PageInfo,
    older: z
      .string()
      .nullable()
      .describe("The `after` cursor that continues after the last row, or where the search stopped; null at the end."),
    filter: TriggerRunFilterInput,
    task_id_keys: z.array(taskIdKey).describe("Tasks that triggers start, for the filter."),
    notes: z
      .array(z.string())
      .describe("How far the search got, if older runs were not examined, and why a list may be empty."),
  })
  .meta({ id: "TriggerRunList", description: "Trigger runs, newest first." });

export type TriggerRunList = z.infer<typeof TriggerRunList>;

export const TriggerRunDetail = TriggerRunObject.extend({
  trigger_registered: z.boolean(),
  core: z.boolean(),
  atomic_service_runner: RunnerName.nullable(),
  triggered_invocation: InvocationRow.nullable(),
  timeline: TimelineQuery.nullable().describe(
    "What led to it and what it started, on a time line; null when none of it has a time.",
  ),
  sources: z.array(InvocationRow),
  events: z
    .array(EventObject.omit({ payload: true, payload_too_large: true }))
    .describe("Without their payloads: those that took part show them in their contexts, cut."),
  events_gone: z.array(z.string()).describe("Events that took part and are not stored any more."),
  participant_views: z.array(ParticipantView),
  conditions: z.array(ConditionView).describe("Conditions of a record without participants; empty otherwise."),
  truncated: z.boolean().describe("More took part than `SHOWN` of a kind."),
  notes: z.array(z.string()).describe("Sentences about this run."),
}).meta({ id: "TriggerRunDetail", description: "One trigger run: what met its conditions and what it started." });

export type TriggerRunDetail = z.infer<typeof TriggerRunDetail>;

export const WholeTriggerRun = TriggerRunDetail.omit({ events: true })
  .extend({ events: z.array(EventObject) })
  .meta({ id: "WholeTriggerRun", description: "The detail with the payloads of its events." });

export type WholeTriggerRun = z.infer<typeof WholeTriggerRun>;
