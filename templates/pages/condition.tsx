import type { ConditionDetail } from "../../src/api/conditions.ts";
import { conditionTriggersPart, pendingPart, scheduleFacts } from "../../src/presentation/facts/condition.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { RecordItems } from "../fragments/values/record-items.tsx";
import { RawText } from "../fragments/values/shown-value.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** A registered condition. */
export function ConditionContent({ model }: View<ConditionDetail>) {
  const links = useLinks();
  const { condition, triggers, triggers_truncated, next_times, pending } = model;
  return (
    <>
      <PageHeader
        title={<bdi>{visibleLine(condition.sentence ?? "Condition")}</bdi>}
        trail={[{ label: "Triggers", href: links.triggers() }]}
        summary={<Id value={condition.condition_id} full />}
      >
        <span class="mark">{visibleLine(condition.type ?? "")}</span>
      </PageHeader>
      <Notes notes={triggers_truncated ? [`Only the first ${count(triggers.length)} triggers are shown.`] : []} />
      <div class="columns">
        <Card title="As registered">
          <RecordItems items={condition.items} />
          <RawText text={model.condition_json} />
        </Card>
        {(next_times.length > 0 || condition.type === "CronCondition") && (
          <Card title="Schedule">
            <ThingFacts facts={scheduleFacts(model)} />
          </Card>
        )}
      </div>
      <PartCard
        part={{
          ...pendingPart("Met conditions still stored", pending, "What met this condition"),
          hide: ["condition"],
        }}
        id="card-pending"
      />
      <PartCard part={conditionTriggersPart(model)} />
    </>
  );
}

export const page: Page<ConditionDetail> = {
  region: "condition",
  about: { kind: "condition", in: "query", name: "condition_id" },
  nav: "triggers",
  title: (model) => `Condition ${model.condition.condition_id}`,
  content: ConditionContent,
};
