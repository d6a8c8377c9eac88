/** What is said of a trigger. */
import type { TriggerRunRow } from "../../api/trigger-runs.ts";
import type { TriggerCondition, TriggerDetail, TriggerRow, TriggerWaiting } from "../../api/triggers.ts";
import { counted } from "../../pynenc/numbers.ts";
import { count } from "../text.ts";
import { type Column, idColumn, type Part, taskColumn } from "./column.ts";
import { conditionValue } from "./condition.ts";
import { absent, type FactGroup, type FactValue, fact, group } from "./fact.ts";
import { TRIGGER_RUN_COLUMNS } from "./trigger-run.ts";

export function triggerFacts(trigger: TriggerDetail): FactGroup[] {
  const { waiting } = trigger;
  return [
    group(
      "Definition",
      fact("task_id_key", "Starts", { task: trigger.task_id_key }),
      fact("when", "When", conditionList(trigger)),
      fact("arguments", "Arguments", trigger.argument_provider.sentence),
      waiting !== null && fact("waiting", "Now", waiting.sentence),
    ),
  ];
}

export const TRIGGER_COLUMNS: readonly Column<TriggerRow>[] = [
  taskColumn("task_id_key", "Task", { hint: "The task that the trigger starts" }),
  idColumn("trigger_id", "Trigger", "trigger", { id: true }),
  { of: ["conditions"], label: "When", speaking: true, min: 20, value: whenOf },
  {
    of: ["next_time"],
    label: "Next",
    hint: "When one of its schedules is next due",
    value: (trigger) => (trigger.never_due ? absent("never") : { time: trigger.next_time, due: true }),
  },
  {
    of: ["arguments"],
    label: "Arguments",
    optional: true,
    roomy: true,
    value: (trigger) => absent(trigger.argument_provider),
  },
];

function whenOf(trigger: TriggerRow): FactValue {
  const list = conditionList(trigger);
  if (trigger.waiting === null) return list;
  return {
    parts: [list, { mark: waitingMark(trigger.waiting), tone: "info", hint: trigger.waiting.sentence }],
  };
}

/** Conditions that are named on one line. */
export const NAMED = 5;

function conditionList({
  conditions,
  conditions_count,
  logic_value,
}: Pick<TriggerDetail | TriggerRow, "conditions" | "conditions_count" | "logic_value">): FactValue {
  if (conditions_count === 0) return absent("no conditions stored");
  const joint = logic_value.toLowerCase() === "or" ? "or" : "and";
  const named = conditions
    .slice(0, NAMED)
    .map((condition) => conditionValue({ ...condition, registered: condition.sentence !== null }));
  const more = conditions_count - named.length;
  const all = more > 0 ? [...named, `${count(more)} more`] : named;
  return { parts: all.flatMap((one, at) => (at === 0 ? [one] : [joint, one])) };
}

function waitingMark({ state, met, of }: TriggerWaiting): string {
  if (state === "ready") return "due";
  return met === null ? "partly met" : `${count(met)} of ${count(of)} met`;
}

/** Conditions of a trigger. A page lists them only where the line under its title has no room for all. */
export function triggerConditionsPart({
  conditions: rows,
  conditions_count: total,
}: TriggerDetail): Part<TriggerCondition> {
  return {
    title: "Conditions",
    total: { count: total },
    caption: "Conditions of this trigger",
    columns: CONDITION_COLUMNS,
    rows,
    keyOf: (row) => row.condition_id,
    note: total > rows.length ? `Only the first ${count(rows.length)} of ${count(total)} conditions are shown.` : null,
  };
}

/** Its latest runs. */
export function triggerOwnRunsPart(trigger: TriggerDetail): Part {
  const { trigger_id: id, trigger_runs: rows, trigger_runs_count: total, trigger_runs_capped: capped } = trigger;
  const latest = total === rows.length || rows.length === 0 ? "" : `Only the latest ${rows.length} are shown.`;
  const part: Part<TriggerRunRow> = {
    title: "Runs",
    total: { count: total === 0 && capped ? null : total, capped },
    caption: "Runs of this trigger, newest first",
    columns: TRIGGER_RUN_COLUMNS,
    rows,
    keyOf: (run) => run.trigger_run_id,
    hide: ["task_id_key", "trigger_id"],
    all: { label: total === rows.length ? "As a filtered list" : "All of them", to: { trigger_runs: { trigger: id } } },
    note: [latest, offSchedule(trigger)].filter(Boolean).join(" ") || null,
  };
  return part;
}

/** Why a trigger with a schedule ran at other times too. */
function offSchedule({ off_schedule: off, trigger_runs: { length } }: TriggerDetail): string {
  if (off === 0) return "";
  return `${count(off)} of these ${counted(length, "run")} ${off === 1 ? "was" : "were"} off schedule: a schedule without a recorded last execution fires at once, as after the start of a runner.`;
}

const MET_WORDS: Readonly<Record<string, string>> = { true: "yes", false: "no" };

const CONDITION_COLUMNS: readonly Column<TriggerCondition>[] = [
  { of: ["sentence"], label: "Condition", min: 20, value: conditionValue },
  { of: ["met"], label: "Met now", value: ({ met }) => MET_WORDS[String(met)] ?? "not known" },
  {
    of: ["next_times"],
    label: "Next",
    optional: true,
    value: ({ next_times: [next = null], never_due }) => (never_due ? "never" : { time: next, due: true }),
  },
  idColumn("condition_id", "Condition id", "condition"),
];
