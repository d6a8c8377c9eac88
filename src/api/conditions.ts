/** Conditions of triggers, those that were met, and what waits for them. */

import { z } from "zod";
import { callIdKey, instant, statusWord, taskIdKey } from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { RunCause } from "./model/trigger-objects.ts";
import { ShownArgument, ShownValue } from "./model/values.ts";

export const ConditionItem = z
  .union([
    z.object({
      key: z.string(),
      label: z.string(),
      render: z.literal("value"),
      value: z.string(),
      multiline: z.boolean(),
    }),
    z.object({
      key: z.literal("statuses"),
      label: z.string(),
      render: z.literal("status_badges"),
      statuses: z.array(statusWord),
    }),
  ])
  .meta({ id: "ConditionItem", description: "One member of a record, named as in pynenc's own monitor." });

export type ConditionItem = z.infer<typeof ConditionItem>;

export const ConditionView = z
  .object({
    condition_id: z.string().describe("Empty if no registered condition matches: the stored record has no id."),
    registered: z.boolean().describe("It is registered, so it has a page."),
    type: z
      .string()
      .nullable()
      .describe("Class name as stored; null if neither the registry nor a retained valid condition has it."),
    sentence: z.string().nullable().describe("English text; null if `type` is null."),
    items: z.array(ConditionItem).describe("The members of its JSON."),
  })
  .meta({ id: "ConditionView" });

export type ConditionView = z.infer<typeof ConditionView>;

export const ContextView = z
  .object({
    type: z.string().nullable().describe("Class name as stored: `EventContext`."),
    source: z
      .enum(["live", "snapshot"])
      .describe(
        "`live`: from the valid condition, which is still stored. `snapshot`: from what the trigger run and the event keep.",
      ),
    timestamp: instant.nullable(),
    timestamp_is_local: z.boolean().describe("Before 0.2.4: the text has no offset and is the writer's local time."),
    event_id: z.string().nullable(),
    event_code: z.string().nullable(),
    emitted_by_invocation_id: z.string().nullable(),
    invocation_id: z.string().nullable(),
    task_id_key: taskIdKey.nullable(),
    call_id_key: callIdKey.nullable(),
    status: statusWord.nullable(),
    exception_type: z.string().nullable(),
    exception_message: z.string().nullable(),
    last_execution: instant.nullable().describe("Last execution of the schedule."),
    payload: z.array(ShownArgument).nullable(),
    arguments: z.array(ShownArgument).nullable(),
    result: ShownValue.nullable(),
  })
  .meta({
    id: "ContextView",
    description: "What met a condition. Members that its type does not have or that are no longer known are null.",
  });

export type ContextView = z.infer<typeof ContextView>;

export const ParticipantView = z
  .object({
    condition: ConditionView.nullable(),
    context: ContextView,
    valid_condition_id: z.string().nullable(),
    valid_condition_retained: z
      .boolean()
      .describe(
        "The valid condition is still stored, so it has a page; usually it is cleared once its triggers have run.",
      ),
    source: InvocationRow.nullable().describe("The invocation whose status, result or exception met the condition."),
    event_stored: z.boolean().describe("The event is still stored, so it has a page."),
  })
  .meta({
    id: "ParticipantView",
    description: "A participant with the condition that was met and the context that met it.",
  });

export type ParticipantView = z.infer<typeof ParticipantView>;

export const ConditionWords = z
  .object({
    condition_id: z.string(),
    sentence: z.string().nullable().describe("Null if the condition is not registered."),
  })
  .meta({ id: "ConditionWords", description: "A condition of a trigger, as text." });

export type ConditionWords = z.infer<typeof ConditionWords>;

export const PendingTrigger = z
  .object({
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    logic_value: z.string(),
    conditions_count: z.int(),
    state: z
      .enum(["ready", "waiting", "ran", "unknown"])
      .describe(
        "`ready`: nothing is missing; it runs when the atomic service runs next. `waiting`: it needs other conditions too. `ran`: it has already run for this. `unknown`: it is not known yet which of its conditions are met.",
      ),
    missing: z.array(ConditionWords).describe("The first few conditions that it waits for."),
    missing_count: z.int(),
  })
  .meta({ id: "PendingTrigger", description: "A trigger that has a condition that was met." });

export type PendingTrigger = z.infer<typeof PendingTrigger>;

export const PendingCondition = z
  .object({
    valid_condition_id: z.string(),
    condition_id: z.string().nullable().describe("Null if no registered condition matches."),
    sentence: z.string().nullable().describe("Null if the stored text is not readable."),
    met_at: instant.nullable(),
    met_at_is_local: z.boolean().describe("Before 0.2.4: the writer's local time, without an offset."),
    cause: RunCause.nullable().describe(
      "The event, invocation or schedule that met it; null if the stored text is not readable.",
    ),
    triggers: z.array(PendingTrigger),
    triggers_truncated: z.boolean().describe("More triggers have the condition."),
  })
  .meta({ id: "PendingCondition", description: "A condition that was met, with what it waits for." });

export type PendingCondition = z.infer<typeof PendingCondition>;

export const PendingList = z
  .object({
    rows: z.array(PendingCondition).describe("The first few."),
    total: z
      .int()
      .nullable()
      .describe("Null while a store that has just been opened is still being searched for them."),
    capped: z.boolean().describe("`total` is a lower bound."),
  })
  .meta({ id: "PendingList", description: "Pending conditions of one list." });

export type PendingList = z.infer<typeof PendingList>;

export const ConditionTrigger = z
  .object({
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    logic_value: z.string(),
    conditions: z.int().describe("Number of its conditions."),
  })
  .meta({ id: "ConditionTrigger", description: "A trigger that has a certain condition." });

export type ConditionTrigger = z.infer<typeof ConditionTrigger>;

export const ConditionDetail = z
  .object({
    condition: ConditionView,
    condition_json: z.string().describe("As stored, cut for display."),
    last_cron_execution: instant
      .nullable()
      .describe("Only for schedules. Also null right after a runner starts, because it registers the condition again."),
    next_times: z.array(instant).describe("The next times of a schedule."),
    never_due: z.boolean().describe("No date matches the schedule."),
    triggers: z.array(ConditionTrigger),
    triggers_truncated: z.boolean(),
    pending: PendingList.describe("What met it and has not been handled yet."),
  })
  .meta({ id: "ConditionDetail", description: "A condition with the triggers that have it." });

export type ConditionDetail = z.infer<typeof ConditionDetail>;

export const ValidConditionDetail = z
  .object({
    valid_condition_id: z.string(),
    condition: ConditionView.nullable().describe("As it was when it was met; null if the stored text is not readable."),
    context: ContextView.nullable(),
    source: InvocationRow.nullable().describe("The invocation whose status, result or exception met the condition."),
    event_stored: z.boolean().describe("The event is stored, so it has a page."),
    triggers: z
      .array(PendingTrigger)
      .describe("Triggers that have the condition; it is not cleared while any of them has not run for it."),
    triggers_truncated: z.boolean(),
    trigger_run_ids: z.array(z.string()).describe("Runs that already used it."),
    valid_condition_json: z.string().describe("As stored, cut for display."),
    too_large: z
      .int()
      .nullable()
      .describe("Size in bytes if the stored text is too large to read in full; then its content is not known."),
  })
  .meta({
    id: "ValidConditionDetail",
    description: "A condition that was met: by what, and which triggers wait for it.",
  });

export type ValidConditionDetail = z.infer<typeof ValidConditionDetail>;
