/** Triggers. */

import { z } from "zod";
import { ConditionView, ConditionWords, PendingList } from "./conditions.ts";
import { instant, PageInfo, taskIdKey } from "./model/common.ts";
import { ShownArgument } from "./model/values.ts";
import { TriggerRunRow } from "./trigger-runs.ts";

export const TriggerWaiting = z
  .object({
    state: z.enum(["ready", "waiting", "unknown"]),
    met: z.int().nullable().describe("How many of its conditions are met now; null while not known."),
    of: z.int(),
    since: instant.nullable().describe("When the first of them was met; null where that is not known."),
    missing: z.array(ConditionWords),
    missing_count: z.int(),
    sentence: z.string().describe("The whole condition as English text."),
  })
  .meta({
    id: "TriggerWaiting",
    description: "How far a trigger is, that has met conditions for which it has not run.",
  });

export type TriggerWaiting = z.infer<typeof TriggerWaiting>;

export const TriggerRow = z
  .object({
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    logic_value: z.string().describe("`and`: all conditions; `or`: any of them."),
    conditions: z.array(ConditionWords).describe("The first few."),
    conditions_count: z.int(),
    argument_provider: z.string().describe("Where the arguments of the call come from, as text."),
    next_time: instant.nullable().describe("When one of its schedules comes true next."),
    never_due: z.boolean().describe("It has a schedule that no date matches, and none that one does."),
    waiting: TriggerWaiting.nullable().describe(
      "How far it is, when conditions of it are met for which it has not run; null when nothing waits for it.",
    ),
  })
  .meta({ id: "TriggerRow" });

export type TriggerRow = z.infer<typeof TriggerRow>;

export const TaskTriggers = z
  .object({
    task_id_key: taskIdKey,
    core: z.boolean().describe("One of pynenc's own recovery tasks."),
    triggers: z.array(TriggerRow),
  })
  .meta({ id: "TaskTriggers" });

export const TriggerList = z
  .object({
    stored: z
      .boolean()
      .describe("False when the trigger component is kept in memory or elsewhere: then nothing is known."),
    tasks: z.array(TaskTriggers).describe("By task, then id; a task may continue on the next page."),
    page: PageInfo,
    pending: PendingList.describe(
      "Conditions that are met and wait for their triggers: of all triggers, not only of this page.",
    ),
  })
  .meta({ id: "TriggerList", description: "Registered triggers by task." });

export type TriggerList = z.infer<typeof TriggerList>;

export const TriggerCondition = ConditionView.extend({
  last_cron_execution: instant
    .nullable()
    .describe("Only for schedules. Also null right after a runner starts, because it registers the condition again."),
  next_times: z.array(instant).describe("Of a schedule: five times from now on."),
  never_due: z.boolean().describe("No date matches the schedule."),
  met: z.boolean().nullable().describe("It is met now, for this trigger or for others; null while not known."),
}).meta({ id: "TriggerCondition" });

export type TriggerCondition = z.infer<typeof TriggerCondition>;

export const TriggerDetail = z
  .object({
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    core: z.boolean(),
    logic_value: z.string(),
    argument_provider: z.object({
      type: z.string().nullable().describe("Class name as stored; null when the task is called without arguments."),
      sentence: z.string(),
      arguments: z.array(ShownArgument).describe("Fixed arguments."),
      json: z.string().nullable().describe("As stored, cut for display."),
    }),
    conditions: z.array(TriggerCondition),
    conditions_count: z.int(),
    waiting: TriggerWaiting.nullable().describe(
      "How far it is, when conditions of it are met for which it has not run.",
    ),
    pending: PendingList.describe("What met its conditions and is still stored."),
    events_recorded: z.boolean().describe("False where the layout records no trigger runs (before 0.2.4)."),
    trigger_runs: z.array(TriggerRunRow).describe("The latest."),
    trigger_runs_count: z
      .int()
      .nullable()
      .describe("Null where runs are not recorded; a lower bound when `trigger_runs_capped`."),
    trigger_runs_capped: z.boolean(),
    off_schedule: z
      .int()
      .describe(
        "How many of `trigger_runs` a schedule started outside its times: one without a last execution, as after the start of a runner, is met at once.",
      ),
    no_runs: z.string().nullable().describe("What is known if no run is found; null if some are."),
  })
  .meta({ id: "TriggerDetail", description: "One trigger with its conditions and latest runs." });

export type TriggerDetail = z.infer<typeof TriggerDetail>;
