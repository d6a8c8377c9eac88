import type { TriggerList } from "../../src/api/triggers.ts";
import { pendingPart } from "../../src/presentation/facts/condition.ts";
import { TRIGGER_COLUMNS } from "../../src/presentation/facts/trigger.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { ComponentHead } from "../fragments/store/component-head.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** Every trigger that is registered, by the task that it starts. */
export function TriggersContent(view: View<TriggerList>) {
  const links = useLinks();
  const { tasks, page, stored } = view.model;
  return (
    <>
      <ComponentHead
        title="Triggers"
        name="the trigger component"
        present={stored}
        removals={[
          {
            href: links.purgeTriggers(),
            label: "Purge",
            effect:
              "Deletes conditions, triggers, events and trigger runs; runners register conditions and triggers again when they start.",
          },
        ]}
        readOnly={view.readOnly}
      >
        <p>What starts tasks automatically: events, other invocations and schedules (UTC).</p>
      </ComponentHead>
      <PartCard
        part={{
          ...pendingPart("Waiting", view.model.pending, "Met conditions with triggers that have not run yet"),
          hide: ["valid_condition_id"],
        }}
        id="card-pending"
      />
      {stored && (
        <Card title={page.total === null ? "Triggers" : counted(page.total, "trigger")} id="card-triggers" flush>
          <ColumnTable
            caption="Triggers by task"
            columns={TRIGGER_COLUMNS}
            records={tasks.flatMap((task) => task.triggers)}
            keyOf={(trigger) => trigger.trigger_id}
            empty={
              <NoRows page={page} view={view} title="No trigger is registered">
                Runners register the triggers of the app's tasks when they start.
              </NoRows>
            }
          />
          {tasks.length > 0 && <ViewPager page={page} view={view} />}
        </Card>
      )}
    </>
  );
}

export const page: Page<TriggerList> = {
  region: "triggers-table",
  nav: "triggers",
  title: () => "Triggers",
  content: TriggersContent,
};
