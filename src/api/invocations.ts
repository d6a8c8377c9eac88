/** Invocations: list, detail, history and what triggered them. */
import { z } from "zod";
import {
  callIdKey,
  instant,
  PageInfo,
  StatusCount,
  seconds,
  statusWord,
  TimelineQuery,
  taskIdKey,
} from "./model/common.ts";
import { CriticalPath } from "./model/critical-path.ts";
import {
  ElapsedMeaning,
  InvocationFilter,
  InvocationRow,
  InvocationSummary,
  StatusSource,
} from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";
import { TriggerRunObject } from "./model/trigger-objects.ts";
import { ShownArguments, ShownException, ShownValue } from "./model/values.ts";

export const InvocationList = z
  .object({
    invocations: z.array(InvocationRow),
    page: PageInfo,
    older: z
      .string()
      .nullable()
      .describe(
        "What `after` takes to go on behind the last row, or where the search stopped; null at the end, on later numbered pages, and with `sort`.",
      ),
    filter: InvocationFilter,
    timeline: TimelineQuery.nullable().describe("The rows of this page on a time line; null when there are none."),
    notes: z.array(z.string()).describe("What the list leaves out or how it is ordered, when that is not obvious."),
  })
  .meta({ id: "InvocationList", description: "Invocations, newest first unless its notes say otherwise." });
export type InvocationList = z.infer<typeof InvocationList>;

export const InvocationTable = InvocationList.extend({
  invocations: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
}).meta({ id: "InvocationTable", description: "Some fields of invocations, as `--fields` names them." });
export type InvocationTable = z.infer<typeof InvocationTable>;

export const GroupedBy = z.enum(["status", "task", "exception"]).meta({
  id: "GroupedBy",
  description: "What invocations are counted by. `exception`: the class of the exception, of failed ones.",
});
export type GroupedBy = z.infer<typeof GroupedBy>;

export const InvocationGroup = z
  .object({
    value: z.string().nullable().describe("Null where it is not stored."),
    query: z
      .string()
      .nullable()
      .describe("The term of a search that finds them; one for an exception finds its name in messages too."),
    invocations: z.int(),
    latest_invocation_id: z
      .string()
      .nullable()
      .describe("The first of them in the list. Null where an index counted them."),
  })
  .meta({ id: "InvocationGroup" });
export type InvocationGroup = z.infer<typeof InvocationGroup>;

export const InvocationGroups = z
  .object({
    by: GroupedBy,
    groups: z.array(InvocationGroup).describe("The largest first, at most 200."),
    groups_count: z.int().describe("Of all groups that were found."),
    invocations: z.int().describe("Counted in them; of exceptions, the failed ones."),
    complete: z.boolean().describe("False where only the newest matches were counted, or more may still be found."),
    looked: z.int().describe("Candidates that were looked at; 0 where an index has the numbers."),
    notes: z.array(z.string()).describe("How far the count came, where it is not complete."),
  })
  .meta({
    id: "InvocationGroups",
    description: "Invocations that meet a filter, counted by status, task or exception.",
  });
export type InvocationGroups = z.infer<typeof InvocationGroups>;

export const FilterChoices = z
  .object({ statuses: z.array(StatusCount), task_id_keys: z.array(taskIdKey), workflow_type_keys: z.array(z.string()) })
  .meta({ id: "FilterChoices", description: "What the filter form offers." });
export type FilterChoices = z.infer<typeof FilterChoices>;

export const Phase = z
  .enum(["queued", "pending", "running", "paused", "waiting"])
  .meta({ id: "Phase", description: "What an invocation was doing between two entries of its history." });
export type Phase = z.infer<typeof Phase>;

export const PhaseDuration = z
  .object({
    phase: Phase,
    seconds: seconds,
    stretches: z
      .int()
      .describe("How many separate stretches: an invocation that was recovered or retried runs more than once."),
    ongoing: z.boolean().describe("The last phase has not ended yet."),
  })
  .meta({ id: "PhaseDuration" });
export type PhaseDuration = z.infer<typeof PhaseDuration>;

