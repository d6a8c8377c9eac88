/** What is said of conditions, and of what met them. */
import type {
  ConditionDetail,
  ConditionTrigger,
  ContextView,
  PendingCondition,
  PendingList,
  PendingTrigger,
  ValidConditionDetail,
} from "../../api/conditions.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { RunCause } from "../../api/model/trigger-objects.ts";
import { logicWords } from "../../pynenc/conditions.ts";
import { causeWords } from "../../pynenc/context-summary.ts";
import { type Column, idColumn, type Part, taskColumn } from "./column.ts";
import { absent, type Fact, type FactValue, fact, idOf, idOrNothing } from "./fact.ts";

/** A condition in words, linked to its page; one that is gone by its id. */
export function conditionValue({
  condition_id: id,
  sentence: text,
  registered,
}: {
  condition_id: string;
  sentence: string | null;
  registered: boolean;
}): FactValue {
  if (text === null) {
    const hint = "No condition is registered under this id, so nothing can meet it";
    return { parts: [{ id }, { mark: "not registered", tone: "warn", hint }] };
  }
  return { text, look: "sentence", to: registered ? { kind: "condition", id } : null };
}

/** What met a condition: event, status, result, exception or time, as far as it is still known. @param source the invocation that met it. */
export function contextFacts(context: ContextView, source: InvocationRow | null, eventStored: boolean): Fact[] {
  const { event_id: event, event_code: code, invocation_id: invocation, emitted_by_invocation_id: emitter } = context;
  const { exception_type: type, exception_message: message, task_id_key: task, status, last_execution } = context;
  const known = (key: string, label: string, value: FactValue): Fact[] =>
    value === null ? [] : [fact(key, label, value)];
  const gone: FactValue[] = eventStored ? [] : [{ mark: "not stored", tone: "warn" }];
  return [
    ...known(
      "event_code",
      "Event code",
      code && { text: code, look: "event_code", to: { kind: "event_code", id: code } },
    ),
    ...known("event_id", "Event", event && { parts: [idOf("event", event, eventStored), ...gone] }),
    ...known("emitter", "Emitted by", emitter && idOf("invocation", emitter)),
    ...known(
      "invocation",
      "Invocation",
      source === null ? invocation && idOf("invocation", invocation) : { invocation: source },
    ),
    ...known("task", "Task", task === (source?.task_id_key ?? null) || task === null ? null : { task, to: null }),
    ...known("status", "Status then", status && { status }),
    ...known("exception", "Exception", type && { text: message === null ? type : `${type}: ${message}` }),
    ...known("last_execution", "Last execution", last_execution && { time: last_execution }),
    ...known("result", "Result", context.result && { stored: context.result }),
    ...known("payload", "Payload", context.payload && { values: context.payload, none: "Without payload." }),
    ...known("arguments", "Arguments", context.arguments && { values: context.arguments, none: "Without arguments." }),
    fact(
      "timestamp",
      context.type === "CronContext" ? "Checked at" : "Time",
      metAt(context.timestamp, context.timestamp_is_local),
    ),
  ];
}

function metAt(time: string | null, local: boolean): FactValue {
  if (time === null || !local) return { time };
  const hint = "pynenc before 0.2.4 stored this time without a time zone";
  return { parts: [{ time }, { mark: "local time of the writer", tone: "warn", hint }] };
}

/** What met a condition, in a few words with the way to it. */
export function causeValue(cause: RunCause): FactValue {
  const { event_id: event, source_invocation_id: source } = cause;
  const ids = [idOrNothing("event", event), idOrNothing("invocation", source)].filter((id) => id !== null);
  return { parts: [causeWords(cause), ...ids] };
}

/** When a schedule comes true, and when it last did. */
export function scheduleFacts({
  next_times: next,
  never_due,
  last_cron_execution: last,
}: Pick<ConditionDetail, "next_times" | "never_due" | "last_cron_execution">): Fact[] {
  const unknown = "not known: runners clear it when they start";
  const never = never_due ? "never: no date matches the expression" : "not known: the expression cannot be read";
  return [
    fact("last_cron_execution", "Last execution", last === null ? absent(unknown) : { time: last }),
    fact("next_times", "Next times", next.length === 0 ? never : { list: next.map((time) => ({ time })) }),
  ];
}

