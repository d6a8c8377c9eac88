import type { FamilyPicture } from "../../src/api/causes.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import { KIND_LABELS, thingHref } from "../../src/presentation/thing-links.ts";
import { PathFigure } from "../fragments/invocations/path-figure.tsx";
import { FamilyPictureFigure } from "../fragments/timeline/family-figure.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function FamilyHeader({ model }: View<FamilyPicture>) {
  const links = useLinks();
  const { focus_kind, focus_id } = model;
  const whole = thingHref(links, { kind: focus_kind, id: focus_id });
  return (
    <PageHeader
      title="What led to what"
      trail={[{ label: KIND_LABELS[focus_kind], href: whole }]}
      summary={
        <>
          {focusName(model)} <Id value={focus_id} full />
        </>
      }
      actions={
        <a class="button" href={whole}>
          {KIND_LABELS[focus_kind]}
        </a>
      }
    />
  );
}

/** The family of an event, an invocation or a trigger run over time, and where the time went; with `bare=1` only the picture. */
export function FamilyContent({ model, query }: View<FamilyPicture>) {
  const { focus_kind, critical_path, path_of } = model;
  const own = focus_kind === "invocation";
  const figure = <FamilyPictureFigure picture={model} />;
  if (query.bare?.at(-1) === "1") return figure;
  return (
    <>
      <Card title="Family over time" id="card-family" flush>
        {figure}
      </Card>
      {critical_path !== null && (
        <Card title={own ? "Where the time went" : `Where the time of ${taskOf(model, path_of)} went`} id="card-path">
          <PathFigure path={critical_path} own={own} />
        </Card>
      )}
    </>
  );
}

function taskOf({ rows }: FamilyPicture, id: string | null): string {
  const task = rows.find((row) => row.id === id)?.invocation?.task_id_key;
  return visibleLine(task?.split(".").at(-1) ?? "what it started");
}

/** Its task or its code. */
function focusName({ rows }: FamilyPicture) {
  const row = rows.find((one) => one.focus);
  const mark = rows.flatMap((one) => one.marks).find((one) => one.focus);
  return <bdi>{visibleLine(row?.invocation?.task_id_key ?? mark?.label ?? "")}</bdi>;
}
