import type { WorkflowRunList } from "../../src/api/workflows.ts";
import { WORKFLOW_RUN_COLUMNS } from "../../src/presentation/facts/workflow-run.ts";
import { count } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Runs of all workflow types or of one, newest first. */
export function WorkflowRunsContent(view: View<WorkflowRunList>) {
  const { workflow_type_key: type, runs, page } = view.model;
  const links = useLinks();
  const total = page.total ?? runs.length;
  return (
    <>
      <PageHeader
        title={type === null ? "Workflow runs" : <TaskName task_id_key={type} />}
        trail={[{ label: "Workflows", href: links.workflows() }]}
        actions={
          type !== null && (
            <>
              <a class="button" href={links.invocations({ workflow_type: type })}>
                Invocations in its runs
              </a>
              <a class="button" href={links.task(type)}>
                Task
              </a>
            </>
          )
        }
      />
      <Card title={total === 1 ? "1 run" : `${count(total)} runs`} flush>
        <ColumnTable
          columns={WORKFLOW_RUN_COLUMNS}
          records={runs}
          keyOf={(run) => run.workflow_id}
          caption="Workflow runs, newest first"
          hide={type === null ? [] : ["workflow_type_key"]}
          empty={
            <NoRows
              page={page}
              view={view}
              title={type === null ? "No workflow run is stored" : "No workflow run of this task is stored"}
            >
              {type === null ? (
                <>
                  A run is recorded when a runner starts an invocation of a task defined with <code>@app.workflow</code>
                  .
                </>
              ) : (
                <>
                  The store has the task, but no run of it. <a href={links.task(type)}>Show the task</a>
                </>
              )}
            </NoRows>
          }
        />
        {runs.length > 0 && <ViewPager page={page} view={view} />}
      </Card>
    </>
  );
}
