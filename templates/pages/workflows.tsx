import type { WorkflowTypeList, WorkflowTypeRow } from "../../src/api/workflows.ts";
import { WORKFLOW_TYPE_COLUMNS } from "../../src/presentation/facts/workflow-run.ts";
import { count } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { TaskStatuses } from "../fragments/invocations/task-statuses.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Workflow types with their latest runs. */
export function WorkflowTypesContent({ model: { types } }: View<WorkflowTypeList>) {
  const links = useLinks();
  const runs = types.reduce((sum, type) => sum + type.runs, 0);
  return (
    <>
      <PageHeader
        title="Workflows"
        actions={
          <a class="button" href={links.workflowRuns()}>
            All runs ({count(runs)})
          </a>
        }
      >
        <Info about="workflows">
          <p>
            A run groups an invocation and the invocations it calls, with data of its own. A call that is a workflow
            itself is a run of its own, and what events start does not belong to it.
          </p>
        </Info>
      </PageHeader>
      <Card title={types.length === 1 ? "1 workflow type" : `${count(types.length)} workflow types`} flush>
        <TypeTable types={types} />
      </Card>
    </>
  );
}

function TypeTable({ types }: { types: readonly WorkflowTypeRow[] }) {
  return (
    <ColumnTable
      caption="Workflow types with their latest run"
      columns={WORKFLOW_TYPE_COLUMNS}
      cells={{
        statuses: ({ workflow_type_key, statuses }) =>
          statuses === null ? (
            <span class="muted">still being counted</span>
          ) : (
            <TaskStatuses task={workflow_type_key} statuses={statuses} />
          ),
      }}
      records={types}
      keyOf={(type) => type.workflow_type_key}
      empty={
        <Empty title="No workflow run is stored">
          A run is recorded when a runner starts an invocation of a task defined with <code>@app.workflow</code>. Tasks
          defined with <code>@app.task</code> belong to no workflow, except up to pynenc 0.2.4, where every external
          call started one.
        </Empty>
      }
    />
  );
}
