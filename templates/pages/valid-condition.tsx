import type { ValidConditionDetail } from "../../src/api/conditions.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { logicWords } from "../../src/pynenc/conditions.ts";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { ConditionWords } from "../fragments/triggers/condition-words.tsx";
import { ContextFacts } from "../fragments/triggers/context-facts.tsx";
import { PendingState } from "../fragments/triggers/pending-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
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
        <p class="muted">
          The record that a condition was met. pynenc calls it a valid condition, and keeps it until the triggers that
          need it have run.
        </p>
        <State model={model} />
      </PageHeader>
      <div class="columns columns-even">
        <Card title="Condition">
          {condition === null ? (
            <p class="muted">The stored text has no readable condition.</p>
          ) : (
            <>
              <p>
                {condition.registered ? (
                  <ConditionWords
                    condition_id={condition.condition_id}
                    sentence={condition.sentence}
                    registered={condition.registered}
                  />
                ) : (
                  <bdi>{visibleLine(condition.sentence ?? "")}</bdi>
                )}
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
            <ContextFacts context={context} source={model.source} eventStored={model.event_stored} />
          )}
          <RawText text={model.valid_condition_json} />
        </Card>
      </div>
      <Card title="Triggers that have the condition" flush>
        <DataTable
          caption="Triggers that have this condition"
          columns={[
            { label: "Trigger", rowHeader: true },
            { label: "Task" },
            { label: "Runs when" },
            { label: "Effect on triggers" },
          ]}
          rows={model.triggers.map((trigger) => ({
            key: trigger.trigger_id,
            cells: [
              <Id key="id" value={trigger.trigger_id} href={links.trigger(trigger.trigger_id)} />,
              <TaskName key="task" task_id_key={trigger.task_id_key} href={links.task(trigger.task_id_key)} />,
              logicWords(trigger.logic_value, trigger.conditions_count),
              <span key="state" class="cell-text">
                <PendingState trigger={trigger} />
              </span>,
            ],
          }))}
          empty={
            <Empty title="No registered trigger has this condition">
              <p>As long as no trigger has the condition, no runner clears it.</p>
            </Empty>
          }
        />
      </Card>
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
