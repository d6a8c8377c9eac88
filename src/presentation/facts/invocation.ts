/** What is said of an invocation. */
import type {
  EmittedEvent,
  HistoryEntry,
  InvocationDetail,
  PhaseDuration,
  RunOfInvocation,
  TriggerContext,
} from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { WorkflowStep } from "../../api/workflows.ts";
import { ACROSS_CLOCKS, PATH_PHASE_WORDS, phaseTime } from "../critical-path.ts";
import { count, ELAPSED_LABELS, exceptionText } from "../text.ts";
import type { Column, Part } from "./column.ts";
import {
  absent,
  eventOutcome,
  type Fact,
  type FactGroup,
  type FactValue,
  fact,
  group,
  idOf,
  idOrNothing,
} from "./fact.ts";

export function invocationFacts(detail: InvocationDetail): FactGroup[] {
  const { final, owner, queued, retry_count: retries } = detail;
  return [
    group(
      "Invocation",
      fact("task_id_key", "Task", detail.task_id_key === null ? null : { task: detail.task_id_key }),
      fact("call_id_key", "Call", detail.call_id_key === null ? null : { call: detail.call_id_key }),
      fact("registered_at", "Registered", { time: detail.registered_at }),
      final
        ? fact("status_at", "Ended", { time: detail.completed_at })
        : fact("status_at", "In this status since", { time: detail.status_at }),
      fact("elapsed_seconds", ELAPSED_LABELS[detail.elapsed_meaning], { seconds: detail.elapsed_seconds }),
      detail.auto_purge !== null && fact("auto_purge", "Auto-purge", detail.auto_purge.words),
      fact(
        "retry_count",
        "Retries",
        retries === null ? absent("not known") : retries === 0 ? absent("0") : { count: retries },
      ),
      fact(
        "owner",
        "Owner",
        owner === null
          ? absent(detail.status_source === "orchestrator" || final ? "none" : "not known")
          : { runner: owner },
      ),
      fact("queued", "In the queue", inQueue(queued)),
    ),
    group("Origin", ...originFacts(detail)),
  ];
}

function inQueue(queued: boolean | null): FactValue {
  if (queued === null) return absent("not known", "This queue can only be counted");
  return queued ? { text: "yes", to: { queue: {} } } : absent("no");
}

function originFacts(detail: InvocationDetail): (Fact | false)[] {
  const { parent, parent_event_id: event, workflow, children_count: children } = detail;
  const noParent =
    detail.triggered_by === null ? "none: called from outside or started by a trigger" : "none: a trigger started it";
  const parentFact = fact(
    "parent",
    "Parent",
    parent === null ? absent(unknownOr(detail, noParent)) : { invocation: parent },
  );
  const childrenFact =
    children > 0 &&
    fact("children", "Children", { count: children, to: { invocations: { parent: detail.invocation_id } } });
  const eventFact =
    event !== null && fact("parent_event", "Parent event", idOf("event", event, detail.parent_event !== null));
  if (workflow === null) {
    return [parentFact, childrenFact, eventFact, fact("workflow", "Workflow", absent(unknownOr(detail, "none")))];
  }
  const { workflow_id: run, workflow_type_key: type, parent_workflow_id: above } = workflow;
  return [
    parentFact,
    childrenFact,
    eventFact,
    fact("workflow_role", "Workflow role", ROLE_WORDS[detail.workflow_role]),
    fact(
      "workflow_type",
      "Workflow type",
      type === null ? null : { task: type, to: { kind: "workflow_type", id: type } },
    ),
    fact("workflow", "Workflow run", idOf("workflow", run)),
    fact("parent_run", "Parent run", above === null ? absent("none: not a sub-workflow") : idOf("workflow", above)),
  ];
}

/** Without a definition nothing is known about the origin. */
function unknownOr({ arguments_id }: InvocationDetail, otherwise: string): string {
  return arguments_id === null ? "not stored" : otherwise;
}

const ROLE_WORDS: Readonly<Record<InvocationDetail["workflow_role"], string>> = {
  none: "none",
  root: "root: it defines the run",
  member: "member: it started inside the run",
};

/** Additional members of steps of a workflow run. */
export type ListedInvocation = InvocationRow & Partial<Pick<WorkflowStep, "result" | "starts_run">>;

const RESULT: Column<ListedInvocation> = {
  of: ["result"],
  label: "Result",
  value: ({ result = null }) => (result === null ? null : { text: result, look: "details" }),
};

