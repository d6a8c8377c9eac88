import type { FamilyPicture } from "../../src/api/causes.ts";
import type { WorkflowDataRow, WorkflowRunDetail } from "../../src/api/workflows.ts";
import { MEMBER_COLUMNS } from "../../src/presentation/facts/invocation.ts";
import {
  stepsAreMembers,
  stepsPart,
  subWorkflowsPart,
  workflowRunFacts,
} from "../../src/presentation/facts/workflow-run.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactLine } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { MiniTimeline } from "../fragments/timeline/mini-timeline.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { Outcome } from "../fragments/values/outcome.tsx";
import { ShownValueView } from "../fragments/values/shown-value.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

/** The page also shows the family over time and verdicts; the JSON leaves them out, because they have addresses of their own. */
export interface WorkflowRunPage extends WithVerdicts<WorkflowRunDetail> {
  picture?: FamilyPicture | null;
  /** An earlier success of its task, if it failed and one is known. */
  success_before?: string | null;
}

/** One run of a workflow: what it is, what ran inside it, what it remembers. */
export function WorkflowRunContent(view: View<WorkflowRunPage>) {
  const { run, data, data_page, picture, timeline } = view.model;
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
        summary={<FactLine id={run.workflow_id} groups={workflowRunFacts(view.model)} keys={HEAD_FACTS} />}
        actions={
          <>
            {view.model.success_before != null && (
              <ButtonLink href={links.diff({ a: run.workflow_id, b: view.model.success_before })}>
                Compare with the success before it
              </ButtonLink>
            )}
            {timeline !== null && (
              <a
                class="button"
                href={links.timeline({ ...timeline, inv_ids: undefined, workflow_id: run.workflow_id })}
              >
                Timeline
              </a>
            )}
            <ButtonLink href={links.invocation(run.workflow_id)}>Invocation</ButtonLink>
          </>
        }
      >
        <span class="badge">
          <InvocationStatus row={run.invocation} />
        </span>
        {run.parent_workflow_id !== null && <span class="mark">sub-workflow</span>}
      </PageHeader>
      <VerdictsHere of={view.model} />
      <div class="columns">
        <Outcome model={{ ...run.invocation, ...view.model }} />
        <Card title="Arguments">
          <ArgumentsList
            values={view.model.arguments}
            unreadable={view.model.arguments_unreadable}
            tooLarge={view.model.arguments_too_large}
            stored={run.invocation.arguments !== null}
          />
        </Card>
      </div>
      <PartCard part={stepsPart(view.model)} />
      {picture != null && <FamilyPictureCard picture={picture} />}
      <MiniTimeline query={timeline} title="Load of this run" />
      {!stepsAreMembers(view.model) && <Members {...view} />}
      <PartCard part={subWorkflowsPart(view.model)} />
      <Card
        title={
          run.data_rows === null ? "Workflow data, still being counted" : `Workflow data (${count(run.data_rows)})`
        }
      >
        {data.length === 0 ? (
          <NoRows page={data_page} view={view} parameter="data_page" title="No workflow data">
            The store has no values of this run, and no state of the workflow's deterministic helpers.
          </NoRows>
        ) : (
          <WorkflowData data={data} />
        )}
        {run.data_rows !== null && run.data_rows > 0 && (
          <ViewPager page={data_page} view={view} parameter="data_page" label="Pages of workflow data" />
        )}
      </Card>
    </>
  );
}

/** In the line under the title. */
const HEAD_FACTS = ["registered_at", "duration_seconds", "retry_count", "parent_run", "failed_step"];

/** All invocations of the run, a page at a time. */
function Members(view: View<WorkflowRunPage>) {
  const { run, members, members_page } = view.model;
  return (
    <Card title={`Members of this run (${count(run.members_count)}${run.members_capped ? "+" : ""})`} flush>
      <InvocationTable
        invocations={members}
        caption="Invocations of this run: those that started inside it, then recursive calls of its task and those not started yet"
        columns={MEMBER_COLUMNS}
        extra={["parent_invocation_id"]}
        hide={["owner_runner_id", "retry_count", "status_at"]}
        empty={
          <NoRows page={members_page} view={view} title="No members">
            No other invocation belongs to this run.
          </NoRows>
        }
      />
      {run.members_capped && (
        <p class="card-note">
          Only part of this large run was searched for recursive calls and invocations that have not started.
        </p>
      )}
      {run.members_count > 0 && <ViewPager page={members_page} view={view} label="Pages of members" />}
    </Card>
  );
}

/** What the workflow's own code keeps; what pynenc keeps for a replay waits behind a click. */
function WorkflowData({ data }: Pick<WorkflowRunDetail, "data">) {
  const own = data.filter(({ purpose }) => purpose === null);
  const kept = data.filter(({ purpose }) => purpose !== null);
  return (
    <>
      {own.length > 0 && <DataRows rows={own} />}
      {kept.length > 0 && (
        <details>
          <summary>Replay data ({count(kept.length)})</summary>
          <DataRows rows={kept} />
        </details>
      )}
    </>
  );
}

function DataRows({ rows }: { rows: readonly WorkflowDataRow[] }) {
  const links = useLinks();
  return (
    <dl class="facts arguments">
      {rows.map((row) => (
        <div key={row.data_key}>
          <dt>
            <bdi class="mono">{visibleLine(row.data_key) || "(empty key)"}</bdi>
            {row.purpose !== null && <span class="argument-note small">{row.purpose}</span>}
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
