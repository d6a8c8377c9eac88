/** Events, trigger runs, triggers and their conditions. */
import { z } from "zod";
import { TraceTree } from "./causes.ts";
import { callIdKey, instant, PageInfo, statusWord, TimelineQuery, taskIdKey } from "./model/common.ts";
import { InvocationRow, InvocationSummary } from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";
import { ContextKind, EventObject, RunCause, TriggerRunObject } from "./model/trigger-objects.ts";
import { ShownArgument, ShownValue } from "./model/values.ts";
import { TimelineEvent } from "./timeline.ts";

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
  .meta({ id: "ConditionItem", description: "One member of a record, as the existing monitor names it." });
export type ConditionItem = z.infer<typeof ConditionItem>;

export const ConditionView = z
  .object({
    condition_id: z.string().describe("Empty if no registered condition fits: the stored record has no id."),
    registered: z.boolean().describe("It is registered, so it has a page."),
    type: z
      .string()
      .nullable()
      .describe("Class name as stored; null when neither the registry nor a retained valid condition holds it."),
    sentence: z.string().nullable().describe("English text; null if `type` is null."),
    items: z.array(ConditionItem).describe("Members of its JSON."),
  })
  .meta({ id: "ConditionView" });
export type ConditionView = z.infer<typeof ConditionView>;

export const ContextView = z
  .object({
    type: z.string().nullable().describe("Class name as stored: `EventContext`."),
    source: z
      .enum(["live", "snapshot"])
      .describe(
        "`live`: from the valid condition, still retained. `snapshot`: from what the trigger run and the event keep.",
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
    last_execution: instant.nullable().describe("Of the schedule."),
    payload: z.array(ShownArgument).nullable(),
    arguments: z.array(ShownArgument).nullable(),
    result: ShownValue.nullable(),
  })
  .meta({
    id: "ContextView",
    description: "What met a condition. Members that its type does not have, or that are not known any more, are null.",
  });
export type ContextView = z.infer<typeof ContextView>;

export const ParticipantView = z
  .object({
    condition: ConditionView.nullable(),
    context: ContextView,
    valid_condition_id: z.string().nullable(),
    valid_condition_retained: z
      .boolean()
      .describe("The valid condition is still stored, so it has a page; mostly it is cleared once its triggers ran."),
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
    sentence: z.string().nullable().describe("Null when the condition is not registered."),
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
        "`ready`: nothing is missing, it runs when the atomic service runs next. `waiting`: it needs other conditions too. `ran`: it has already run for this. `unknown`: it is not known yet which of its conditions are met.",
      ),
    missing: z.array(ConditionWords).describe("The conditions that it waits for: the first few."),
    missing_count: z.int(),
  })
  .meta({ id: "PendingTrigger", description: "A trigger that has a condition that was met." });
export type PendingTrigger = z.infer<typeof PendingTrigger>;

export const PendingCondition = z
  .object({
    valid_condition_id: z.string(),
    condition_id: z.string().nullable().describe("Null when no registered condition fits."),
    sentence: z.string().nullable().describe("Null when the stored text is not readable."),
    met_at: instant.nullable(),
    met_at_is_local: z
      .boolean()
      .describe("Before 0.2.4: the time is the local one of whoever wrote it, without an offset."),
    cause: RunCause.nullable().describe(
      "The event, the invocation or the schedule that met it; null when the stored text is not readable.",
    ),
    triggers: z.array(PendingTrigger),
    triggers_truncated: z.boolean().describe("More triggers have the condition."),
  })
  .meta({ id: "PendingCondition", description: "A condition that was met, with what it waits for." });
export type PendingCondition = z.infer<typeof PendingCondition>;

export const PendingList = z
  .object({
    rows: z.array(PendingCondition).describe("The first few."),
    total: z.int().nullable().describe("Null while a store that has just been opened still looks for them."),
    capped: z.boolean().describe("`total` is a lower bound."),
  })
  .meta({ id: "PendingList", description: "Pending conditions of one list." });
export type PendingList = z.infer<typeof PendingList>;

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

export const EventListFilter = z
  .object({
    event_code: z.string().nullable(),
    from: instant.nullable(),
    to: instant.nullable(),
    matched: z.enum(["all", "yes", "no"]),
    triggered: z.enum(["all", "yes", "no"]),
  })
  .meta({ id: "EventListFilter", description: "What a list is restricted to; null and `all` do not restrict." });
export type EventListFilter = z.infer<typeof EventListFilter>;

export const EventRow = z
  .object({
    event_id: z.string(),
    event_code: z.string(),
    timestamp: instant,
    matched: z.boolean(),
    matched_conditions: z.int().describe("How many conditions it met."),
    triggered: z.boolean(),
    triggered_invocation_ids: z.array(z.string()).describe("The first few."),
    triggered_invocations_count: z.int(),
    emitted_by_invocation_id: z.string().nullable(),
    emitted_by_task_id: z.string().nullable(),
    emitted_by_runner_context_id: z.string().nullable(),
  })
  .meta({ id: "EventRow", description: "One line of a list of events." });
export type EventRow = z.infer<typeof EventRow>;

export const EventList = z
  .object({
    unrecorded: z
      .string()
      .nullable()
      .describe(
        "Why events are not known, or null if they are recorded. Only then does an empty list mean that there are none.",
      ),
    events: z.array(EventRow),
    page: PageInfo,
    filter: EventListFilter,
    codes: z
      .array(z.string())
      .nullable()
      .describe("Codes to choose from, in alphabetical order; null where there are too many to list."),
  })
  .meta({ id: "EventList", description: "Events, newest first." });
export type EventList = z.infer<typeof EventList>;

