import type { TaskTriggers, TriggerList, TriggerRow } from "../../src/api/triggers.ts";
import { pendingPart } from "../../src/presentation/facts/condition.ts";
import { TRIGGER_COLUMNS } from "../../src/presentation/facts/trigger.ts";
import { count } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DangerLink } from "../fragments/ui/danger-link.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** Every trigger that is registered, by the task that it starts. */
export function TriggersContent(view: View<TriggerList>) {
  const links = useLinks();
  const { tasks, page, stored } = view.model;
  return (
    <>
      <PageHeader
        title="Triggers"
        actions={
          <DangerLink
            href={links.purgeTriggers()}
            label="Purge"
            effect="Deletes conditions, triggers, events and trigger runs; runners register conditions and triggers again when they start."
            readOnly={view.readOnly}
          />
        }
      >
        <Info about="triggers">
          <p>What starts tasks automatically: events, other invocations and schedules (UTC).</p>
        </Info>
      </PageHeader>
      <PartCard
        part={pendingPart("Waiting", view.model.pending, "Met conditions with triggers that have not run yet")}
        id="card-pending"
      />
      <Card title={title(view.model)} id="card-triggers" flush>
        <ColumnTable
          caption="Triggers by task"
          columns={TRIGGER_COLUMNS}
          cells={{ task_id_key: (trigger) => <Task of={view.model.tasks} trigger={trigger} /> }}
          records={tasks.flatMap((task) => task.triggers)}
          keyOf={(trigger) => trigger.trigger_id}
          empty={
            <NoRows page={page} view={view}>
              {stored ? (
                <Empty title="No trigger is registered">
                  <p>Runners register the triggers of the app's tasks when they start.</p>
                </Empty>
              ) : (
                <Empty title="Triggers are not in this store">
                  <p>The app keeps its triggers in memory or in another store.</p>
                </Empty>
              )}
            </NoRows>
          }
        />
        {tasks.length > 0 && <ViewPager page={page} view={view} />}
      </Card>
    </>
  );
}

function title({ page, stored }: TriggerList): string {
  if (!stored || page.total === null) return "Triggers";
  return page.total === 1 ? "1 trigger" : `${count(page.total)} triggers`;
}

/** The task is shown only next to the first of its triggers. */
function Task({ of: tasks, trigger }: { of: readonly TaskTriggers[]; trigger: TriggerRow }) {
  const task = tasks.find(({ triggers }) => triggers.includes(trigger));
  if (task === undefined) return null;
  const { task_id_key, triggers } = task;
  if (triggers[0] === trigger) return <FactValueView value={{ task: task_id_key }} />;
  return (
    <span class="visually-hidden">
      <TaskName task_id_key={task_id_key} />
    </span>
  );
}

export const page: Page<TriggerList> = {
  region: "triggers-table",
  nav: "triggers",
  title: () => "Triggers",
  content: TriggersContent,
};
