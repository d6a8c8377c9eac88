import type { FamilyPicture } from "../../src/api/causes.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import type { InvocationRow } from "../../src/api/model/invocation-rows.ts";
import { pathTellsMore } from "../../src/presentation/critical-path.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { CallId } from "../fragments/invocations/call-id.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { InvocationStatus, InvocationTable } from "../fragments/invocations/invocation-table.tsx";
import { InvocationTriggers } from "../fragments/invocations/invocation-triggers.tsx";
import { PathFigure } from "../fragments/invocations/path-figure.tsx";
import { PhaseBar } from "../fragments/invocations/phase-bar.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { RunnerName } from "../fragments/runners/runner-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { orNothing } from "../fragments/ui/or-nothing.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { Outcome } from "../fragments/values/outcome.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { History } from "./invocation-history.tsx";
import type { View, WithVerdicts } from "./view.ts";

interface Part {
  model: InvocationDetail;
}

/** The page shows the family over time and verdicts too; the JSON documents leave them to their own addresses. */
export interface InvocationPage extends WithVerdicts<InvocationDetail> {
  picture?: FamilyPicture | null;
}

/** Everything about one invocation: what became of it first, then where it came from, what it caused and how it got there. */
export function InvocationContent({ model, path, readOnly }: View<InvocationPage>) {
  return (
    <>
      <Head model={model} path={path} readOnly={readOnly} />
      <VerdictsHere of={model} />
      <Answer model={model} />
      <Notes notes={model.notes} tone="warn" />
      <div class="columns columns-even">
        <Card title="Arguments">
          <ArgumentsList
            values={model.arguments}
            unreadable={model.arguments_unreadable}
            tooLarge={model.arguments_too_large}
            stored={model.arguments_id !== null}
          />
        </Card>
        <Outcome model={model} />
      </div>
      <Times model={model} />
      {model.picture != null && (
        <FamilyPictureCard
          picture={model.picture}
          note={
            model.picture.rows.length === 1 ? "The store has nothing else that caused it or that it caused." : undefined
          }
        />
      )}
      <div class="columns columns-even">
        <Card title="Invocation">
          <Facts rows={useInvocationFacts(model)} />
        </Card>
        <Card title="Origin">
          <Facts rows={useOriginFacts(model)} />
        </Card>
      </div>
      <Blocking model={model} />
      {model.children_count > 0 && <Children model={model} />}
      <InvocationTriggers context={model} />
      <History model={model} />
    </>
  );
}

function Head({ model, path, readOnly }: Part & { path: string; readOnly: boolean }) {
  const links = useLinks();
  const { task_id_key: task } = model;
  return (
    <PageHeader
      title={task === null ? "Invocation" : <TaskName task_id_key={task} />}
      trail={[{ label: "Invocations", href: links.invocations() }]}
      summary={<Id value={model.invocation_id} full />}
      actions={
        <>
          {model.call_id_key !== null && (
            <a class="button" href={links.call(model.call_id_key)}>
              Call
            </a>
          )}
          {task !== null && (
            <a class="button" href={links.task(task)}>
              Task
            </a>
          )}
          {model.timeline !== null && (
            <a class="button" href={links.timeline({ ...model.timeline })}>
              Timeline
            </a>
          )}
          {model.status === "failed" && task !== null ? (
            <a class="button" href={links.diff({ a: model.invocation_id, b: "last-success" })}>
              Compare with the last success
            </a>
          ) : (
            <a class="button" href={links.diff({ a: model.invocation_id })}>
              Compare with another …
            </a>
          )}
          {!readOnly && model.requeueable && (
            <a class="button primary" href={links.requeue(model.invocation_id)}>
              Requeue …
            </a>
          )}
          {!readOnly && (
            <a class={model.requeueable ? "button" : "button primary"} href={links.rerun(model.invocation_id)}>
              Run again …
            </a>
          )}
          <a class="button" href={links.why(model.invocation_id)}>
            Why
          </a>
          <a class="button" href={links.current(`${path}/api`)}>
            JSON
          </a>
        </>
      }
    >
      <span class="badge">
        <InvocationStatus row={model} />
      </span>
      {model.queued && (
        <span class="mark mark-info" title="The broker's queue has a message for this invocation">
          in the queue
        </span>
      )}
      {model.workflow_role === "root" && <span class="mark">{rootWord(model)}</span>}
      {model.workflow_role === "member" && <span class="mark">workflow member</span>}
      {model.retry_count !== null && model.retry_count > 0 && (
        <span class="mark mark-warn">
          {model.retry_count === 1 ? "1 retry" : `${count(model.retry_count)} retries`}
        </span>
      )}
    </PageHeader>
  );
}

/** Why it failed, or what it waits for. What a verdict above says is not repeated. */
function Answer({ model: { answer, status, verdicts = [] } }: { model: InvocationPage }) {
  if (answer === null) return null;
  const { sentence, label, invocation } = answer;
  const details = answer.details.filter((words) => !verdicts.some(({ detail }) => detail.includes(words)));
  return (
    <div class={`notice notice-${status === "failed" ? "error" : "info"} answer`}>
      <div>
        <p>{visibleLine(sentence)}</p>
        {invocation !== null && label !== null && (
          <p>
            {label}: <InvocationLink row={invocation} />
            {invocation.exception !== null && (
              <span class="muted">
                {" "}
                {visibleLine(invocation.exception.type)}
                {invocation.exception.message ? `: ${visibleLine(invocation.exception.message)}` : ""}
              </span>
            )}
          </p>
        )}
        {details.map((words) => (
          <p key={words}>{visibleLine(words)}</p>
        ))}
      </div>
    </div>
  );
}

