import type { FamilyPicture } from "../../src/api/causes.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import type { TriggerContext } from "../../src/api/trigger-context.ts";
import { pathTellsMore, whereTimeWent } from "../../src/presentation/critical-path.ts";
import { childrenPart, invocationFacts, waitParts } from "../../src/presentation/facts/invocation.ts";
import { noTriggers, triggerParts } from "../../src/presentation/facts/invocation-triggers.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { unsaid } from "../../src/pynenc/sentences.ts";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactCards } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { PathFigure } from "../fragments/invocations/path-figure.tsx";
import { PhaseBar } from "../fragments/invocations/phase-bar.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { Outcome } from "../fragments/values/outcome.tsx";
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
}

/** Everything about one invocation: what became of it first, then where it came from, what it caused and how it got there. */
export function InvocationContent({ model, path, readOnly }: View<InvocationPage>) {
  const links = useLinks();
  return (
    <>
      <Head model={model} path={path} readOnly={readOnly} />
      <VerdictsHere of={model} at={links.invocation(model.invocation_id)} />
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
      <FactCards groups={invocationFacts(model)} hide={SHOWN_ELSEWHERE} />
      {[...waitParts(model), childrenPart(model)].map((part) => (
        <PartCard key={part.title} part={part} />
      ))}
      <InvocationTriggers context={model} />
      <History model={model} />
    </>
  );
}

/** Facts that are shown elsewhere on the page: the time it took, next to where the time went, and its children. */
const SHOWN_ELSEWHERE = ["elapsed_seconds", "children"];

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
              Rerun …
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
  const details = unsaid(answer.details, verdicts);
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
      title={whereTimeWent(!model.final)}
      actions={
        <span class="with-mark">
          <span class="muted">{model.final ? "Total" : "Since registration"}</span>
          <strong class="large">
            <Duration seconds={model.elapsed_seconds} atLeast={model.elapsed_meaning === "took_at_least"} />
          </strong>
        </span>
      }
    >
      {model.phases === null && <p class="muted">Phases are not known: the history is too long to read in full.</p>}
      {model.phases?.length === 0 && (
        <p class="muted">Phases are computed from the history, and none of its entries starts one.</p>
      )}
      {model.phases !== null && model.phases.length > 0 && <PhaseBar phases={model.phases} />}
      {model.critical_path !== null && pathTellsMore(model.critical_path) && <PathFigure path={model.critical_path} />}
    </Card>
  );
}

/** What started an invocation and what it set off, through events and triggers. */
export function InvocationTriggers({ context }: { context: TriggerContext }) {
  const parts = triggerParts(context).filter(({ rows }) => rows.length > 0);
  if (parts.length > 0) return parts.map((part) => <PartCard key={part.title} part={part} />);
  return (
    <Card title="Triggers">
      <p class="muted">{noTriggers(context)}</p>
    </Card>
  );
}
