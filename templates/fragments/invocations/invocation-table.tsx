import type { ComponentChildren } from "preact";
import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import type { WorkflowStep } from "../../../src/api/workflows.ts";
import type { ListColumns } from "../../../src/presentation/list-columns.ts";
import { exceptionText, NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import type { InvocationField } from "../../../src/services/invocations/exports.ts";
import type { InvocationSort } from "../../../src/services/invocations/sorted.ts";
import { useLinks } from "../../links.ts";
import { Count } from "../ui/count.tsx";
import type { Column } from "../ui/data-table.tsx";
import { Duration } from "../ui/duration.tsx";
import { Id } from "../ui/id.tsx";
import { type RecordColumn, RecordTable } from "../ui/record-table.tsx";
import { Time } from "../ui/time.tsx";
import { CallId } from "./call-id.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { TaskName } from "./task-name.tsx";

/** Those that a viewer can choose. */
export const INVOCATION_COLUMNS = [
  ["invocation_id", "Invocation"],
  ["status", "Status"],
  ["task_id_key", "Task"],
  ["arguments", "Details"],
  ["registered_at", "Registered"],
  ["status_at", "Changed"],
  ["duration_seconds", "Duration"],
  ["retry_count", "Retries"],
  ["owner_runner_id", "Owner"],
  ["parent_invocation_id", "Parent"],
  ["workflow_id", "Workflow"],
  ["call_id_key", "Call"],
] as const satisfies ListColumns;

export type InvocationColumn = "task" | "details" | "retries" | "duration" | "registered" | "changed" | "owner";

/** Additional fields of steps of a workflow run. */
type Row = InvocationRow & Partial<Pick<WorkflowStep, "result" | "starts_run">>;

export interface InvocationTableProps {
  invocations: readonly Row[];
  caption: string;
  /** Shown instead of an empty table. */
  empty: ComponentChildren;
  hide?: readonly InvocationColumn[] | undefined;
  /** Columns that only some lists need. */
  extra?: readonly ("parent" | "call" | "result")[] | undefined;
  /** Members of a row that a viewer chose to see, instead of `hide` and `extra`; none for the usual columns. */
  fields?: readonly string[] | undefined;
  /** As of a `DataTable`. */
  growing?: boolean | undefined;
  /** As of a column, by the field that a column shows. */
  sorts?: ((field: InvocationSort["field"]) => Column["sort"]) | undefined;
}

/** Every column says what it shows, in the names of an export. */
type Part = RecordColumn<Row> & { of: readonly InvocationField[] };

/** The one table of invocations: the same columns in the same order wherever invocations are listed. */
export function InvocationTable({
  invocations,
  caption,
  empty,
  hide = [],
  extra = [],
  fields,
  growing,
  sorts,
}: InvocationTableProps) {
  const links = useLinks();
  const nothing = <span class="muted">{NOTHING}</span>;
  const parts: Part[] = [
    {
      label: "Invocation",
      of: ["invocation_id"],
      rowHeader: true,
      shown: true,
      cell: (row) => <Id value={row.invocation_id} href={links.invocation(row.invocation_id)} />,
    },
    // Before the task: on a narrow screen the status must be in sight.
    {
      label: "Status",
      of: ["status", "status_source"],
      speaking: true,
      sort: sorts?.("status"),
      shown: true,
      cell: (row) => <InvocationStatus row={row} />,
    },
    {
      label: "Task",
      of: ["task_id_key"],
      speaking: true,
      sort: sorts?.("task_id_key"),
      shown: !hide.includes("task"),
      cell: (row) => <Task row={row} />,
    },
    {
      label: "Details",
      of: ["arguments", "exception_type", "exception_message"],
      hint: "The exception if it failed, otherwise the arguments",
      speaking: true,
      shown: !hide.includes("details"),
      cell: (row) => <InvocationDetails row={row} />,
    },
    {
      label: "Result",
      of: [],
      shown: extra.includes("result"),
      cell: ({ result }) => (result == null ? nothing : <span class="row-details muted">{visibleLine(result)}</span>),
    },
    {
      label: "Registered",
      of: ["registered_at"],
      hint: "When it was registered",
      sort: sorts?.("registered_at"),
      shown: !hide.includes("registered"),
      cell: (row) => <Time iso={row.registered_at} relative />,
    },
    {
      label: "Changed",
      of: ["status_at"],
      hint: "When it entered its status",
      sort: sorts?.("status_at"),
      shown: !hide.includes("changed"),
      roomy: extra.length > 1 && !hide.includes("registered"),
      cell: (row) => <Time iso={row.status_at} relative />,
    },
    {
      label: "Duration",
      of: ["duration_seconds"],
      align: "end",
      hint: "From registration to the final status",
      sort: sorts?.("duration_seconds"),
      shown: !hide.includes("duration"),
      cell: (row) => <Duration seconds={row.duration_seconds} atLeast={row.duration_at_least} />,
    },
    {
      label: "Retries",
      of: ["retry_count"],
      align: "end",
      sort: sorts?.("retry_count"),
      shown: !hide.includes("retries"),
      roomy: !hide.includes("details"),
      cell: (row) => <Count value={row.retry_count} />,
    },
    {
      label: "Owner",
      of: ["owner_runner_id"],
      hint: "Runner that owns it now: pending, running or paused",
      shown: !hide.includes("owner"),
      roomy: !hide.includes("details"),
      cell: ({ owner_runner_id: owner }) =>
        owner === null ? nothing : <Id value={owner} href={links.runner(owner)} copy={false} />,
    },
    {
      label: "Parent",
      of: ["parent_invocation_id"],
      hint: "Invocation that called it",
      shown: extra.includes("parent"),
      roomy: extra.length > 1,
      cell: ({ parent_invocation_id: parent }) =>
        parent === null ? nothing : <Id value={parent} href={links.invocation(parent)} copy={false} />,
    },
    {
      label: "Workflow",
      of: ["workflow_id"],
      hint: "Root invocation of its workflow run",
      shown: false,
      cell: ({ workflow_id: run }) =>
        run === null ? nothing : <Id value={run} href={links.workflowRun(run)} copy={false} />,
    },
    {
      label: "Call",
      of: ["call_id_key"],
      hint: "Arguments id of its call: the same id means the same arguments",
      shown: extra.includes("call"),
      roomy: extra.length > 1,
      cell: ({ call_id_key: call }) => (call === null ? nothing : <CallId call_id_key={call} />),
    },
  ];
  return (
    <RecordTable
      columns={parts}
      fields={fields}
      records={invocations}
      keyOf={(_row, index) => keyOf(invocations, index)}
      caption={caption}
      empty={empty}
      growing={growing}
    />
  );
}

/** The id, but for one that the list repeats, as a queue can. */
function keyOf(rows: readonly InvocationRow[], index: number): string {
  const id = rows[index]?.invocation_id ?? "";
  const repeated = rows.findIndex((row) => row.invocation_id === id) < index;
  return repeated ? `${id} ${index}` : id;
}

function InvocationDetails({ row: { exception, arguments: line } }: { row: InvocationRow }) {
  if (exception !== null) return <span class="row-details failed">{visibleLine(exceptionText(exception))}</span>;
  if (line === null || line === "") return <span class="muted">{NOTHING}</span>;
  return <span class="row-details muted">{visibleLine(line)}</span>;
}

function Task({ row: { invocation_id, task_id_key, starts_run } }: { row: Row }) {
  const links = useLinks();
  if (task_id_key === null) return <span class="muted">not stored</span>;
  const name = <TaskName task_id_key={task_id_key} href={links.task(task_id_key)} />;
  if (starts_run !== true) return name;
  return (
    <span class="with-mark">
      {name}
      <a class="mark" href={links.workflowRun(invocation_id)}>
        nested run
      </a>
    </span>
  );
}

/** The status with a mark when the orchestrator does not hold it. */
export function InvocationStatus({ row }: { row: Pick<InvocationRow, "status" | "status_source" | "task_id_key"> }) {
  return (
    <span class="with-mark">
      <StatusBadge status={row.status} />
      {row.status_source === "history" && (
        <span class="mark" title="The orchestrator has no status of it; this is the last one of its history">
          from history
        </span>
      )}
      {row.status_source === "none" && row.task_id_key === null && (
        <span class="mark mark-warn" title="The store only has a reference to this invocation">
          not stored
        </span>
      )}
      {row.status_source === "none" && row.task_id_key !== null && (
        <span class="mark mark-warn" title="Its definition is stored, but neither a status nor a history">
          no status
        </span>
      )}
    </span>
  );
}