export const EventConditionView = z
  .object({
    condition_id: z.string(),
    matched: z.boolean(),
    valid_condition_id: z.string().nullable().describe("What the match was recorded as."),
    valid_condition_retained: z.boolean().describe("It is kept until the triggers that wait for it were handled."),
    known: z.boolean().describe("False when no definition is stored any more."),
    sentence: z.string().describe("Text; the id if nothing else is known."),
  })
  .meta({ id: "EventConditionView", description: "An EventCondition for the event's code." });
export type EventConditionView = z.infer<typeof EventConditionView>;

export const EventDetail = z
  .object({
    event_id: z.string(),
    event_code: z.string(),
    timestamp: instant,
    matched: z.boolean(),
    triggered: z.boolean(),
    emitted_by_invocation_id: z.string().nullable(),
    emitted_by_task_id: z.string().nullable(),
    emitted_by_runner_context_id: z.string().nullable(),
    emitter: InvocationRow.nullable().describe("Null when the event came from outside any invocation."),
    emitter_runner: RunnerName.nullable(),
    payload: z.array(ShownArgument),
    payload_too_large: z
      .int()
      .nullable()
      .describe("Bytes of a payload that is too large to be read; then none of it is listed."),
    conditions: z
      .array(EventConditionView)
      .describe("Those it met, then the others that triggers watch for the same code now."),
    trigger_runs: z.array(TriggerRunObject),
    trigger_runs_truncated: z.boolean(),
    triggered_invocations: z.array(InvocationRow),
    triggered_invocations_count: z.int(),
    triggered_invocations_capped: z.boolean(),
    timeline: TimelineQuery.nullable().describe("The event on a time line, with its emitter and what it started."),
    caused: TraceTree.describe("What the event caused."),
    led_to_it: TraceTree.nullable().describe("What led to it; null when it came from outside any invocation."),
    pending: z
      .array(PendingCondition)
      .describe("Conditions that it met and that are still stored, with the triggers that wait for them."),
    notes: z.array(z.string()).describe("Sentences about missing parts and contradictions."),
  })
  .meta({ id: "EventDetail", description: "One event: what it met and what it caused." });
export type EventDetail = z.infer<typeof EventDetail>;

export const EventApi = z
  .object({
    event: EventObject,
    trigger_runs: z.array(TriggerRunObject),
    trigger_runs_truncated: z.boolean(),
    invocation_summaries: z.record(z.string(), InvocationSummary),
  })
  .meta({ id: "EventApi", description: "One event with its trigger runs, as clients of pynmon read it." });
export type EventApi = z.infer<typeof EventApi>;

export const EventTriggerRuns = EventApi.pick({ trigger_runs: true, trigger_runs_truncated: true }).meta({
  id: "EventTriggerRuns",
  description: "The trigger runs that an event took part in.",
});
export type EventTriggerRuns = z.infer<typeof EventTriggerRuns>;

export const EventMarkers = z
  .object({
    unrecorded: z.string().nullable(),
    markers: z.array(TimelineEvent),
    total: z
      .int()
      .nullable()
      .describe("Events in the window, counted up to a million; null where events are not recorded."),
    truncated: z.boolean().describe("There are more behind the last one."),
  })
  .meta({ id: "EventMarkers", description: "Events in a window of time." });
export type EventMarkers = z.infer<typeof EventMarkers>;

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
export type TriggerRunFilterInput = z.infer<typeof TriggerRunFilterInput>;

export const TriggerRunList = z
  .object({
    events_recorded: z
      .boolean()
      .describe(
        'False where the layout records no trigger runs (before 0.2.4): then nothing is known, which is not "none".',
      ),
    trigger_runs: z.array(TriggerRunRow),
    page: PageInfo,
    filter: TriggerRunFilterInput,
    task_id_keys: z.array(taskIdKey).describe("Tasks that triggers start, for the filter."),
    notes: z.array(z.string()).describe("How far the search came, where older runs were not looked at."),
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

export const TriggerRow = z
  .object({
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    logic_value: z.string().describe("`and`: all conditions; `or`: any of them."),
    conditions: z.array(ConditionWords).describe("The first few."),
    conditions_count: z.int(),
    argument_provider: z.string().describe("Where the arguments of the call come from, as text."),
    next_time: instant.nullable().describe("When one of its schedules comes true next."),
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
export type TaskTriggers = z.infer<typeof TaskTriggers>;

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
  })
  .meta({ id: "TriggerDetail", description: "One trigger with its conditions and latest runs." });
export type TriggerDetail = z.infer<typeof TriggerDetail>;

export const ConditionTrigger = z
  .object({
    trigger_id: z.string(),
    task_id_key: taskIdKey,
    logic_value: z.string(),
    conditions: z.int().describe("How many conditions it has."),
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
    next_times: z.array(instant).describe("Of a schedule, from now on."),
    triggers: z.array(ConditionTrigger),
    triggers_truncated: z.boolean(),
    pending: PendingList.describe("What met it and was not handled yet."),
  })
  .meta({ id: "ConditionDetail", description: "A condition with the triggers that have it." });
export type ConditionDetail = z.infer<typeof ConditionDetail>;

export const ValidConditionDetail = z
  .object({
    valid_condition_id: z.string(),
    condition: ConditionView.nullable().describe(
      "As it was when it was met; null when the stored text is not readable.",
    ),
    context: ContextView.nullable(),
    source: InvocationRow.nullable().describe("The invocation whose status, result or exception met the condition."),
    event_stored: z.boolean().describe("The event is stored, so it has a page."),
    triggers: z
      .array(PendingTrigger)
      .describe("Triggers that have the condition; those that have not run for it keep it from being cleared."),
    triggers_truncated: z.boolean(),
    trigger_run_ids: z.array(z.string()).describe("Runs that used it already."),
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
