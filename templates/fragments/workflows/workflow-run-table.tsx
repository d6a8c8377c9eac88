import type { ComponentChildren } from "preact";
import type { WorkflowRunRow } from "../../../src/api/workflows.ts";
import { NOTHING } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { InvocationStatus } from "../invocations/invocation-table.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Count } from "../ui/count.tsx";
import { Duration } from "../ui/duration.tsx";
import { Id } from "../ui/id.tsx";
import { type RecordColumn, RecordTable } from "../ui/record-table.tsx";
import { Time } from "../ui/time.tsx";

export interface WorkflowRunTableProps {
  runs: readonly WorkflowRunRow[];
  caption: string;
  empty: ComponentChildren;
  hide?: readonly ("type" | "parent")[] | undefined;
}

/** Runs of workflows. A run's id is that of its defining invocation, so status and times are that invocation's. */
export function WorkflowRunTable({ runs, caption, empty, hide = [] }: WorkflowRunTableProps) {
  const links = useLinks();
  const columns: RecordColumn<WorkflowRunRow>[] = [
    {
      label: "Run",
      rowHeader: true,
      shown: true,
      cell: (run) => <Id value={run.workflow_id} href={links.workflowRun(run.workflow_id)} />,
    },
    {
      label: "Type",
      shown: !hide.includes("type"),
      cell: ({ workflow_type_key: type }) => <TaskName task_id_key={type} href={links.workflowType(type)} />,
    },
    { label: "Status", shown: true, cell: (run) => <InvocationStatus row={run.invocation} /> },
    { label: "Registered", shown: true, cell: (run) => <Time iso={run.invocation.registered_at} relative /> },
    {
      label: "Duration",
      align: "end",
      hint: "From registration to the final status",
      shown: true,
      cell: (run) => <Duration seconds={run.invocation.duration_seconds} atLeast={run.invocation.duration_at_least} />,
    },
    {
      label: "Members",
      align: "end",
      hint: "Invocations that started inside the run, not counting the one that defines it",
      shown: true,
      cell: (run) => <Count value={run.members_count} capped={run.members_capped} />,
    },
    {
      label: "Data",
      align: "end",
      hint: "Rows of workflow data",
      shown: true,
      cell: (run) => <Count value={run.data_rows} />,
    },
    { label: "Parent run", shown: !hide.includes("parent"), cell: (run) => <ParentRun run={run} /> },
    {
      label: "Invocations",
      shown: true,
      cell: ({ workflow_id }) => <a href={links.invocations({ workflow_id })}>List</a>,
    },
  ];
  return (
    <RecordTable columns={columns} records={runs} keyOf={(run) => run.workflow_id} caption={caption} empty={empty} />
  );
}

/** The run that a sub-workflow was started from. */
export function ParentRun({ run }: { run: Pick<WorkflowRunRow, "parent_workflow_id" | "parent_workflow_type_key"> }) {
  const links = useLinks();
  const { parent_workflow_id: id, parent_workflow_type_key: type } = run;
  if (id === null) return <span class="muted">{NOTHING}</span>;
  return (
    <span class="invocation-link">
      {type !== null && <TaskName task_id_key={type} href={links.workflowType(type)} />}
      <Id value={id} href={links.workflowRun(id)} copy={false} />
    </span>
  );
}