/** Every list of invocations has these columns, in this order. On a narrow screen the status must be in sight. */
export const INVOCATION_COLUMNS: readonly Column<ListedInvocation>[] = [
  { of: ["invocation_id"], label: "Invocation", value: (row) => idOf("invocation", row.invocation_id) },
  {
    of: ["status", "status_source"],
    label: "Status",
    speaking: true,
    sorts: true,
    value: (row) => ({ status_of: row }),
  },
  { of: ["task_id_key"], label: "Task", speaking: true, sorts: true, value: taskOf },
  {
    of: ["arguments", "exception_type", "exception_message"],
    label: "Details",
    hint: "The exception if it failed, otherwise the arguments",
    speaking: true,
    last: true,
    min: 16,
    optional: true,
    value: detailsOf,
  },
  {
    of: ["registered_at"],
    label: "Registered",
    hint: "When it was registered",
    sorts: true,
    value: (row) => ({ time: row.registered_at }),
  },
  {
    of: ["status_at"],
    label: "Changed",
    hint: "When it entered its status",
    sorts: true,
    page: true,
    value: (row) => ({ time: row.status_at }),
  },
  {
    of: ["duration_seconds"],
    label: "Duration",
    align: "end",
    hint: "From registration to the final status",
    sorts: true,
    optional: true,
    value: (row) => ({ seconds: row.duration_seconds, at_least: row.duration_at_least }),
  },
  {
    of: ["retry_count"],
    label: "Retries",
    align: "end",
    sorts: true,
    optional: true,
    roomy: true,
    value: (row) => ({ count: row.retry_count }),
  },
  {
    of: ["owner_runner_id"],
    label: "Owner",
    hint: "Runner that owns it now: pending, running or paused",
    page: true,
    roomy: true,
    value: (row) => idOrNothing("runner", row.owner_runner_id),
  },
  {
    of: ["parent_invocation_id"],
    label: "Parent",
    hint: "Invocation that called it",
    extra: true,
    roomy: true,
    value: (row) => idOrNothing("invocation", row.parent_invocation_id),
  },
  {
    of: ["workflow_id"],
    label: "Workflow run",
    hint: "Its id is that of the root invocation",
    extra: true,
    roomy: true,
    value: (row) => idOrNothing("workflow", row.workflow_id),
  },
  {
    of: ["call_id_key"],
    label: "Call",
    hint: "Arguments id of its call: the same id means the same arguments",
    extra: true,
    roomy: true,
    value: ({ call_id_key: call }) => (call === null ? null : { call }),
  },
];

/** The same for members of a workflow run, with what each returned. */
export const MEMBER_COLUMNS: readonly Column<ListedInvocation>[] = INVOCATION_COLUMNS.flatMap(
  (column): Column<ListedInvocation>[] => (column.label === "Details" ? [column, RESULT] : [column]),
);

function taskOf({ invocation_id, task_id_key: task, starts_run }: ListedInvocation): FactValue {
  if (task === null) return absent("not stored");
  if (starts_run !== true) return { task };
  return { parts: [{ task }, { mark: "nested run", to: { kind: "workflow", id: invocation_id } }] };
}

/** The exception of a failed invocation, else its arguments. */
export function detailsOf({ exception, arguments: line }: InvocationRow): FactValue {
  if (exception !== null) return { text: exceptionText(exception), look: "failed" };
  return line === null || line === "" ? null : { text: line, look: "details" };
}

/** How long it was in each phase. */
export const PHASE_COLUMNS: readonly Column<PhaseDuration>[] = [
  { of: ["phase"], label: "Phase", value: ({ phase }) => PATH_PHASE_WORDS[phase] },
  { of: ["seconds"], label: "Time", align: "end", value: phaseTime },
  { of: ["remarks"], label: "", value: (phase) => phaseRemarks(phase).join(", ") },
];

/** What else there is to say of the time in a phase. */
export function phaseRemarks({ stretches, ongoing, across_clocks }: PhaseDuration): string[] {
  return [
    ...(stretches > 1 ? [`${stretches} stretches`] : []),
    ...(ongoing ? ["ongoing"] : []),
    ...(across_clocks ? [ACROSS_CLOCKS] : []),
  ];
}