/** Conditions that were met and are still stored, with what each waits for. */
const PENDING_COLUMNS: readonly Column<PendingCondition>[] = [
  {
    of: ["condition"],
    label: "Condition",
    names: true,
    min: 20,
    value: ({ condition_id, sentence }) =>
      condition_id === null ? (sentence ?? "unreadable") : conditionValue({ condition_id, sentence, registered: true }),
  },
  { of: ["cause"], label: "Met by", min: 16, value: ({ cause }) => (cause === null ? null : causeValue(cause)) },
  { of: ["met_at"], label: "Met at", value: ({ met_at, met_at_is_local }) => metAt(met_at, met_at_is_local) },
  { of: ["triggers"], label: "Effect on triggers", speaking: true, min: 20, value: effectOf },
  idColumn("valid_condition_id", "Valid condition", "valid_condition", { page: true, roomy: true }),
];

function effectOf({ triggers, triggers_truncated }: PendingCondition): FactValue {
  if (triggers.length === 0) return absent("no registered trigger has this condition");
  const effects = triggers.map(
    (trigger): FactValue => ({
      parts: [{ task: trigger.task_id_key, to: { kind: "trigger", id: trigger.trigger_id } }, ...pendingState(trigger)],
    }),
  );
  return { list: triggers_truncated ? [...effects, absent("and more")] : effects };
}

/** What a trigger does about a condition that was met. */
function pendingState({ state, missing, missing_count }: PendingTrigger): FactValue[] {
  switch (state) {
    case "ready":
      return ["starts at the next run of the atomic service"];
    case "ran":
      return [absent("has already run for it")];
    case "unknown":
      return [absent("has other conditions, still being checked")];
    case "waiting": {
      const words = missing.map((one) => conditionValue({ ...one, registered: one.sentence !== null }));
      return ["is waiting for", { list: words, more: missing_count - missing.length }];
    }
  }
}

export function pendingPart(
  title: string,
  { rows, total, capped }: PendingList,
  caption: string,
  most = rows.length,
): Part<PendingCondition> {
  const shown = rows.slice(0, most);
  return {
    title,
    total: { count: total, capped },
    caption,
    columns: PENDING_COLUMNS,
    rows: shown,
    keyOf: (row) => row.valid_condition_id,
    note: (total ?? 0) > shown.length ? `Only the first ${shown.length} are shown.` : null,
  };
}

/** Triggers that have a condition. @param columns what a page shows of each, besides its name. */
function triggersPart<Row extends ConditionTrigger | PendingTrigger>(
  { triggers: rows, triggers_truncated: capped }: { triggers: readonly Row[]; triggers_truncated: boolean },
  columns: readonly Column<Row>[],
  empty: string,
): Part<Row> {
  return {
    title: "Triggers that have the condition",
    total: { count: rows.length, capped },
    caption: "Triggers that have this condition",
    columns: [idColumn("trigger_id", "Trigger", "trigger"), taskColumn("task_id_key", "Task"), ...columns],
    rows,
    keyOf: (row) => row.trigger_id,
    empty,
  };
}

export function conditionTriggersPart(detail: ConditionDetail): Part {
  return triggersPart(
    detail,
    [{ of: ["logic_value"], label: "Runs when", value: (row) => logicWords(row.logic_value, row.conditions) }],
    "No trigger has this condition, so it starts nothing.",
  );
}

export function waitingTriggersPart(detail: ValidConditionDetail): Part {
  const runsWhen = (row: PendingTrigger) => logicWords(row.logic_value, row.conditions_count);
  return triggersPart(
    detail,
    [
      { of: ["logic_value"], label: "Runs when", page: true, value: runsWhen },
      { of: ["state"], label: "Effect", min: 20, value: (row) => ({ parts: pendingState(row) }) },
    ],
    "No registered trigger has this condition.",
  );
}
