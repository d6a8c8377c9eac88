import type { FamilyPicture } from "../../src/api/causes.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import { invocationFacts } from "../../src/presentation/facts/invocation.ts";
import { historyPart } from "../../src/presentation/facts/invocation-history.ts";
import { triggerParts } from "../../src/presentation/facts/invocation-triggers.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { Reasons } from "../fragments/invocations/reasons.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureFigure } from "../fragments/timeline/family-figure.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { useLinks } from "../links.ts";
import { Panel, PanelPart, PanelTable } from "./panel.tsx";

export interface InvocationPanelModel extends InvocationDetail {
  picture?: FamilyPicture | null;
}

export function InvocationPanel({ model, readOnly }: { model: InvocationPanelModel; readOnly: boolean }) {
  const links = useLinks();
  const { invocation_id: id, task_id_key: task, exception, picture, answer } = model;
  return (
    <Panel
      kind="Invocation"
      title={task === null ? "Task not known" : <TaskName task_id_key={task} />}
      state={<InvocationStatus row={model} />}
      page={links.invocation(id)}
      timeline={model.timeline}
      first={
        <>
          {exception !== null && (
            <p class="notice notice-error">
              <bdi class="mono">{visibleLine(exception.exception.error_name)}</bdi>
              {(exception.exception.message ?? "") !== "" &&
                `: ${visible(beginning(exception.exception.message ?? ""))}`}
            </p>
          )}
          {model.arguments_id !== null && (
            <ArgumentsList
              values={model.arguments}
              unreadable={model.arguments_unreadable}
              tooLarge={model.arguments_too_large}
              stored
            />
          )}
          {answer !== null && exception === null && <p>{visibleLine(answer.sentence)}</p>}
          <Reasons model={model} />
          <Notes notes={model.notes} tone="warn" />
        </>
      }
      actions={
        <>
          <ButtonLink href={links.family(id)}>Family</ButtonLink>
          <ButtonLink href={links.why(id)}>Why</ButtonLink>
          {!readOnly && model.requeueable && <ButtonLink href={links.requeue(id)}>Requeue …</ButtonLink>}
          {!readOnly && <ButtonLink href={links.rerun(id)}>Rerun …</ButtonLink>}
        </>
      }
      id={id}
      facts={invocationFacts(model)}
      hide={["task_id_key"]}
    >
      {[...triggerParts(model), historyPart(model)].map((part) => (
        <PanelTable key={part.title} part={part} />
      ))}
      {picture != null && picture.rows.length > 1 && (
        <PanelPart title="Family">
          <FamilyPictureFigure picture={picture} />
        </PanelPart>
      )}
    </Panel>
  );
}

function beginning(text: string): string {
  const characters = Array.from(text.slice(0, 1_000));
  return characters.length <= 300 ? text : `${characters.slice(0, 300).join("")}…`;
}
