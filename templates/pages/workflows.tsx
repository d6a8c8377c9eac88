import type { WorkflowTypeList, WorkflowTypeRow } from "../../src/api/workflows.ts";
import { count, NOTHING } from "../../src/presentation/text.ts";
import { InvocationStatus } from "../fragments/invocations/invocation-table.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { TaskStatuses } from "../fragments/invocations/task-statuses.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Workflow types with their newest runs. */
export function WorkflowTypesContent({ model: { types } }: View<WorkflowTypeList>) {
  const links = useLinks();
  const runs = types.reduce((sum, type) => sum + type.runs, 0);
  return (
    <>
      <PageHeader
        title="Workflows"
        summary="A run groups an invocation and everything it starts, and has its own data."
        actions={
          <a class="button" href={links.workflowRuns()}>
            All runs ({count(runs)})
          </a>
        }
      />
      <Card title={types.length === 1 ? "1 workflow type" : `${count(types.length)} workflow types`} flush>
        <TypeTable types={types} />
      </Card>
    </>
  );
}

function TypeTable({ types }: { types: readonly WorkflowTypeRow[] }) {
  const links = useLinks();
  const nothing = <span class="muted">{NOTHING}</span>;
  return (
    <DataTable
      caption="Workflow types with their newest run"
      columns={[
        { label: "Type", rowHeader: true },
        { label: "Runs", align: "end" },
        {
          label: "By status",
          speaking: true,
          hint: "Invocations of the task: those that define runs, and its calls inside runs",
        },
        { label: "Newest run" },
        { label: "Status", hint: "Of the newest run's defining invocation" },
        { label: "Registered", hint: "When the newest run was registered" },
        { label: "Duration", align: "end", hint: "Of the newest run, from registration to the final status" },
        {
          label: "Members",
          align: "end",
          hint: "Invocations inside the newest run, not counting the one that defines it",
        },
        { label: "Task" },
      ]}
      rows={types.map(({ workflow_type_key: key, runs, statuses, latest }) => ({
        key,
        cells: [
          <TaskName key="type" task_id_key={key} href={links.workflowType(key)} />,
          <a key="runs" href={links.workflowType(key)}>
            <Count value={runs} />
          </a>,
          statuses === null ? (
            <span key="by-status" class="muted">
              still being counted
            </span>
          ) : (
            <TaskStatuses key="by-status" task={key} statuses={statuses} />
          ),
          ...(latest === null
            ? [nothing, nothing, nothing, nothing, nothing]
            : [
                <Id key="run" value={latest.workflow_id} href={links.workflowRun(latest.workflow_id)} />,
                <InvocationStatus key="status" row={latest.invocation} />,
                <Time key="at" iso={latest.invocation.registered_at} relative />,
                <Duration
                  key="for"
                  seconds={latest.invocation.duration_seconds}
                  atLeast={latest.invocation.duration_at_least}
                />,
                <Count key="members" value={latest.members_count} capped={latest.members_capped} />,
              ]),
          <a key="task" href={links.task(key)}>
            Task
          </a>,
        ],
      }))}
      empty={
        <Empty title="No workflow run is stored">
          <p>
            A run is recorded when a runner starts an invocation of a task defined with <code>@app.workflow</code>.
            Tasks defined with <code>@app.task</code> belong to no workflow, except up to pynenc 0.2.4, where every
            external call started one.
          </p>
        </Empty>
      }
    />
  );
}