/** Each change of its status with who made it. */
const HISTORY_COLUMNS: readonly Column<HistoryEntry>[] = [
  { of: ["status"], label: "Status", value: changeOf },
  { of: ["timestamp"], label: "Time", instants: true, value: (entry) => ({ time: entry.timestamp }) },
  {
    of: ["seconds_since_previous"],
    label: "After",
    align: "end",
    hint: "Since the previous entry",
    value: (entry) => (entry.across_clocks ? ACROSS_CLOCKS : { seconds: entry.seconds_since_previous }),
  },
  {
    of: ["runner"],
    label: "Changed by",
    hint: "Runner that made the change",
    value: ({ runner }) =>
      runner === null
        ? { mark: "unknown", tone: "warn", hint: "The stored entry names no runner context" }
        : { runner, short: true },
  },
  {
    of: ["place"],
    label: "Where",
    hint: "Host, process and thread of that runner",
    page: true,
    value: ({ runner }) => placeOf(runner),
  },
  {
    of: ["parent"],
    label: "Parent runner",
    hint: "Runner that started that runner",
    page: true,
    value: ({ runner }) => (runner?.parent == null ? null : { runner: runner.parent, short: true }),
  },
  {
    of: ["owner_runner_id"],
    label: "Owner after",
    hint: "Runner that owned the invocation after the change",
    page: true,
    value: ({ owner_runner_id: owner, runner }) =>
      owner !== null && owner === runner?.runner_id ? absent("same") : idOrNothing("runner", owner),
  },
];

export function historyPart({ history: rows, history_count, history_gap: gap }: InvocationDetail): Part<HistoryEntry> {
  return {
    title: "History",
    total: { count: history_count },
    caption: "Status changes, oldest first",
    columns: HISTORY_COLUMNS,
    rows,
    keyOf: (_, index) => String(index),
    note:
      gap &&
      `The first ${count(gap.after)} and the last ${count(rows.length - gap.after)} entries are shown, ${count(gap.entries)} between them are not. Such a history is a loop of retries or reroutes.`,
  };
}

function changeOf({ status, possible, registered_by_inv_id: registrar }: HistoryEntry): FactValue {
  const impossible: FactValue = { mark: "impossible transition", tone: "warn", hint: IMPOSSIBLE };
  const by: FactValue[] = registrar === null ? [] : [absent("by"), idOf("invocation", registrar)];
  return { parts: [{ status }, ...(possible ? [] : [impossible]), ...by] };
}

const IMPOSSIBLE =
  "No version of pynenc makes this transition from the previous entry: an entry is missing or late, or clocks disagree";

function placeOf(runner: HistoryEntry["runner"]): FactValue {
  if (runner === null || runner.hostname === null) return null;
  const { hostname, pid, thread_id: thread } = runner;
  const numbers = [...(pid === null ? [] : [`pid ${pid}`]), ...(thread === null ? [] : [`thread ${thread}`])];
  return { list: [hostname, ...(numbers.length === 0 ? [] : [absent(numbers.join(", "))])] };
}

/** Invocations that it waits for, or that wait for it; `Left over` are recorded waits that no longer hold. */
export function waitParts(detail: InvocationDetail): Part[] {
  return [
    waits("Waits for the result of", detail.waits_for),
    waits("Waited for by", detail.waited_by),
    waits("Left over: recorded as waiting for", detail.stale_waits_for),
    waits("Left over: recorded as waited for by", detail.stale_waited_by),
  ];
}

function waits(title: string, rows: readonly InvocationRow[]): Part<InvocationRow> {
  return { ...invocationTable(rows), title, caption: title, hide: ["duration_seconds"] };
}

export function childrenPart({ invocation_id: parent, children: rows, children_count: total }: InvocationDetail): Part {
  const label = total > rows.length ? `All ${count(total)}` : "As a filtered list";
  return {
    ...invocationTable(rows),
    title: "Children",
    total: { count: total },
    caption: "Invocations that this one called",
    all: { label, to: { invocations: { parent } } },
  };
}

/** What every part with invocations has alike. */
export function invocationTable(
  rows: readonly InvocationRow[],
): Pick<Part<InvocationRow>, "columns" | "rows" | "keyOf"> {
  return { columns: INVOCATION_COLUMNS, rows, keyOf: (row) => row.invocation_id };
}

/** What started it and what it set off, through events and triggers. */
export function triggerParts(context: TriggerContext): Part[] {
  const { triggered_by: run, emitted_events: events, triggered_runs_caused: caused } = context;
  const started: Part<Participant> = {
    title: "Triggered by",
    caption: "What took part in the trigger run that started this invocation",
    columns: participantColumns(context, run),
    rows: run === null ? [] : participantsOf(run),
    keyOf: (_, index) => String(index),
  };
  const emitted: Part<EmittedEvent> = {
    title: "Events emitted",
    total: { count: events.length, capped: context.emitted_events_truncated },
    caption: "Events that this invocation emitted, oldest first",
    columns: emittedColumns(context),
    rows: events,
    keyOf: (event) => event.event_id,
    note: cutNote(events, context.emitted_events_truncated, "events"),
  };
  const runs: Part<RunOfInvocation> = {
    title: "Trigger runs caused",
    total: { count: caused.length, capped: context.triggered_runs_truncated },
    caption: "Trigger runs in which this invocation's status, result or exception took part",
    columns: causedColumns(context),
    rows: caused,
    keyOf: (one) => one.trigger_run_id,
    note: cutNote(caused, context.triggered_runs_truncated, "trigger runs"),
  };
  return [started, emitted, runs];
}

