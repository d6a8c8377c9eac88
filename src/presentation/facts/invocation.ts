/** What is said of an invocation. */
import type { InvocationDetail, RerunLink } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { WorkflowCall } from "../../api/workflows.ts";
import { count, DURATION_LABELS, exceptionText, NOTHING } from "../text.ts";
import { type Column, countColumn, idColumn, type Part, timeColumn } from "./column.ts";
import { absent, type Fact, type FactGroup, type FactValue, fact, group, idOf, unknown } from "./fact.ts";

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
      fact("duration_seconds", DURATION_LABELS[detail.duration_meaning], { seconds: detail.duration_seconds }),
      detail.auto_purge !== null && fact("auto_purge", "Auto-purge", detail.auto_purge.words),
      fact(
        "retry_count",
        "Retries",
        retries ? { count: retries } : retries === null ? unknown("not known") : absent("0"),
      ),
      fact(
        "owner",
        "Owner",
        owner === null
          ? detail.status_source === "orchestrator" || final
            ? absent("none")
            : unknown("not known")
          : { runner: owner },
      ),
      fact("queued", "In the queue", inQueue(queued)),
    ),
    group("Origin", ...rerunFacts(detail), ...originFacts(detail)),
  ];
}

/** The rerun that made it, and what it was registered again as. */
function rerunFacts({ rerun_of: of, rerun_as: as, rerun_count: all }: InvocationDetail): (Fact | false)[] {
  return [
    of !== null &&
      fact("rerun_of", "Rerun of", {
        parts: [idOf("invocation", of.invocation.invocation_id), ...byWhom(of)],
      }),
    as.length > 0 &&
      fact("rerun_as", "Rerun as", {
        list: as.map((one) => ({
          parts: [idOf("invocation", one.invocation.invocation_id), { status_of: one.invocation }, ...byWhom(one)],
        })),
        more: all - as.length,
      }),
  ];
}

function byWhom({ who, via, at }: RerunLink): FactValue[] {
  const words = via === "agent" ? "by an assistant," : via === "cli" ? `by ${who},` : `by ${who} in the browser,`;
  return [
    { text: words, look: "muted", hint: `by ${who}` },
    { time: at, of_day: true },
  ];
}

function inQueue(queued: boolean | null): FactValue {
  if (queued === null) return unknown("not known", "This queue can only be counted");
  return queued ? { text: "yes", to: { queue: {} } } : absent("no");
}

function originFacts(detail: InvocationDetail): (Fact | false)[] {
  const { parent, parent_event_id: event, workflow, children_count: children } = detail;
  const noParent =
    detail.triggered_by === null ? "none: top-level call or started by a trigger" : "none: a trigger started it";
  const parentFact = fact("parent", "Parent", parent === null ? unknownOr(detail, noParent) : { invocation: parent });
  const childrenFact =
    children > 0 &&
    fact("children", "Children", { count: children, to: { invocations: { parent: detail.invocation_id } } });
  const eventFact =
    event !== null && fact("parent_event", "Parent event", idOf("event", event, detail.parent_event !== null));
  if (workflow === null) {
    return [parentFact, childrenFact, eventFact, fact("workflow", "Workflow", unknownOr(detail, "none"))];
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
    fact("parent_run", "Parent run", above === null ? absent("none") : idOf("workflow", above)),
  ];
}

/** Without a definition nothing is known about the origin. */
function unknownOr({ arguments_id }: InvocationDetail, otherwise: string): FactValue {
  return arguments_id === null ? unknown("not stored") : absent(otherwise);
}

const ROLE_WORDS: Readonly<Record<InvocationDetail["workflow_role"], string>> = {
  none: "none",
  root: "root: it defines the run",
  member: "member: it started inside the run",
};

/** Additional members of steps of a workflow run. */
export type ListedInvocation = InvocationRow & Partial<Pick<WorkflowCall, "result" | "starts_run" | "began_at">>;

const RESULT: Column<ListedInvocation> = {
  of: ["result"],
  label: "Result",
  last: true,
  value: ({ result = null, final, status }) => {
    if (result !== null) return { text: result, look: "details" };
    if (!final) return absent(NOTHING, "It has not ended");
    return status === "success" ? null : absent(NOTHING, "It ended without a result");
  },
};

/** Every list of invocations has these columns, in this order. On a narrow screen the status must be in sight. */
export const INVOCATION_COLUMNS: readonly Column<ListedInvocation>[] = [
  idColumn("invocation_id", "Invocation", "invocation", { id: true }),
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
  timeColumn("registered_at", "Registered", { hint: "When it was registered", sorts: true }),
  timeColumn("status_at", "Changed", { hint: "When it entered its status", sorts: true, page: true, extra: true }),
  {
    of: ["duration_seconds"],
    label: "Duration",
    align: "end",
    hint: "From registration to the final status: waiting, running and what was between",
    without: "No final status yet, or its history is not stored",
    sorts: true,
    optional: true,
    value: (row) => ({ seconds: row.duration_seconds, at_least: row.duration_at_least }),
  },
  countColumn("retry_count", "Retries", { sorts: true, optional: true, sparse: true }),
  idColumn("owner_runner_id", "Owner", "runner", {
    hint: "Runner that owns it now: pending, running or paused",
    page: true,
    extra: true,
  }),
  idColumn("parent_invocation_id", "Parent", "invocation", { hint: "Invocation that called it", extra: true }),
  idColumn("workflow_id", "Workflow run", "workflow", { hint: "Its id is that of the root invocation", extra: true }),
  {
    of: ["call_id_key"],
    label: "Call",
    hint: "Arguments id of its call: the same id means the same arguments",
    extra: true,
    value: ({ call_id_key: call }) => (call === null ? null : { call }),
  },
];

/** The columns for members of a workflow run, with what each returned. */
export const MEMBER_COLUMNS: readonly Column<ListedInvocation>[] = INVOCATION_COLUMNS.flatMap(
  (column): Column<ListedInvocation>[] => (column.label === "Details" ? [column, RESULT] : [column]),
);

/** The columns for the steps of a workflow run: those of members, with when each began instead of when it was registered. */
export const STEP_COLUMNS: readonly Column<ListedInvocation>[] = MEMBER_COLUMNS.map((column) =>
  column.of[0] === "registered_at"
    ? {
        of: ["began_at"],
        label: "Began",
        hint: "When its code first ran",
        without: "It has not begun, or that is not known",
        value: ({ began_at: time = null }) => ({ time }),
      }
    : column,
);

function taskOf({ invocation_id, task_id_key: task, starts_run }: ListedInvocation): FactValue {
  if (task === null) return absent("not stored");
  if (starts_run !== true) return { task };
  return { parts: [{ task }, { mark: "nested run", to: { kind: "workflow", id: invocation_id } }] };
}

/** The exception of a failed invocation, else its arguments. */
export function detailsOf({ exception, arguments: line }: InvocationRow): FactValue {
  if (exception !== null) return { text: exceptionText(exception), look: "failed" };
  if (line === null) return absent(NOTHING, "Its arguments are not stored");
  return line === "" ? absent(NOTHING, "Called without arguments") : { text: line, look: "details" };
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
