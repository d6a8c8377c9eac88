import type { TaskList, TaskRow } from "../../src/api/tasks.ts";
import { TASK_COLUMNS } from "../../src/presentation/list-columns.ts";
import { count } from "../../src/presentation/text.ts";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { TaskStatuses } from "../fragments/invocations/task-statuses.tsx";
import { LAST_HOUR, LastHour } from "../fragments/stats/last-hour.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterForm, HiddenField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { type RecordColumn, RecordTable } from "../fragments/ui/record-table.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Stands above the refreshed part, so that a refresh leaves a half-typed name alone. */
export function TasksHeader(view: View<TaskList>) {
  const { model, query, path } = view;
  const { filter } = model;
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
        <HiddenField name="fields" value={(query.fields ?? []).join(",")} />
      </FilterForm>
      <ColumnChoice columns={TASK_COLUMNS} unusual={model.trends === null ? ["trends"] : []} view={view} />
    </>
  );
}

/** Every task that the store knows of. */
export function TasksContent({ model, fields }: View<TaskList>) {
  const { tasks, total, notes, filter } = model;
  const number = tasks.length === total ? count(total) : `${count(tasks.length)} of ${count(total)}`;
  return (
    <>
      {filter.name === null && tasks.length > 0 && <p class="page-summary">{summary(tasks)}</p>}
      <Notes notes={[...notes, ...(model.trends?.notes ?? [])]} />
      <Card title={`${number} ${total === 1 ? "task" : "tasks"}`} flush>
        <TaskTable tasks={tasks} filter={filter} trends={model.trends} fields={fields} />
      </Card>
    </>
  );
}

function summary(tasks: readonly TaskRow[]): string {
  const invocations = tasks.flatMap((task) => task.invocations_count ?? []);
  const triggered = `${count(tasks.filter((task) => task.triggers > 0).length)} of the tasks are started by triggers.`;
  if (invocations.length < tasks.length) return triggered;
  return `${count(invocations.reduce((sum, n) => sum + n, 0))} invocations in all, each counted once, by its latest status; ${triggered}`;
}

type TaskTableProps = Pick<TaskList, "tasks" | "filter" | "trends"> & Pick<View<TaskList>, "fields">;

function TaskTable({ tasks, filter, trends, fields }: TaskTableProps) {
  const links = useLinks();
  const columns: RecordColumn<TaskRow>[] = [
    { label: "Task", of: ["task_id_key"], rowHeader: true, shown: true, cell: (task) => <NamedTask task={task} /> },
    {
      label: "Invocations",
      of: ["invocations_count"],
      align: "end",
      shown: true,
      cell: (task) => (
        <a href={links.invocations({ task_id: task.task_id_key })}>
          <Count value={task.invocations_count} />
        </a>
      ),
    },
    {
      label: "By status",
      of: ["statuses"],
      speaking: true,
      hint: "Current status of the task's invocations",
      shown: true,
      cell: (task) => <TaskStatuses task={task.task_id_key} statuses={task.statuses} />,
    },
    {
      ...LAST_HOUR,
      of: ["trends"],
      // Without figures over time it is there only for those who chose it.
      shown: trends !== null,
      cell: ({ task_id_key: task }) => (
        <LastHour trends={trends} task={task} href={links.stats({ task_id: task, range: "1h" })} />
      ),
    },
    {
      label: "Triggers",
      of: ["triggers"],
      align: "end",
      hint: "Triggers that start the task",
      shown: true,
      cell: (task) => <Count value={task.triggers} />,
    },
    {
      label: "Last activity",
      of: ["last_activity"],
      hint: "Latest status change of one of its invocations",
      shown: true,
      cell: (task) => <Time iso={task.last_activity} relative />,
    },
  ];
  return (
    <RecordTable
      caption={filter.sort === "name" ? "Tasks by name" : "Tasks, those with the most failed invocations first"}
      columns={columns}
      fields={fields}
      records={tasks}
      keyOf={(task) => task.task_id_key}
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

function NamedTask({ task }: { task: TaskRow }) {
  const links = useLinks();
  return (
    <span class="with-mark">
      <TaskName task_id_key={task.task_id_key} href={links.task(task.task_id_key)} />
      {task.core && (
        <span class="mark" title="One of pynenc's own tasks">
          pynenc
        </span>
      )}
    </span>
  );
}
