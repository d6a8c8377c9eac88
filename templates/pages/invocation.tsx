import type { FamilyPicture } from "../../src/api/causes.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import { pathTellsMore, whereTimeWent } from "../../src/presentation/critical-path.ts";
import { childrenPart, invocationFacts, waitParts } from "../../src/presentation/facts/invocation.ts";
import { TRIGGERS_UNRECORDED, triggerParts } from "../../src/presentation/facts/invocation-triggers.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import { saysSilent } from "../../src/pynenc/sentences.ts";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactCard, FactLine } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { PathFigure } from "../fragments/invocations/path-figure.tsx";
import { PhaseBar } from "../fragments/invocations/phase-bar.tsx";
import { Reasons } from "../fragments/invocations/reasons.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { hasOutcome, Outcome } from "../fragments/values/outcome.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { History } from "./invocation-history.tsx";
import type { View, WithVerdicts } from "./view.ts";

interface Part {
  model: InvocationDetail;
}

/** The page also shows the family over time and verdicts; the JSON documents leave them out, because they have addresses of their own. */
export interface InvocationPage extends WithVerdicts<InvocationDetail> {
  picture?: FamilyPicture | null;
  /** An earlier success of its task, if it failed and one is known. */
  success_before?: string | null;
}

/** Everything about one invocation: what became of it first, then where its time went, what it belongs to and how it got there. */
export function InvocationContent({ model, path, readOnly }: View<InvocationPage>) {
  const links = useLinks();
  return (
    <>
      <Head model={model} path={path} readOnly={readOnly} />
      <VerdictsHere of={model} at={links.invocation(model.invocation_id)} />
      {model.exception === null && <Answer model={model} />}
      <Notes notes={model.notes} tone="warn" />
      <div class="columns">
        {hasOutcomeCard(model) && (
          <Outcome model={model}>
            <Reasons model={model} />
          </Outcome>
        )}
        <Card title="Arguments">
          <ArgumentsList
            values={model.arguments}
            unreadable={model.arguments_unreadable}
            tooLarge={model.arguments_too_large}
            stored={model.arguments_id !== null}
          />
        </Card>
      </div>
      <Times model={model} />
      {model.picture != null && model.picture.rows.length > 1 && <FamilyPictureCard picture={model.picture} />}
      {[...waitParts(model), childrenPart(model), ...triggerParts(model)].map((part) => (
        <PartCard key={part.title} part={part} first={ROWS} />
      ))}
      {!model.events_recorded && <p class="muted">{TRIGGERS_UNRECORDED}</p>}
      <History model={model} />
      <FactCard title="Details" groups={invocationFacts(model)} hide={[...HEAD_FACTS, ...SHOWN_ELSEWHERE]} />
    </>
  );
}

/** Without an exception, the answer above says all there is about a failure. */
function hasOutcomeCard(model: InvocationPage): boolean {
  const { final, status, status_source } = model;
  return hasOutcome(model) || (status !== "failed" && (final || status_source !== "orchestrator"));
}

/** Rows of each table. */
const ROWS = 10;

/** In the line under the title. */
const HEAD_FACTS = ["registered_at", "duration_seconds", "retry_count", "owner", "rerun_of", "rerun_as"];
const SHOWN_ELSEWHERE = ["task_id_key", "status_at", "queued", "children", "workflow_role"];

function Head({ model, path, readOnly }: { model: InvocationPage; path: string; readOnly: boolean }) {
  const links = useLinks();
  const { task_id_key: task } = model;
  return (
    <PageHeader
      title={task === null ? "Invocation" : <TaskName task_id_key={task} href={links.task(task)} />}
      trail={[{ label: "Invocations", href: links.invocations() }]}
      summary={<FactLine id={model.invocation_id} groups={invocationFacts(model)} keys={HEAD_FACTS} />}
      actions={
        <>
          {model.timeline !== null && <ButtonLink href={links.timeline({ ...model.timeline })}>Timeline</ButtonLink>}
          {model.success_before != null ? (
            <ButtonLink href={links.diff({ a: model.invocation_id, b: model.success_before })}>
              Compare with the success before it
            </ButtonLink>
          ) : (
            <ButtonLink href={links.diff({ a: model.invocation_id })}>Compare with another …</ButtonLink>
          )}
          {!readOnly && model.requeueable && (
            <a class="button primary" href={links.requeue(model.invocation_id)}>
              Requeue …
            </a>
          )}
          {!readOnly && (
            <a class="button" href={links.rerun(model.invocation_id)}>
              Rerun …
            </a>
          )}
          <a class={model.status === "failed" ? "button primary" : "button"} href={links.why(model.invocation_id)}>
            {model.status === "failed" ? "Why it failed" : model.final ? "Why it ended" : "Why it is not done"}
          </a>
          <ButtonLink href={links.logExplorer({ reference: model.invocation_id })}>Look up in logs</ButtonLink>
          <ButtonLink href={links.current(`${path}/api`)}>JSON</ButtonLink>
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
      {model.workflow !== null && (
        <a class="mark" href={links.workflowRun(model.workflow.workflow_id)}>
          {roleWord(model)}
        </a>
      )}
    </PageHeader>
  );
}

/** What it waits for, or why it ended without an outcome. */
function Answer({ model }: { model: InvocationPage }) {
  if (model.answer === null || saysSilent(model.verdicts ?? [], model.invocation_id)) return null;
  return (
    <div class={`notice notice-${model.status === "failed" ? "error" : "info"} answer`}>
      <div>
        <p>{visibleLine(model.answer.sentence)}</p>
        <Reasons model={model} />
      </div>
    </div>
  );
}

function roleWord({ workflow, workflow_role: role }: InvocationDetail): string {
  if (role === "member") return "workflow member";
  return workflow?.is_subworkflow === true ? "sub-workflow root" : "workflow root";
}

function Times({ model }: Part) {
  return (
    <Card title={whereTimeWent(!model.final)}>
      {model.phases === null && <p class="muted">Phases are not known: the history is too long to read in full.</p>}
      {model.phases?.length === 0 && (
        <p class="muted">Phases are computed from the history, and none of its entries starts one.</p>
      )}
      {model.phases !== null && model.phases.length > 0 && <PhaseBar phases={model.phases} />}
      {model.critical_path !== null && pathTellsMore(model.critical_path) && <PathFigure path={model.critical_path} />}
    </Card>
  );
}
