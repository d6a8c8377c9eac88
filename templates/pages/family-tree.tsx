import type { FamilyTree } from "../../src/api/causes.ts";
import { FamilyFigure } from "../fragments/invocations/family-tree.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { FamilyTreeSvg } from "../svg/family-tree.tsx";
import type { View } from "./view.ts";

export function FamilyTreeHeader({ model }: View<FamilyTree>) {
  const links = useLinks();
  return (
    <PageHeader
      title="Family tree"
      trail={[
        { label: "Invocations", href: links.invocations() },
        { label: <Id value={model.focus_id} copy={false} />, href: links.invocation(model.focus_id) },
      ]}
      summary={<Id value={model.focus_id} full />}
      actions={
        <a class="button" href={links.invocation(model.focus_id)}>
          Invocation
        </a>
      }
    />
  );
}

/** The tree; with `bare=1` only its picture. */
export function FamilyTreeContent({ model, query }: View<FamilyTree>) {
  const limits = { depth: query.depth?.at(-1), limit: query.limit?.at(-1) };
  if (query.bare?.at(-1) === "1") return <FamilyTreeSvg tree={model} limits={limits} />;
  return (
    <Card title="Family">
      <FamilyFigure tree={model} limits={limits} />
    </Card>
  );
}