function rootWord({ workflow }: InvocationDetail): string {
  return workflow?.is_subworkflow === true ? "sub-workflow root" : "workflow root";
}

function Times({ model }: Part) {
  return (
    <Card
      title={model.final ? "Where the time went" : "Where the time went so far"}
      actions={
        <span class="total-time">
          <span class="muted">{model.final ? "Total" : "Since registration"}</span>
          <Duration seconds={model.elapsed_seconds} atLeast={model.elapsed_meaning === "took_at_least"} />
        </span>
      }
    >
      {model.phases === null ? (
        <p class="muted">Phases are not known: the history is too long to read in full.</p>
      ) : model.phases.length === 0 ? (
        <p class="muted">Phases are computed from the history, and none of its entries starts one.</p>
      ) : (
        <PhaseBar phases={model.phases} />
      )}
      {model.critical_path !== null && pathTellsMore(model.critical_path) && <PathFigure path={model.critical_path} />}
    </Card>
  );
}

function useInvocationFacts(model: InvocationDetail): Fact[] {
  const links = useLinks();
  return [
    {
      label: "Task",
      value: orNothing(model.task_id_key, (key) => <TaskName task_id_key={key} href={links.task(key)} />),
    },
    { label: "Call", value: orNothing(model.call_id_key, (key) => <CallId call_id_key={key} copy />) },
    { label: "Registered", value: <Time iso={model.registered_at} /> },
    {
      label: model.final ? "Ended" : "In this status since",
      value: <Time iso={model.final ? model.completed_at : model.status_at} />,
    },
    ...(model.auto_purge === null
      ? []
      : [
          {
            label: "Auto-purge",
            value: (
              <span title="Removes the status, keeps result and history">{visibleLine(model.auto_purge.words)}</span>
            ),
          },
        ]),
    { label: "Retries", value: orNothing(model.retry_count, (n) => <Count value={n} />, "not known") },
    {
      label: "Owner",
      value: orNothing(
        model.owner,
        ({ context_missing, ...owner }) => <RunnerName {...owner} missing={context_missing} />,
        model.status_source === "orchestrator" || model.final ? "none" : "not known",
      ),
    },
    {
      label: "In the queue",
      value:
        model.queued === null ? (
          <span class="muted" title="This queue can only be counted">
            not known
          </span>
        ) : model.queued ? (
          <a href={links.queue()}>yes</a>
        ) : (
          "no"
        ),
    },
  ];
}

function useOriginFacts(model: InvocationDetail): Fact[] {
  const links = useLinks();
  const { workflow } = model;
  const facts: Fact[] = [
    {
      label: "Parent",
      value: orNothing(
        model.parent,
        (row) => <InvocationLink row={row} />,
        absent(
          model,
          model.triggered_by === null
            ? "none: called from outside or started by a trigger"
            : "none: a trigger started it",
        ),
      ),
    },
  ];
  if (model.parent_event_id !== null) {
    facts.push({
      label: "Parent event",
      value: (
        <Id
          value={model.parent_event_id}
          href={model.parent_event === null ? undefined : links.event(model.parent_event_id)}
        />
      ),
    });
  }
  if (workflow === null) {
    facts.push({ label: "Workflow", value: <span class="muted">{absent(model, "none")}</span> });
    return facts;
  }
  const type = workflow.workflow_type_key;
  facts.push(
    { label: "Workflow role", value: ROLE_WORDS[model.workflow_role] },
    {
      label: "Workflow type",
      value: orNothing(type, (key) => <TaskName task_id_key={key} href={links.workflowType(key)} />),
    },
    {
      label: "Workflow run",
      value: <Id value={workflow.workflow_id} href={links.workflowRun(workflow.workflow_id)} />,
    },
    {
      label: "Parent run",
      value: orNothing(
        workflow.parent_workflow_id,
        (id) => <Id value={id} href={links.workflowRun(id)} />,
        "none: not a sub-workflow",
      ),
    },
  );
  return facts;
}

/** Without a definition nothing is known about the origin. */
function absent({ arguments_id }: InvocationDetail, otherwise: string): string {
  return arguments_id === null ? "not stored" : otherwise;
}

const ROLE_WORDS: Readonly<Record<InvocationDetail["workflow_role"], string>> = {
  none: "none",
  root: "root: it defines the run",
  member: "member: it started inside the run",
};

function Blocking({ model: { waits_for, waited_by, stale_waits_for, stale_waited_by } }: Part) {
  return (
    <>
      {waits_for.length > 0 && <BlockingList title="Waits for the result of" rows={waits_for} />}
      {waited_by.length > 0 && <BlockingList title="Waited for by" rows={waited_by} />}
      {stale_waits_for.length > 0 && <BlockingList title="Outdated: recorded as waiting for" rows={stale_waits_for} />}
      {stale_waited_by.length > 0 && (
        <BlockingList title="Outdated: recorded as waited for by" rows={stale_waited_by} />
      )}
    </>
  );
}

function BlockingList({ title, rows }: { title: string; rows: readonly InvocationRow[] }) {
  return (
    <Card title={title} flush>
      <InvocationTable invocations={rows} caption={title} hide={["duration"]} empty={null} />
    </Card>
  );
}

function Children({ model }: Part) {
  const links = useLinks();
  const { children, children_count } = model;
  const all = links.invocations({ parent: model.invocation_id });
  return (
    <Card
      title={`Children (${count(children_count)})`}
      actions={
        <a href={all}>{children_count > children.length ? `All ${count(children_count)}` : "As a filtered list"}</a>
      }
      flush
    >
      <InvocationTable invocations={children} caption="Invocations that this one called" empty={null} />
    </Card>
  );
}
