import type { TaskList, TaskRow } from "../../src/api/tasks.ts";
import { count } from "../../src/presentation/text.ts";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { TaskStatuses } from "../fragments/invocations/task-statuses.tsx";
import { LAST_HOUR, LastHour } from "../fragments/stats/last-hour.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterForm, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Stands above the refreshed part, so that a refresh leaves a half-typed name alone. */
export function TasksHeader({ model: { filter }, path }: View<TaskList>) {
  const links = useLinks();
  return (
    <>
      <PageHeader title="Tasks" />
      <FilterForm path={path} clearHref={filter.name === null ? undefined : links.tasks()} action="Find">
        <TextField name="name" label="Name contains" value={filter.name} code />
        <SelectField
          name="sort"
          label="Order"
          value={filter.sort === "failing" ? "" : filter.sort}
          options={[
            { value: "", label: "Failing first" },
            { value: "name", label: "By name" },
          ]}
        />
      </FilterForm>
    </>
  );
}

/** Every task that the store knows of. */
export function TasksContent({ model }: View<TaskList>) {
  const { tasks, total, notes, filter } = model;
  const number = tasks.length === total ? count(total) : `${count(tasks.length)} of ${count(total)}`;
  return (
    <>
      {filter.name === null && tasks.length > 0 && <p class="page-summary">{summary(tasks)}</p>}
      <Notes notes={notes} />
      <Card title={`${number} ${total === 1 ? "task" : "tasks"}`} flush>
        <TaskTable tasks={tasks} filter={filter} trends={model.trends} />
      </Card>
    </>
  );
}

function summary(tasks: readonly TaskRow[]): string {
  const invocations = tasks.flatMap((task) => task.invocations_count ?? []);
  const triggered = `${count(tasks.filter((task) => task.triggers > 0).length)} of the tasks are started by triggers.`;
  if (invocations.length < tasks.length) return triggered;
  return `${count(invocations.reduce((sum, n) => sum + n, 0))} invocations in all; ${triggered}`;
}

function TaskTable({ tasks, filter, trends }: Pick<TaskList, "tasks" | "filter" | "trends">) {
  const links = useLinks();
  return (
    <DataTable
      caption={filter.sort === "name" ? "Tasks by name" : "Tasks, those with the most failed invocations first"}
      columns={[
        { label: "Task", rowHeader: true },
        { label: "Invocations", align: "end" },
        { label: "By status", speaking: true, hint: "Current status of the task's invocations" },
        ...(trends === null ? [] : [LAST_HOUR]),
        { label: "Triggers", align: "end", hint: "Triggers that start the task" },
        { label: "Last activity", hint: "Latest status change of one of its invocations" },
      ]}
      rows={tasks.map((task) => ({
        key: task.task_id_key,
        cells: [
          <span key="name" class="with-mark">
            <TaskName task_id_key={task.task_id_key} href={links.task(task.task_id_key)} />
            {task.core && (
              <span class="mark" title="One of pynenc's own tasks">
                pynenc
              </span>
            )}
          </span>,
          <a key="count" href={links.invocations({ task_id: task.task_id_key })}>
            <Count value={task.invocations_count} />
          </a>,
          <TaskStatuses key="statuses" task={task.task_id_key} statuses={task.statuses} />,
          ...(trends === null
            ? []
            : [
                <LastHour
                  key="hour"
                  trends={trends}
                  task={task.task_id_key}
                  href={links.stats({ task_id: task.task_id_key, range: "1h" })}
                />,
              ]),
          <Count key="triggers" value={task.triggers} />,
          <Time key="last" iso={task.last_activity} relative />,
        ],
      }))}
      empty={
        filter.name !== null ? (
          <Empty title="No task has such a name">
            <p>
              <a href={links.tasks()}>Show all tasks</a>
            </p>
          </Empty>
        ) : (
          <Empty title="No task is stored">
            <p>
              A task appears here with its first invocation or when a trigger names it. Start a runner and call one of
              the app's tasks, or choose another app above.
            </p>
          </Empty>
        )
      }
    />
  );
}
