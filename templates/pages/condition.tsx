import type { ConditionDetail } from "../../src/api/conditions.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { ConditionTriggerTable } from "../fragments/triggers/condition-trigger-table.tsx";
import { PendingTable, pendingTotal } from "../fragments/triggers/pending-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { RecordItems } from "../fragments/values/record-items.tsx";
import { RawText } from "../fragments/values/shown-value.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** A registered condition. */
export function ConditionContent({ model }: View<ConditionDetail>) {
  const links = useLinks();
  const { condition, triggers, triggers_truncated, next_times, pending } = model;
  const total = `${count(triggers.length)}${triggers_truncated ? "+" : ""}`;
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
      <div class="columns columns-even">
        <Card title="As registered">
          <RecordItems items={condition.items} />
          <RawText text={model.condition_json} />
        </Card>
        {(next_times.length > 0 || condition.type === "CronCondition") && (
          <Card title="Schedule">
            <ScheduleFacts {...model} />
          </Card>
        )}
      </div>
      {pending.rows.length > 0 && (
        <Card
          title={`Met conditions still stored${pendingTotal(pending)}`}
          id="card-pending"
          actions={
            (pending.total ?? 0) > pending.rows.length && (
              <span class="muted">the first {count(pending.rows.length)}</span>
            )
          }
          flush
        >
          <PendingTable rows={pending.rows} caption="What met this condition" hide={["condition"]} />
        </Card>
      )}
      <Card title={`Triggers with this condition (${total})`} flush>
        <ConditionTriggerTable
          triggers={triggers}
          empty={
            <Empty title="No trigger has this condition">
              <p>
                Conditions stay registered when their triggers are removed. While no trigger has it, this one starts
                nothing.
              </p>
            </Empty>
          }
        />
      </Card>
    </>
  );
}

/** When a schedule comes true, and when it last did. */
export function ScheduleFacts({
  next_times,
  never_due,
  last_cron_execution,
}: Pick<ConditionDetail, "next_times" | "never_due" | "last_cron_execution">) {
  return (
    <Facts
      rows={[
        {
          label: "Last execution",
          value:
            last_cron_execution === null ? (
              <span class="muted">
                not known: a runner clears it when it starts, and then runs the schedule at once
              </span>
            ) : (
              <Time iso={last_cron_execution} />
            ),
        },
        {
          label: "Next times",
          value:
            next_times.length === 0 ? (
              <span class="muted">
                {never_due ? "never: no date matches the expression" : "not known: the expression cannot be read"}
              </span>
            ) : (
              <ol class="plain-list">
                {next_times.map((time) => (
                  <li key={time}>
                    <Time iso={time} />
                  </li>
                ))}
              </ol>
            ),
        },
      ]}
    />
  );
}

export const page: Page<ConditionDetail> = {
  region: "condition",
  about: { kind: "condition", in: "query", name: "condition_id" },
  nav: "triggers",
  title: (model) => `Condition ${model.condition.condition_id}`,
  content: ConditionContent,
};
