import type { FamilyPicture } from "../../src/api/causes.ts";
import type { Verdict } from "../../src/api/verdicts.ts";
import type { WorkflowDataRow, WorkflowRunDetail } from "../../src/api/workflows.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { Verdicts } from "../fragments/health/verdicts.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { InvocationStatus, InvocationTable } from "../fragments/invocations/invocation-table.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { Outcome } from "../fragments/values/outcome.tsx";
import { ShownValueView } from "../fragments/values/shown-value.tsx";
import { ParentRun, WorkflowRunTable } from "../fragments/workflows/workflow-run-table.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** The page shows the family over time and verdicts too; the JSON leaves these to their own addresses. */
export interface WorkflowRunPage extends WorkflowRunDetail {
  picture?: FamilyPicture | null;
  verdicts?: Verdict[];
}

/** One run of a workflow: what it is, what ran inside it, what it remembers. */
export function WorkflowRunContent(view: View<WorkflowRunPage>) {
  const { run, members, members_page, sub_workflows, data, data_page, picture } = view.model;
  const links = useLinks();
  return (
    <>
      <PageHeader
        title={
          <>
            Run of <TaskName task_id_key={run.workflow_type_key} />
          </>
        }
        trail={[
          { label: "Workflows", href: links.workflows() },
          { label: <TaskName task_id_key={run.workflow_type_key} />, href: links.workflowType(run.workflow_type_key) },
        ]}
        summary={<Id value={run.workflow_id} full />}
        actions={
          <>
            {run.invocation.status === "failed" && (
              <a class="button" href={links.diff({ a: run.workflow_id, b: "last-success" })}>
                Compare with the last success
              </a>
            )}
            <a class="button" href={links.invocations({ workflow_id: run.workflow_id })}>
              Filter its invocations
            </a>
          </>
        }
      >
        <span class="badge">
          <InvocationStatus row={run.invocation} />
        </span>
        {run.parent_workflow_id !== null && <span class="mark">sub-workflow</span>}
      </PageHeader>
      <Verdicts verdicts={view.model.verdicts ?? []} title="Problems here" />
      <div class="columns columns-even">
        <Card title="Arguments">
          <ArgumentsList
            values={view.model.arguments}
            unreadable={view.model.arguments_unreadable}
            tooLarge={view.model.arguments_too_large}
            stored={run.invocation.arguments !== null}
          />
        </Card>
        <Outcome model={{ ...run.invocation, ...view.model }} />
      </div>
      <RunFacts model={view.model} />
      {picture != null && <FamilyPictureCard picture={picture} />}
      <Card title={`Members (${count(run.members_count)}${run.members_capped ? "+" : ""})`} flush>
        <InvocationTable
          invocations={members}
          caption="Invocations of this run: those that started inside it, then recursive calls of its task and those not started yet"
          extra={["parent", "result"]}
          hide={["owner", "retries", "changed"]}
          empty={
            <NoRows page={members_page} view={view}>
              <Empty title="No members">
                <p>No other invocation belongs to this run.</p>
              </Empty>
            </NoRows>
          }
        />
        {run.members_capped && (
          <p class="card-note">
            Only part of this large run was searched for recursive calls and invocations that have not started.{" "}
            <a href={links.invocations({ workflow_id: run.workflow_id })}>The list of invocations</a> has all of them.
          </p>
        )}
        {run.members_count > 0 && <ViewPager page={members_page} view={view} label="Pages of members" />}
      </Card>
      {sub_workflows.length > 0 && (
        <Card title="Sub-workflows" flush>
          <WorkflowRunTable
            runs={sub_workflows}
            caption="Runs that were started from this one"
            hide={["parent"]}
            empty={null}
          />
        </Card>
      )}
      <Card
        title={
          run.data_rows === null ? "Workflow data, still being counted" : `Workflow data (${count(run.data_rows)})`
        }
      >
        {data.length === 0 ? (
          <NoRows page={data_page} view={view} parameter="data_page">
            <Empty title="No workflow data">
              <p>The store has no values of this run, and no state of the workflow's deterministic helpers.</p>
            </Empty>
          </NoRows>
        ) : (
          <WorkflowData rows={data} />
        )}
        {run.data_rows !== null && run.data_rows > 0 && (
          <ViewPager page={data_page} view={view} parameter="data_page" label="Pages of workflow data" />
        )}
      </Card>
    </>
  );
}

function RunFacts({ model: { run } }: { model: WorkflowRunDetail }) {
  const links = useLinks();
  const { invocation } = run;
  return (
    <Card title="Run">
      <div class="columns">
        <Facts
          rows={[
            {
              label: "Type",
              value: <TaskName task_id_key={run.workflow_type_key} href={links.workflowType(run.workflow_type_key)} />,
            },
            { label: "Defined by", value: <InvocationLink row={invocation} /> },
            { label: "Parent run", value: <ParentRun run={run} /> },
          ]}
        />
        <Facts
          rows={[
            { label: "Registered", value: <Time iso={invocation.registered_at} /> },
            { label: "Last change", value: <Time iso={invocation.status_at} /> },
            {
              label: "Duration",
              value: <Duration seconds={invocation.duration_seconds} atLeast={invocation.duration_at_least} />,
            },
            { label: "Retries", value: <Count value={invocation.retry_count} /> },
          ]}
        />
      </div>
    </Card>
  );
}

/** What the workflow's own code keeps; what pynenc keeps for a replay waits behind a click. */
function WorkflowData({ rows }: { rows: readonly WorkflowDataRow[] }) {
  const own = rows.filter((row) => row.purpose === null);
  const kept = rows.filter((row) => row.purpose !== null);
  return (
    <>
      {own.length > 0 && <DataRows rows={own} />}
      {kept.length > 0 && (
        <details class="raw">
          <summary>Kept by pynenc for replays</summary>
          <DataRows rows={kept} />
        </details>
      )}
    </>
  );
}

function DataRows({ rows }: { rows: readonly WorkflowDataRow[] }) {
  const links = useLinks();
  return (
    <dl class="arguments">
      {rows.map((row) => (
        <div key={row.data_key}>
          <dt>
            <bdi class="mono">{visibleLine(row.data_key) || "(empty key)"}</bdi>
            {row.purpose !== null && <span class="argument-note">{row.purpose}</span>}
          </dt>
          <dd>
            {row.invocation_id === null ? (
              <ShownValueView value={row.value} />
            ) : (
              <Id value={row.invocation_id} href={links.invocation(row.invocation_id)} full />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
