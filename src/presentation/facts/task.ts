/** Facts about a task, and about a call. */
import type { CallDetail, CallRow, TaskDetail, TaskRow } from "../../api/tasks.ts";
import { count } from "../text.ts";
import { type Column, countColumn, idColumn, type Part, taskColumn, timeColumn } from "./column.ts";
import { absent, type FactGroup, type FactValue, fact, group } from "./fact.ts";

export const TASK_COLUMNS: readonly Column<TaskRow>[] = [
  taskColumn("task_id_key", "Task", { min: 16 }),
  {
    of: ["invocations_count"],
    label: "Invocations",
    align: "end",
    hint: "Of all time",
    value: invocationsOf,
  },
  {
    of: ["statuses"],
    label: "By status",
    speaking: true,
    hint: "Current status of the task's invocations of all time",
    min: 22,
    value: statusesOf,
  },
  {
    of: ["trends"],
    label: "Finished",
    align: "end",
    hint: "What it finished in the range above, failed ones in red",
    page: true,
    value: () => null,
  },
  {
    of: ["failing_since"],
    label: "First failure",
    hint: "The first known, whatever the range above",
    page: true,
    value: () => null,
  },
  countColumn("triggers", "Triggers", { hint: "Triggers that start the task", optional: true, roomy: true }),
  timeColumn("last_activity", "Last activity", { hint: "Latest status change of one of its invocations" }),
];

function invocationsOf({ task_id_key: task_id, invocations_count }: TaskRow): FactValue {
  return { count: invocations_count, to: { invocations: { task_id } } };
}

function statusesOf({ statuses }: TaskRow): FactValue {
  if (statuses.length === 0) return null;
  // Where there is no room for all, what needs attention is still there.
  const failedFirst = [...statuses].sort((a, b) => Number(b.status === "failed") - Number(a.status === "failed"));
  return failedFirst.map((row) => `${row.status} ${count(row.count)}`).join(", ");
}

/** Figures for the terminal; the page of the task shows them as tiles. */
export function taskFacts({ task, page }: TaskDetail): FactGroup[] {
  const { triggers, invocations_count } = task;
  return [
    group(
      "Task",
      fact("invocations_count", "Invocations", { count: invocations_count, capped: page.total_capped }),
      fact("statuses", "By status", statusesOf(task)),
      fact("triggers", "Triggers", triggers === 0 ? absent("none") : { count: triggers }),
      fact("last_activity", "Last activity", { time: task.last_activity }),
    ),
  ];
}

const CALL_COLUMNS: readonly Column<CallRow>[] = [
  { of: ["call_id_key"], label: "Call", hint: "Arguments id", value: ({ call_id_key: call }) => ({ call }) },
  {
    of: ["arguments"],
    label: "Arguments",
    min: 16,
    last: true,
    value: ({ arguments_preview: text }) => (text === null ? null : { text: text || "none", look: "details" }),
  },
  {
    of: ["invocations_count"],
    label: "Invocations",
    align: "end",
    hint: "Those that made this call, among the latest of the task",
    value: (call) => ({ count: call.invocations_count, to: { invocations: { call_id: call.call_id_key } } }),
  },
  idColumn("latest_invocation_id", "Latest invocation", "invocation", { optional: true }),
];

/** @param most rows, for a page with more to say */
export function callsPart({ calls, calls_count, calls_from, task }: TaskDetail, most = calls.length): Part<CallRow> {
  const rows = calls.slice(0, most);
  const all = task.invocations_count;
  const limits = [
    ...(calls_count > rows.length ? [`The latest ${count(rows.length)} of them are listed.`] : []),
    ...(all === null || calls_from < all
      ? [
          `Collected from the latest ${count(calls_from)}${all === null ? "" : ` of ${count(all)}`} invocations; older ones may have made other calls.`,
        ]
      : []),
  ];
  return {
    title: "Calls",
    total: { count: calls_count },
    caption: "Calls of this task, most recently used first",
    columns: CALL_COLUMNS,
    rows,
    keyOf: (call) => call.call_id_key,
    note: limits.join(" ") || null,
    all: { label: "All invocations", to: { invocations: { task_id: task.task_id_key } } },
  };
}

export function callFacts(call: CallDetail): FactGroup[] {
  const { total, total_capped: capped } = call.page;
  return [
    group(
      "Call",
      fact("task_id_key", "Task", { task: call.task_id_key }),
      fact("module", "Module", code(call.module)),
      fact("function", "Function", code(call.function)),
      fact("arguments_id", "Arguments id", { id: call.arguments_id, full: true }),
      fact("invocations", "Invocations", { count: total, capped }),
    ),
  ];
}

function code(text: string | null): FactValue {
  return text === null ? null : { text, look: "code" };
}