function cutNote(shown: readonly unknown[], cut: boolean, what: string): string | null {
  return cut ? `Only the first ${count(shown.length)} ${what} are shown; more follow.` : null;
}

/** Why an invocation has no such part. */
export function noTriggers({ events_recorded }: TriggerContext): string {
  return events_recorded
    ? "No trigger started it, it emitted no event, and no trigger run names it as a cause."
    : "This layout is older than 0.2.4: it records neither events nor trigger runs.";
}

type Participant = Pick<
  RunOfInvocation["participants"][number],
  "event_id" | "source_invocation_id" | "context_summary" | "context_timestamp" | "context_type"
>;

/** Rows of one table: a run with more participants shows them on its own page. */
const PARTICIPANTS_SHOWN = 20;

/** Old records name events and invocations and no participants; a run that names nothing still has its line. */
function participantsOf(run: RunOfInvocation): Participant[] {
  if (run.participants.length > 0) return run.participants.slice(0, PARTICIPANTS_SHOWN);
  const nothing = { context_type: null, context_summary: "", context_timestamp: null };
  const named = [
    ...run.event_ids.map((event_id) => ({ ...nothing, event_id, source_invocation_id: null })),
    ...run.source_invocation_ids.map((id) => ({ ...nothing, event_id: null, source_invocation_id: id })),
  ];
  return named.length > 0
    ? named.slice(0, PARTICIPANTS_SHOWN)
    : [{ ...nothing, event_id: null, source_invocation_id: null }];
}

function participantColumns(context: TriggerContext, run: RunOfInvocation | null): Column<Participant>[] {
  return [
    {
      of: ["trigger_run_id"],
      label: "Trigger run",
      value: () => idOrNothing("trigger_run", run?.trigger_run_id ?? null),
    },
    { of: ["cause"], label: "Cause", value: (participant) => causeOf(context, participant) },
    { of: ["context_summary"], label: "Details", value: (participant) => participant.context_summary || null },
    {
      of: ["context_timestamp"],
      label: "Time",
      instants: true,
      value: (participant) => ({ time: participant.context_timestamp }),
    },
  ];
}

function causeOf(context: TriggerContext, participant: Participant): FactValue {
  const { event_id: event, source_invocation_id: source, context_type } = participant;
  if (source !== null) return invocationOf(context, source);
  if (event === null) return absent(context_type === "CronContext" ? "a schedule" : "not named");
  const summary = context.source_event_summaries[event];
  const stored = summary !== undefined && "event_code" in summary;
  return { parts: [...(stored ? [summary.event_code] : []), idOf("event", event, stored)] };
}

/** An invocation with task and status, as far as they are known. */
function invocationOf(context: TriggerContext, id: string): FactValue {
  const summary = context.source_inv_summaries[id];
  return summary !== undefined && "status" in summary ? { invocation: summary } : idOf("invocation", id, false);
}

const STARTED_SHOWN = 3;

function emittedColumns(context: TriggerContext): Column<EmittedEvent>[] {
  return [
    { of: ["event_id"], label: "Event", value: (event) => idOf("event", event.event_id) },
    { of: ["event_code"], label: "Event code", value: ({ event_code: text }) => ({ text, look: "event_code" }) },
    { of: ["timestamp"], label: "Time", instants: true, value: (event) => ({ time: event.timestamp }) },
    { of: ["outcome"], label: "Outcome", value: (event) => eventOutcome(event) },
    {
      of: ["triggered_invocation_ids"],
      label: "Invocations started",
      value: ({ triggered_invocation_ids: ids }) =>
        ids.length === 0
          ? null
          : {
              list: ids.slice(0, STARTED_SHOWN).map((id) => invocationOf(context, id)),
              more: Math.max(0, ids.length - STARTED_SHOWN),
            },
    },
  ];
}

function causedColumns(context: TriggerContext): Column<RunOfInvocation>[] {
  return [
    { of: ["trigger_run_id"], label: "Trigger run", value: (run) => idOf("trigger_run", run.trigger_run_id) },
    {
      of: ["task_id_key"],
      label: "Task",
      hint: "The task that the run started",
      value: (run) => ({ task: run.task_id_key }),
    },
    {
      of: ["triggered_invocation_id"],
      label: "Invocation",
      hint: "What the run started",
      value: ({ triggered_invocation_id: id }) => (id === null ? null : invocationOf(context, id)),
    },
    {
      of: ["executed_at"],
      label: "Executed",
      instants: true,
      value: (run) => ({ time: run.executed_at ?? run.claimed_at }),
    },
  ];
}
