import type { PendingList } from "../../src/api/conditions.ts";
import type { TaskTriggers, TriggerList, TriggerRow } from "../../src/api/triggers.ts";
import { count, visible, visibleLine } from "../../src/presentation/text.ts";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { ConditionWords } from "../fragments/triggers/condition-words.tsx";
import { PendingTable, pendingTotal } from "../fragments/triggers/pending-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DangerZone } from "../fragments/ui/danger-zone.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** Every trigger that is registered, by the task that it starts. */
export function TriggersContent(view: View<TriggerList>) {
  const links = useLinks();
  const { tasks, page, stored } = view.model;
  const { readOnly } = view;
  return (
    <>
      <PageHeader
        title="Triggers"
        summary="What starts tasks automatically: events, other invocations and schedules (UTC)."
      />
      <Pending pending={view.model.pending} />
      <Card title={title(view.model)} id="card-triggers" flush>
        <DataTable
          caption="Triggers by task"
          columns={[
            { label: "Task", rowHeader: true, hint: "The task that the trigger starts" },
            { label: "Trigger" },
            { label: "When" },
            { label: "Next", hint: "When one of its schedules is next due" },
            { label: "Arguments", roomy: true },
          ]}
          rows={tasks.flatMap((task) => task.triggers.map((trigger, index) => row(task, trigger, index === 0)))}
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
      <DangerZone
        readOnly={readOnly}
        actions={[
          {
            label: "Purge triggers and events …",
            href: links.purgeTriggers(),
            text: "Deletes conditions, triggers, events and trigger runs; runners register conditions and triggers again when they start.",
          },
        ]}
      />
    </>
  );
}

/** Conditions that were met and wait: left out where there are none, as nearly always. */
function Pending({ pending }: { pending: PendingList }) {
  const { rows, total } = pending;
  if (rows.length === 0) return null;
  return (
    <Card
      title={`Conditions met, triggers not yet run${pendingTotal(pending)}`}
      id="card-pending"
      actions={(total ?? 0) > rows.length && <span class="muted">the first {count(rows.length)}</span>}
      flush
    >
      <PendingTable rows={rows} caption="Met conditions with triggers that have not run yet" />
    </Card>
  );
}

function title({ page, stored }: TriggerList): string {
  if (!stored || page.total === null) return "Triggers";
  return page.total === 1 ? "1 trigger" : `${count(page.total)} triggers`;
}

/** The task is shown only next to the first of its triggers. */
function row(task: TaskTriggers, trigger: TriggerRow, first: boolean) {
  return {
    key: trigger.trigger_id,
    cells: [
      <Task key="task" task={task} first={first} />,
      <TriggerLink key="trigger" id={trigger.trigger_id} />,
      <When key="when" trigger={trigger} />,
      trigger.never_due ? (
        <span key="next" class="muted">
          never
        </span>
      ) : (
        <Time key="next" iso={trigger.next_time} />
      ),
      <span key="arguments" class="cell-text muted">
        {visibleLine(trigger.argument_provider)}
      </span>,
    ],
  };
}

function Task({ task: { task_id_key, core }, first }: { task: TaskTriggers; first: boolean }) {
  const links = useLinks();
  if (!first) {
    return (
      <span class="visually-hidden">
        <TaskName task_id_key={task_id_key} />
      </span>
    );
  }
  return (
    <span class="with-mark">
      <TaskName task_id_key={task_id_key} href={links.task(task_id_key)} />
      {core && (
        <span class="mark" title="One of pynenc's own tasks">
          pynenc
        </span>
      )}
    </span>
  );
}

function When({ trigger: { conditions, conditions_count, logic_value, waiting } }: { trigger: TriggerRow }) {
  const more = conditions_count - conditions.length;
  const joint = logic_value.toLowerCase() === "or" ? "or" : "and";
  return (
    <ul class="plain-list">
      {conditions.map((condition, index) => (
        <li key={condition.condition_id}>
          <span class="cell-text">
            {index > 0 && <span class="muted">{joint} </span>}
            <ConditionWords {...condition} registered={condition.sentence !== null} />
          </span>
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more)} more</li>}
      {conditions_count === 0 && <li class="muted">none of its conditions is stored</li>}
      {waiting !== null && (
        <li>
          <span class="mark mark-info" title={visible(waiting.sentence)}>
            {waiting.met === null ? "partly met" : `${count(waiting.met)} of ${count(waiting.of)} met`}
          </span>
        </li>
      )}
    </ul>
  );
}

function TriggerLink({ id }: { id: string }) {
  const links = useLinks();
  return <Id value={id} href={links.trigger(id)} copy={false} />;
}

export const page: Page<TriggerList> = {
  region: "triggers-table",
  nav: "triggers",
  title: () => "Triggers",
  content: TriggersContent,
};
