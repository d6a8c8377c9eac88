/** What is said of an event. */
import type { EventConditionView, EventRow } from "../../api/events.ts";
import type { TriggerRunObject } from "../../api/model/trigger-objects.ts";
import type { EventFacts } from "../../services/triggers/event-detail.ts";
import { type Column, idColumn, type Part, taskColumn, timeColumn } from "./column.ts";
import { conditionValue } from "./condition.ts";
import { absent, type FactGroup, type FactValue, fact, group, idOf } from "./fact.ts";
import { invocationTable } from "./invocation.ts";

export function eventFacts(event: EventFacts): FactGroup[] {
  const { emitter, emitter_runner: runner, emitted_by_task_id: task, event_code: text } = event;
  return [
    group(
      "Event",
      fact("timestamp", "Time", { time: event.timestamp }),
      fact("event_code", "Event code", { text, look: "event_code" }),
      fact("outcome", "Outcome", { list: eventMarks(event) }),
      fact("emitter", "Emitted by", emitter === null ? EXTERNAL : { invocation: emitter }),
      // The emitter names its task, unless it is gone.
      task !== null && task !== emitter?.task_id_key && fact("task", "Emitter's task", { task }),
      fact("emitter_runner", "Emitter's runner", runner === null ? null : { runner }),
    ),
  ];
}

const EXTERNAL: FactValue = "external: code outside any invocation";

/** What became of it so far. */
export function eventMarks(event: EventFacts): Exclude<FactValue, string | null>[] {
  return [
    event.matched
      ? { mark: "met a condition", tone: "info" }
      : {
          mark: "met no condition",
          hint: "None was registered for it, or none accepted its payload",
        },
    ...(event.triggered ? [{ mark: "started work", tone: "good" } as const] : []),
    ...(waitingConditions(event) > 0
      ? [
          {
            mark: "a trigger is waiting",
            tone: "warn",
            hint: "It met a condition of a trigger that has not run yet",
          } as const,
        ]
      : []),
  ];
}

/** Conditions that it met and for which a trigger is still to run. */
export function waitingConditions({ pending }: EventFacts): number {
  return pending.filter(({ triggers }) => triggers.some(({ state }) => state !== "ran")).length;
}

export const EVENT_COLUMNS: readonly Column<EventRow>[] = [
  idColumn("event_id", "Event", "event", { id: true }),
  {
    of: ["event_code"],
    label: "Event code",
    value: ({ event_code: text }) => ({ text, look: "event_code" }),
  },
  timeColumn("timestamp", "Time"),
  {
    of: ["matched_conditions"],
    label: "Conditions met",
    align: "end",
    value: ({ matched_conditions: met }) => (met === 0 ? absent("none") : { count: met }),
  },
  {
    of: ["triggered_invocation_ids"],
    label: "Invocations started",
    hint: "Invocations that it led to, by their tasks",
    value: startedOf,
  },
  {
    of: ["emitted_by_invocation_id"],
    label: "Emitter invocation",
    hint: "The invocation that emitted the event",
    optional: true,
    value: ({ emitted_by_invocation_id: id }) => (id === null ? absent("external") : idOf("invocation", id)),
  },
];

/** The first few, and how many more there are. */
function startedOf({
  event_id: id,
  triggered,
  triggered_invocation_ids: ids,
  triggered_task_id_keys: tasks,
  triggered_invocations_count: total,
}: EventRow): FactValue {
  const all = { kind: "event", id } as const;
  if (!triggered) return absent("none");
  if (ids.length === 0) return { text: "some", to: all };
  const list = ids.map((one, at): FactValue => {
    const task = tasks[at] ?? null;
    return task === null ? idOf("invocation", one) : { task, to: { kind: "invocation", id: one } };
  });
  return { list, more: Math.max(0, total - ids.length), all };
}

export function eventParts(event: EventFacts): { conditions: Part; runs: Part; started: Part } {
  const { conditions, trigger_runs: runs, triggered_invocations: started } = event;
  const conditionPart: Part<EventConditionView> = {
    title: "Conditions",
    caption: "Conditions on events of this code",
    columns: CONDITION_COLUMNS,
    rows: conditions,
    keyOf: (row) => row.condition_id,
    empty: `No registered trigger listens to ${event.event_code}.`,
  };
  const runPart: Part<TriggerRunObject> = {
    title: "Trigger runs",
    total: { count: runs.length, capped: event.trigger_runs_truncated },
    caption: "Trigger runs in which the event took part",
    columns: RUN_COLUMNS,
    rows: runs,
    keyOf: (run) => run.trigger_run_id,
    empty: "No trigger runs with this event.",
    note: event.trigger_runs_truncated ? `Only the first ${runs.length} of its trigger runs are shown.` : null,
  };
  const total = event.triggered_invocations_count;
  const startedPart: Part = {
    ...invocationTable(started),
    title: "Invocations started",
    total: { count: total, capped: event.triggered_invocations_capped },
    caption: "Invocations that the event led to",
    note: total > started.length ? `Only the first ${started.length} are shown.` : null,
  };
  return { conditions: conditionPart, runs: runPart, started: startedPart };
}

const CONDITION_COLUMNS: readonly Column<EventConditionView>[] = [
  {
    of: ["sentence"],
    label: "Condition",
    min: 20,
    value: ({ known: registered, ...condition }) => conditionValue({ ...condition, registered }),
  },
  {
    of: ["matched"],
    label: "Met",
    value: ({ matched, valid_condition_id: id, valid_condition_retained: kept }) =>
      matched
        ? { mark: "yes", tone: "good", ...(id !== null && kept && { to: { kind: "valid_condition", id } }) }
        : { mark: "no", hint: "Registered now; it did not accept the event, or was registered later" },
  },
  {
    of: ["condition_id"],
    label: "Condition id",
    optional: true,
    value: ({ condition_id, known }) => idOf("condition", condition_id, known),
  },
];

const RUN_COLUMNS: readonly Column<TriggerRunObject>[] = [
  idColumn("trigger_run_id", "Trigger run", "trigger_run", { id: true }),
  taskColumn("task_id_key", "Task", { hint: "The task that was started" }),
  {
    of: ["logic_value"],
    label: "Logic",
    hint: "Whether all conditions must be met, or any one",
    page: true,
    value: (run) => run.logic_value,
  },
  idColumn("trigger_id", "Trigger", "trigger", { page: true }),
  { of: ["executed_at"], label: "Executed", value: (run) => ({ time: run.executed_at ?? run.claimed_at }) },
  idColumn("triggered_invocation_id", "Invocation", "invocation", { hint: "The invocation that was started" }),
];