export const Repeats = z.enum(["will", "may", "no"]).meta({
  id: "Repeats",
  description:
    "`will`: it has an outcome, and its status is one from which it runs again. `may`: it has an outcome and is running, so it is either about to end or running again; its rows do not say which.",
});
export type Repeats = z.infer<typeof Repeats>;

export const AutoPurgeDue = z
  .object({
    clock_started_at: instant
      .nullable()
      .describe(
        "When its clock started, as the store has it; null where it has none, and then no auto-purge takes it.",
      ),
    hours: z.number().describe("How long it stays from then on, and where that is set."),
    hours_origin: z.string(),
    due_at: instant
      .nullable()
      .describe(
        "From this instant on an auto-purge takes it; null where that is not known, because the setting of the app was not found.",
      ),
    due_by_default_at: instant.nullable().describe("The same by pynenc's default, where the setting was not found."),
    words: z.string().describe("All of that for people."),
  })
  .meta({ id: "AutoPurgeDue" });
export type AutoPurgeDue = z.infer<typeof AutoPurgeDue>;

export const HistoryGap = z
  .object({ after: z.int().describe("Number of entries before them that are shown."), entries: z.int() })
  .meta({ id: "HistoryGap", description: "Entries of the middle that are not shown." });
export type HistoryGap = z.infer<typeof HistoryGap>;

