/** Invocations: list, detail, history and what triggered them. */
import { z } from "zod";
import { AuditEntry } from "./audit.ts";
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
import { DurationMeaning, InvocationFilter, InvocationRow, StatusSource } from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";
import { SlotHold } from "./model/slot-holds.ts";
import { ShownArguments, ShownException, ShownValue } from "./model/values.ts";
import { WaitingPlace } from "./model/waiting-places.ts";
import { TriggerContext } from "./trigger-context.ts";
import { GROUPED_BY } from "./words.ts";

export const InvocationList = z
  .object({
    invocations: z.array(InvocationRow),
    page: PageInfo,
    older: z
      .string()
      .nullable()
      .describe(
        "Cursor for `after` to continue after the last row, or where the search stopped; null at the end, on later numbered pages, and with `sort`.",
      ),
    filter: InvocationFilter,
    timeline: TimelineQuery.nullable().describe("Timeline of the rows of this page; null if there are none."),
    notes: z.array(z.string()).describe("What the list leaves out or how it is ordered, if not obvious."),
  })
  .meta({ id: "InvocationList", description: "Invocations, newest first unless its notes say otherwise." });
export type InvocationList = z.infer<typeof InvocationList>;

export const InvocationTable = InvocationList.extend({
  invocations: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
}).meta({ id: "InvocationTable", description: "Some fields of invocations, as `--fields` names them." });
export type InvocationTable = z.infer<typeof InvocationTable>;

export const GroupedBy = z.enum(GROUPED_BY).meta({
  id: "GroupedBy",
  description: "What invocations are counted by. `exception`: the class of the exception; only failed ones count.",
});
export type GroupedBy = z.infer<typeof GroupedBy>;

export const InvocationGroup = z
  .object({
    value: z.string().nullable().describe("Null if not stored."),
    query: z
      .string()
      .nullable()
      .describe("The search term that finds them; a term for an exception also finds its name in messages."),
    invocations: z.int(),
    latest_invocation_id: z
      .string()
      .nullable()
      .describe("The first of them in the list. Null if an index counted them."),
  })
  .meta({ id: "InvocationGroup" });
export type InvocationGroup = z.infer<typeof InvocationGroup>;

export const InvocationGroups = z
  .object({
    by: GroupedBy,
    groups: z.array(InvocationGroup).describe("The largest first, at most 200."),
    groups_count: z.int().describe("Number of all groups found."),
    invocations: z.int().describe("Invocations counted; by exception, only failed ones."),
    complete: z.boolean().describe("False if only the newest matches were counted, or more may still be found."),
    looked: z.int().describe("Candidates examined; 0 if an index has the numbers."),
    notes: z.array(z.string()).describe("How far the count came, if it is incomplete."),
  })
  .meta({
    id: "InvocationGroups",
    description: "Invocations that match a filter, counted by status, task or exception.",
  });
export type InvocationGroups = z.infer<typeof InvocationGroups>;

export const FilterChoices = z
  .object({ statuses: z.array(StatusCount), task_id_keys: z.array(taskIdKey), workflow_type_keys: z.array(z.string()) })
  .meta({ id: "FilterChoices", description: "What the filter form offers." });
export type FilterChoices = z.infer<typeof FilterChoices>;

export const Phase = z.enum(["queued", "pending", "running", "paused", "waiting", "dead_runner", "not_known"]).meta({
  id: "Phase",
  description:
    "What an invocation was doing between two entries of its history. `dead_runner`: its runner was silent; from the last heartbeat of the runner until a recovery took the invocation, or until now. `not_known`: the rows do not say, because an entry is missing, a status is not known, or no heartbeat of a runner that counted as silent is stored.",
});
export type Phase = z.infer<typeof Phase>;

export const PhaseDuration = z
  .object({
    phase: Phase,
    duration_seconds: seconds,
    stretches: z
      .int()
      .describe("Number of separate periods: an invocation that was recovered or retried runs more than once."),
    ongoing: z.boolean().describe("The last phase has not ended yet."),
    across_clocks: z
      .literal(true)
      .optional()
      .describe("A part of it was measured between the clocks of two hosts that disagree, so its length is not known."),
  })
  .meta({ id: "PhaseDuration" });
export type PhaseDuration = z.infer<typeof PhaseDuration>;

export const Repeats = z.enum(["will", "may", "no"]).meta({
  id: "Repeats",
  description:
    "`will`: it has an outcome, and its status leads to another run. `may`: it has an outcome and is running, so it is either about to end or running again; the stored data does not say which.",
});
export type Repeats = z.infer<typeof Repeats>;

export const AutoPurgeDue = z
  .object({
    clock_started_at: instant
      .nullable()
      .describe(
        "The start of its retention period as stored; null if there is none, in which case no auto-purge removes it.",
      ),
    hours: z.number().describe("Retention period in hours, and where it is set."),
    hours_origin: z.string(),
    due_at: instant
      .nullable()
      .describe("An auto-purge removes it from this instant on; null if the app's setting was not found."),
    due_by_default_at: instant
      .nullable()
      .describe("The same according to pynenc's default, if the setting was not found."),
    words: z.string().describe("The same as text for people."),
  })
  .meta({ id: "AutoPurgeDue" });
