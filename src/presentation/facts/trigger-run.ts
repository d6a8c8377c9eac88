/** What is said of a trigger run. */
import type { ParticipantView } from "../../api/conditions.ts";
import type { TriggerRunDetail, TriggerRunRow } from "../../api/trigger-runs.ts";
import { count } from "../text.ts";
import { type Column, idColumn, type Part, taskColumn } from "./column.ts";
import { causeValue, conditionValue, contextFacts } from "./condition.ts";
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
import { invocationTable } from "./invocation.ts";

export function triggerRunFacts(run: TriggerRunDetail): FactGroup[] {
  const { triggered_invocation: started, atomic_service_runner: runner, events, events_gone, sources } = run;
  return [
    group(
      "Trigger run",
      fact("trigger_id", "Trigger", triggerOf(run)),
      fact("task_id_key", "Task", { task: run.task_id_key }),
      fact("logic_value", "Logic", run.logic_value),
      fact("claimed_at", "Claimed", { time: run.claimed_at }),
      fact("executed_at", "Executed", { time: run.executed_at }),
      fact("atomic_service_run_id", "Service run", idOrNothing("atomic_service_run", run.atomic_service_run_id)),
      fact("runner", "Runner", runner === null ? null : { runner }),
    ),
    group(
      "Outcome",
      fact("started", "Started", started === null ? absent("nothing recorded") : { invocation: started }),
      fact("participants", "Participants", amount(run.participant_views.length)),
      fact("sources", "Source invocations", amount(sources.length)),
      fact("events", "Events", amount(events.length + events_gone.length)),
      fact("others", "Other runs", {
        text: "All runs of this trigger",
        to: { trigger_runs: { trigger: run.trigger_id } },
      }),
    ),
  ];
}

function amount(number: number): FactValue {
  return number === 0 ? absent("none") : { count: number };
}

function triggerOf({ trigger_id, trigger_registered }: TriggerRunDetail): FactValue {
  const id = idOf("trigger", trigger_id, trigger_registered);
  if (trigger_registered) return id;
  return { parts: [id, { mark: "not registered", tone: "warn", hint: "No trigger is registered under this id" }] };
}

/** What took part in a run: which condition, and what met it. */
export function participantFacts({ condition, context, ...view }: ParticipantView): {
  condition: Fact[];
  context: Fact[];
} {
  const { valid_condition_id: valid, valid_condition_retained: kept, source, event_stored } = view;
  return {
    condition: [
      fact("condition", "Condition", condition === null ? absent("not named") : conditionValue(condition)),
      fact("type", "Kind", context.type),
      fact("condition_id", "Condition id", condition === null ? null : { id: condition.condition_id, full: true }),
      fact("valid_condition_id", "Valid condition", valid === null ? absent("not named") : validOf(valid, kept)),
    ],
    context: contextFacts(context, source, event_stored),
  };
}

/** Participants for a panel, one a line; the page has a card for each. */
export function causesPart({ participant_views: rows, truncated: capped }: TriggerRunDetail): Part {
  const part: Part<ParticipantView> = {
    title: "Causes",
    total: { count: rows.length, capped },
    caption: "What met the conditions",
    columns: [
      {
        of: ["condition"],
        label: "Condition",
        value: ({ condition, context }) =>
          condition === null ? (context.type ?? "not named") : conditionValue(condition),
      },
      {
        of: ["event_code"],
        label: "Event code",
        value: ({ context: { event_code: text } }) => (text === null ? null : { text, look: "event_code" }),
      },
      {
        of: ["event_id"],
        label: "Event",
        value: ({ context: { event_id: id }, event_stored }) => (id === null ? null : idOf("event", id, event_stored)),
      },
      {
        of: ["source"],
        label: "Invocation",
        value: ({ source }) => (source === null ? null : { invocation: source }),
      },
      { of: ["timestamp"], label: "Time", value: ({ context }) => ({ time: context.timestamp }) },
    ],
    rows,
    keyOf: (_, index) => String(index),
  };
  return part;
}

function validOf(id: string, kept: boolean): FactValue {
  const value: FactValue = { id, full: true, to: kept ? { kind: "valid_condition", id } : null };
  return kept ? value : { parts: [value, { mark: "cleared" }] };
}

export const TRIGGER_RUN_COLUMNS: readonly Column<TriggerRunRow>[] = [
  idColumn("trigger_run_id", "Run", "trigger_run", { id: true }),
  {
    of: ["executed_at"],
    label: "Executed",
    hint: 'When it started its invocation; "only claimed" where a runner reserved the run and no start is recorded',
    value: executedOf,
  },
  { of: ["causes"], label: "Cause", speaking: true, min: 16, value: causesOf },
  taskColumn("task_id_key", "Task", { speaking: true, hint: "The task that the run started" }),
  { of: ["triggered_invocation"], label: "Invocation", hint: "What the run started", optional: true, value: startedOf },
  {
    of: ["trigger_id"],
    label: "Trigger",
    page: true,
    roomy: true,
    value: (run) => idOf("trigger", run.trigger_id, run.trigger_registered),
  },
];

function executedOf({ executed_at, claimed_at }: TriggerRunRow): FactValue {
  if (executed_at !== null || claimed_at === null) return { time: executed_at };
  const claimed = {
    mark: "only claimed",
    tone: "warn",
    hint: "Claimed, but not recorded as run",
  } as const;
  return { parts: [{ time: claimed_at }, claimed] };
}

function causesOf({ causes, causes_count }: TriggerRunRow): FactValue {
  if (causes.length === 0) return null;
  return { list: causes.map(causeValue), more: causes_count - causes.length };
}

function startedOf({ triggered_invocation: row }: TriggerRunRow): FactValue {
  return row === null ? null : { parts: [idOf("invocation", row.invocation_id), { status_of: row }] };
}

export function triggerRunParts(run: TriggerRunDetail): Part[] {
  const sources: Part = {
    ...invocationTable(run.sources),
    title: "Source invocations",
    caption: "Invocations whose status, result or exception took part",
    hide: ["owner_runner_id"],
  };
  const gone = run.events_gone.map((event_id) => ({ event_id }));
  const rows: RelatedEvent[] = [...run.events, ...gone];
  const events: Part<RelatedEvent> = {
    title: "Related events",
    total: { count: rows.length },
    caption: "Events that took part",
    columns: RELATED_COLUMNS,
    rows,
    keyOf: (event) => event.event_id,
  };
  return [sources, events];
}

/** Only the id of an event that is not stored any more. */
type RelatedEvent = TriggerRunDetail["events"][number] | { event_id: string };

const RELATED_COLUMNS: readonly Column<RelatedEvent>[] = [
  {
    of: ["event_id"],
    label: "Event",
    id: true,
    value: (event) => idOf("event", event.event_id, "event_code" in event),
  },
  {
    of: ["event_code"],
    label: "Event code",
    value: (event) => ("event_code" in event ? { text: event.event_code, look: "event_code" } : null),
  },
  {
    of: ["timestamp"],
    label: "Time",
    value: (event) => ("event_code" in event ? { time: event.timestamp } : null),
  },
  {
    of: ["outcome"],
    label: "Outcome",
    value: (event) => ("event_code" in event ? eventOutcome(event) : { mark: "not stored", tone: "warn" }),
  },
];

/** `What met the condition`, or the number of one of several participants. */
export function participantTitle(participants: number, index: number): string {
  return participants === 1 ? "What met the condition" : `What met condition ${count(index + 1)}`;
}