export const RunOfInvocation = TriggerRunObject.extend({
  timeline: TimelineQuery.nullable().describe(
    "What led to it and what it started, on a time line; null when none of it has a time.",
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
        "False where the layout records neither events nor trigger runs (before 0.2.4): then the rest is unknown, not empty.",
      ),
    triggered_by: RunOfInvocation.nullable().describe("The run that started the invocation."),
    emitted_events: z.array(EmittedEvent).describe("Events it emitted, oldest first."),
    emitted_events_truncated: z.boolean(),
    triggered_runs_caused: z
      .array(RunOfInvocation)
      .describe("Runs in which its status, result or exception took part."),
    triggered_runs_truncated: z.boolean(),
    parent_event: SourceEventSummary.nullable().describe(
      "The event that its definition names; null when there is none or it is not stored any more.",
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

export const HistoryEntry = z
  .object({
    status: statusWord,
    timestamp: instant.describe("When the status was entered."),
    written_at: instant.describe("When the entry was written down."),
    seconds_since_previous: seconds.nullable().describe("Since the status before; null for the first."),
    possible: z.boolean().describe("False when no version of pynenc makes this move from the entry before."),
    status_runner_id: z
      .string()
      .nullable()
      .describe("As stored: of a registration it is the runner that registered, which owns nothing."),
    owner_runner_id: z.string().nullable().describe("Owner after the change."),
    runner: RunnerName.nullable().describe("Who made the change; null when the stored entry is unreadable."),
    registered_by_inv_id: z.string().nullable(),
  })
  .meta({ id: "HistoryEntry" });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const WorkflowRole = z.enum(["none", "root", "member"]).meta({ id: "WorkflowRole" });
export type WorkflowRole = z.infer<typeof WorkflowRole>;

export const InvocationAnswer = z
  .object({
    sentence: z.string(),
    label: z.string().nullable().describe("The relation of `invocation` to it, as text."),
    invocation: InvocationRow.nullable().describe(
      "What it waits for; of a failed one the failed invocation that is the most calls below it, with failed ones alone between them.",
    ),
  })
  .meta({ id: "InvocationAnswer", description: "Why an invocation failed, or what it waits for." });
export type InvocationAnswer = z.infer<typeof InvocationAnswer>;

export const InvocationDetail = TriggerContext.extend(ShownArguments.shape)
  .extend({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    module: z.string().nullable(),
    function: z.string().nullable(),
    call_id_key: callIdKey.nullable(),
    arguments_id: z.string().nullable(),
    status: statusWord,
    status_source: StatusSource,
    final: z.boolean(),
    answer: InvocationAnswer.nullable().describe(
      "What a reader asks first; null for one that ended well, and where nothing is known.",
    ),
    retry_count: z
      .int()
      .nullable()
      .describe("As the orchestrator counts them, else from the history; null if neither is known."),
    owner: RunnerName.nullable(),
    registered_at: instant.nullable(),
    status_at: instant.nullable(),
    completed_at: instant.nullable(),
    elapsed_seconds: seconds
      .nullable()
      .describe("From registration to the end, or until now; null where that is not known."),
    elapsed_meaning: ElapsedMeaning,
    auto_purge: AutoPurgeDue.nullable().describe(
      "When an auto-purge takes its status; null while it is not final, and where the orchestrator has no status of it.",
    ),
    repeats: Repeats.describe(
      "A result or an exception is stored although it is not final: its work will be repeated, or may be.",
    ),
    phases: z.array(PhaseDuration).nullable().describe("Null where the history is too long to be read whole."),
    critical_path: CriticalPath.nullable().describe(
      "What the time went into, through those that it waited for. Null where nothing lasted, and where the history is too long to be read whole.",
    ),
    queued: z.boolean().nullable().describe("In the broker's queue now; null where messages can only be counted."),
    requeueable: z
      .boolean()
      .describe("It has waited for a runner for a while, and no message of it is known: requeue may help."),
    result: ShownValue.nullable(),
    result_raw: z.string().nullable().describe("The stored text of the result or exception, cut for display."),
    exception: ShownException.nullable(),
    exception_raw: z.string().nullable(),
    workflow_role: WorkflowRole,
    workflow: z
      .object({
        workflow_id: z.string(),
        workflow_type_key: z.string().nullable(),
        parent_workflow_id: z.string().nullable(),
        is_subworkflow: z.boolean(),
      })
      .nullable(),
    parent: InvocationRow.nullable(),
    parent_event_id: z.string().nullable(),
    children: z.array(InvocationRow),
    children_count: z.int(),
    waits_for: z
      .array(InvocationRow)
      .describe("Invocations whose results this one waits for, and those that wait for this one."),
    waited_by: z.array(InvocationRow),
    stale_waits_for: z
      .array(InvocationRow)
      .describe(
        "The same as recorded, but they hold no more: one side is final, or the orchestrator has no status of it.",
      ),
    stale_waited_by: z.array(InvocationRow),
    timeline: TimelineQuery.nullable().describe(
      "Parameters of a timeline with it and its closest relatives; null without a history.",
    ),
    history: z.array(HistoryEntry).describe("All entries, or those of both ends where there are very many."),
    history_count: z.int().describe("Of the whole history."),
    history_truncated: z.boolean(),
    history_gap: HistoryGap.nullable().describe("The middle, where it is left out of `history`."),
    notes: z.array(z.string()).describe("Sentences about missing parts and contradictions."),
  })
  .meta({ id: "InvocationDetail", description: "One invocation." });
export type InvocationDetail = z.infer<typeof InvocationDetail>;

export const FollowedStatus = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    status: statusWord,
    timestamp: instant.describe("When the status was entered."),
    written_at: instant.describe("When the entry was written down."),
    owner_runner_id: z.string().nullable().describe("Owner after the change."),
    runner_id: z.string().nullable().describe("Who made the change; null when the stored entry is unreadable."),
  })
  .meta({ id: "FollowedStatus", description: "A status change, as `invocations --follow` prints it." });
export type FollowedStatus = z.infer<typeof FollowedStatus>;

export const WaitGoal = z.enum(["final", "success", "running"]);
export type WaitGoal = z.infer<typeof WaitGoal>;

export const WaitedInvocation = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    status: statusWord,
    state: z.enum(["waiting", "reached", "ended_otherwise", "not_known"]),
  })
  .meta({ id: "WaitedInvocation", description: "An invocation that is waited for." });
export type WaitedInvocation = z.infer<typeof WaitedInvocation>;

export const WaitAnswer = z
  .object({
    app_id: z.string(),
    waited_for: WaitGoal,
    outcome: z
      .enum(["reached", "ended_otherwise", "not_known", "timed_out"])
      .describe(
        "`reached`: all came to what was waited for. `ended_otherwise`: one of them is final without that. `not_known`: one of them is not, or no longer, stored.",
      ),
    waited_seconds: seconds,
    invocations: z.array(WaitedInvocation).describe("In the order in which they were given."),
  })
  .meta({ id: "WaitAnswer", description: "How waiting for invocations ended." });
export type WaitAnswer = z.infer<typeof WaitAnswer>;
