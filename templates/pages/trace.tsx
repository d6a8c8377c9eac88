import type { FamilyPicture } from "../../src/api/causes.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import { PathFigure } from "../fragments/invocations/path-figure.tsx";
import { FamilyPictureFigure } from "../fragments/timeline/family-figure.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

const NAMES = { invocation: "Invocation", event: "Event", trigger_run: "Trigger run" } as const;

/** The causal chain of an event, an invocation or a trigger run over time, and where the time went. */
export function TraceContent({ model }: View<FamilyPicture>) {
  const links = useLinks();
  const { focus_kind, focus_id, critical_path, path_of } = model;
  const whole = { invocation: links.invocation, event: links.event, trigger_run: links.triggerRun }[focus_kind](
    focus_id,
  );
  return (
    <>
      <PageHeader
        title="What led to what"
        trail={[{ label: NAMES[focus_kind], href: whole }]}
        summary={
          <>
            {focusName(model)} <Id value={focus_id} full />
          </>
        }
        actions={
          <>
            <a class="button" href={whole}>
              {NAMES[focus_kind]}
            </a>
            {path_of !== null && (
              <a class="button" href={links.familyTree(path_of)}>
                Family tree
              </a>
            )}
          </>
        }
      />
      <Card title="Family over time" id="card-family" flush>
        <FamilyPictureFigure picture={model} />
      </Card>
      {critical_path !== null && (
        <Card title="Where the time went">
          <PathFigure path={critical_path} />
        </Card>
      )}
    </>
  );
}

/** Its task or its code. */
function focusName({ rows }: FamilyPicture) {
  const row = rows.find((one) => one.focus);
  const mark = rows.flatMap((one) => one.marks).find((one) => one.focus);
  return <bdi>{visibleLine(row?.invocation?.task_id_key ?? mark?.label ?? "")}</bdi>;
}