export type AutoPurgeDue = z.infer<typeof AutoPurgeDue>;

export const RerunLink = AuditEntry.pick({ at: true, who: true, via: true })
  .extend({ invocation: InvocationRow })
  .meta({ id: "RerunLink", description: "The other end of a rerun, and who did it when." });
export type RerunLink = z.infer<typeof RerunLink>;

export const HistoryGap = z
  .object({ after: z.int().describe("Number of entries shown before the gap."), entries: z.int() })
  .meta({ id: "HistoryGap", description: "Entries in the middle that are not shown." });
export type HistoryGap = z.infer<typeof HistoryGap>;

export const HistoryEntry = z
  .object({
    status: statusWord,
    timestamp: instant.describe("When the status was entered."),
    written_at: instant.describe("When the entry was written."),
    since_previous_seconds: seconds
      .nullable()
      .describe("Since the previous status; null for the first, and between the clocks of two hosts that disagree."),
    across_clocks: z
      .literal(true)
      .optional()
      .describe("Its time and that of the previous entry are by the clocks of two hosts that disagree."),
    dead_from: instant
      .optional()
      .describe("Last heartbeat of its runner, if that fell silent before the next status; only in the detail."),
    possible: z.boolean().describe("False if no version of pynenc makes this transition from the previous entry."),
    status_runner_id: z
      .string()
      .nullable()
      .describe("As stored: of a registration it is the runner that registered, which owns nothing."),
    owner_runner_id: z.string().nullable().describe("Owner after the change."),
    runner: RunnerName.nullable().describe("Who made the change; null if the stored entry is unreadable."),
    registered_by_inv_id: z.string().nullable(),
  })
  .meta({ id: "HistoryEntry" });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const WorkflowRole = z.enum(["none", "root", "member"]).meta({ id: "WorkflowRole" });
export type WorkflowRole = z.infer<typeof WorkflowRole>;

export const InvocationAnswer = z
  .object({
    sentence: z.string(),
    details: z
      .array(z.string())
      .describe(
        "Sentences on what it waits for: its place in the queue, who takes from there, what holds its slot. Of a failed one: which calls below it failed on their own, if several did, and how often it fails this way.",
      ),
    label: z.string().nullable().describe("The relation of `invocation` to it, as text."),
    invocation: InvocationRow.nullable().describe(
      "What it waits for; for a failed one, the deepest failed invocation below it that is reached through failed invocations only.",
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
      "The answer to the first question about it; null if it ended well or nothing is known.",
    ),
    retry_count: z
      .int()
      .nullable()
      .describe("As counted by the orchestrator, else from the history; null if neither is known."),
    owner: RunnerName.nullable(),
    registered_at: instant.nullable(),
    status_at: instant.nullable(),
    completed_at: instant.nullable(),
    duration_seconds: seconds
      .nullable()
      .describe(
        "From registration to the end, or until now; null if not known. Where the clocks of its hosts disagree, only what was measured by one clock.",
      ),
    duration_meaning: DurationMeaning,
    auto_purge: AutoPurgeDue.nullable().describe(
      "When an auto-purge removes its status; null while it is not final, and if the orchestrator has no status of it.",
    ),
    repeats: Repeats.describe(
      "A result or an exception is stored although it is not final: its work will or may be repeated.",
    ),
    phases: z.array(PhaseDuration).nullable().describe("Null if the history is too long to be read in full."),
    critical_path: CriticalPath.nullable().describe(
      "Where the time went, including invocations that it waited for. Null if nothing took time, or if the history is too long to be read in full.",
    ),
    waiting: WaitingPlace.nullable().describe("Where it waits for a runner; null unless it does and has a message."),
    slot: SlotHold.nullable().describe(
      "What concurrency control holds it back for, or dropped it for; null if it did neither.",
    ),
    queued: z.boolean().nullable().describe("In the broker's queue now; null if messages can only be counted."),
    requeueable: z
      .boolean()
      .describe("It has waited for a runner for a while without a known message; requeue may help."),
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
      .describe("Recorded waits that no longer hold: one side is final, or has no status in the orchestrator."),
    stale_waited_by: z.array(InvocationRow),
    timeline: TimelineQuery.nullable().describe(
      "Parameters of a timeline with it and its closest relatives; null without a history.",
    ),
    history: z.array(HistoryEntry).describe("All entries, or those at both ends if there are very many."),
    history_count: z.int().describe("Number of entries in the complete history."),
    history_truncated: z.boolean(),
    history_gap: HistoryGap.nullable().describe("The part in the middle, if it is left out of `history`."),
    rerun_of: RerunLink.nullable().describe(
      "The invocation whose call was registered again as this one. Known only from this user's record of actions; null otherwise.",
    ),
    rerun_as: z.array(RerunLink).describe("What its call was registered again as, newest first, at most 5."),
    rerun_count: z.int().describe("How often the record of actions says so."),
    notes: z.array(z.string()).describe("Sentences about missing parts and contradictions."),
  })
  .meta({ id: "InvocationDetail", description: "One invocation." });
export type InvocationDetail = z.infer<typeof InvocationDetail>;
