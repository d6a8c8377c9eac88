import type { FamilyTree } from "../../src/api/causes.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import { invocationFacts } from "../../src/presentation/facts/invocation.ts";
import { historyPart } from "../../src/presentation/facts/invocation-history.ts";
import { triggerParts } from "../../src/presentation/facts/invocation-triggers.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { FamilyFigure } from "../fragments/invocations/family-tree.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { useLinks } from "../links.ts";
import { Panel, PanelPart, PanelTable } from "./panel.tsx";

/** Null if nothing led to it and it led to nothing. */
export interface InvocationPanelModel extends InvocationDetail {
  family: FamilyTree | null;
}

export function InvocationPanel({ model }: { model: InvocationPanelModel }) {
  const links = useLinks();
  const { invocation_id: id, task_id_key: task, exception, family } = model;
  return (
    <Panel
      kind="Invocation"
      title={task === null ? "Task not known" : <TaskName task_id_key={task} />}
      state={<InvocationStatus row={model} />}
      page={links.invocation(id)}
      timeline={model.timeline}
      actions={
        <a class="button" href={links.familyTree(id)}>
          Family tree
        </a>
      }
      id={id}
      facts={invocationFacts(model)}
      hide={["task_id_key"]}
    >
      <Notes notes={model.notes} tone="warn" />
      {exception !== null && (
        <PanelPart title="Exception">
          <p class="cell-text">
            <bdi class="mono">{visibleLine(exception.exception.error_name)}</bdi>
            {(exception.exception.message ?? "") !== "" && `: ${visible(beginning(exception.exception.message ?? ""))}`}
          </p>
        </PanelPart>
      )}
      {[...triggerParts(model), historyPart(model)].map((part) => (
        <PanelTable key={part.title} part={part} />
      ))}
      {family !== null && (
        <PanelPart title="Family">
          <FamilyFigure tree={family} />
        </PanelPart>
      )}
    </Panel>
  );
}

function beginning(text: string): string {
  const characters = Array.from(text.slice(0, 1_000));
  return characters.length <= 300 ? text : `${characters.slice(0, 300).join("")}…`;
}
