/** What is said of the triggers around an invocation: what started it, and what it started. */
import type { EmittedEvent, RunOfInvocation, TriggerContext } from "../../api/trigger-context.ts";
import { count } from "../text.ts";
import { type Column, idColumn, type Part, taskColumn, timeColumn } from "./column.ts";
import { absent, eventOutcome, type FactValue, idOf, idOrNothing } from "./fact.ts";

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

/** Why an invocation of an old store has no such part. */
export const TRIGGERS_UNRECORDED = "pynenc records events and trigger runs since 0.2.4; this store is older.";

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
    timeColumn("context_timestamp", "Time"),
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
    idColumn("event_id", "Event", "event"),
    { of: ["event_code"], label: "Event code", value: ({ event_code: text }) => ({ text, look: "event_code" }) },
    timeColumn("timestamp", "Time"),
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
    idColumn("trigger_run_id", "Trigger run", "trigger_run"),
    taskColumn("task_id_key", "Task", { hint: "The task that the run started" }),
    {
      of: ["triggered_invocation_id"],
      label: "Invocation",
      hint: "What the run started",
      value: ({ triggered_invocation_id: id }) => (id === null ? null : invocationOf(context, id)),
    },
    {
      of: ["executed_at"],
      label: "Executed",
      value: (run) => ({ time: run.executed_at ?? run.claimed_at }),
    },
  ];
}
