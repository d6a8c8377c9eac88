import type { ValidConditionDetail } from "../../src/api/conditions.ts";
import { conditionValue, contextFacts, waitingTriggersPart } from "../../src/presentation/facts/condition.ts";
import { count } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { TermInfo } from "../fragments/ui/info.tsx";
import { RecordItems } from "../fragments/values/record-items.tsx";
import { RawText } from "../fragments/values/shown-value.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** A condition that was met and waits for its triggers. */
export function ValidConditionContent({ model }: View<ValidConditionDetail>) {
  const links = useLinks();
  const { condition, context, trigger_run_ids: runs } = model;
  return (
    <>
      <PageHeader
        title="Valid condition"
        trail={[{ label: "Triggers", href: links.triggers() }]}
        summary={<Id value={model.valid_condition_id} full />}
      >
        <State model={model} />
        <TermInfo term="Valid condition" />
      </PageHeader>
      <div class="columns">
        <Card title="Condition">
          {condition === null ? (
            <p class="muted">The stored text has no readable condition.</p>
          ) : (
            <>
              <p>
                <FactValueView value={conditionValue(condition)} />
              </p>
              <RecordItems items={condition.items} />
            </>
          )}
        </Card>
        <Card title="What met it">
          {context === null ? (
            <p class="muted">
              {model.too_large === null
                ? "The stored text has no readable context."
                : `Not known: the stored text has ${count(model.too_large)} bytes and is too large to read in full.`}
            </p>
          ) : (
            <ThingFacts facts={contextFacts(context, model.source, model.event_stored)} />
          )}
          <RawText text={model.valid_condition_json} />
        </Card>
      </div>
      <PartCard part={waitingTriggersPart(model)} />
      {runs.length > 0 && (
        <Card title="Trigger runs that used it">
          <ul class="plain-list">
            {runs.map((id) => (
              <li key={id}>
                <Id value={id} href={links.triggerRun(id)} full />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

/** Whether a trigger is still to run for it. */
function State({ model: { triggers } }: { model: ValidConditionDetail }) {
  const title = "It is cleared once all triggers with its condition have run";
  if (triggers.length === 0) return <span class="mark">no trigger</span>;
  const waits = triggers.some((trigger) => trigger.state !== "ran");
  return (
    <span class={waits ? "mark mark-info" : "mark"} title={title}>
      {waits ? "waiting" : "not cleared yet"}
    </span>
  );
}

export const page: Page<ValidConditionDetail> = {
  region: "valid-condition",
  about: { kind: "valid_condition", in: "query", name: "valid_condition_id" },
  nav: "triggers",
  title: (model) => `Valid condition ${model.valid_condition_id}`,
  content: ValidConditionContent,
};
