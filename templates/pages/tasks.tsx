import type { TaskList } from "../../src/api/tasks.ts";
import { TASK_COLUMNS } from "../../src/presentation/facts/task.ts";
import { count } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { TaskStatuses } from "../fragments/invocations/task-statuses.tsx";
import { TaskTrend } from "../fragments/stats/trend-links.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterBar } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { figuresRange, useRangeWords } from "../layout/time-menu.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function TasksHeader(view: View<TaskList>) {
  const { model, query, path } = view;
  const { filter } = model;
  const links = useLinks();
  return (
    <>
      <PageHeader title="Tasks" />
      <FilterBar
        path={path}
        clearHref={filter.name === null ? undefined : links.tasks()}
        columns={<ColumnChoice columns={TASK_COLUMNS} unusual={withoutTrends(model.trends)} view={view} />}
      >
        <TextField name="name" label="Name contains" value={filter.name} placeholder="Search names" wide code />
        <SelectField
          name="sort"
          label="Order"
          value={filter.sort === "failing" ? "" : filter.sort}
          options={[
            { value: "", label: "Most failed, all time" },
            { value: "name", label: "By name" },
          ]}
        />
        <HiddenField name="fields" value={(query.fields ?? []).join(",")} />
      </FilterBar>
    </>
  );
}

/** Every task that the store knows of. */
export function TasksContent({ model, fields }: View<TaskList>) {
  const { tasks, total, notes, filter, trends } = model;
  const range = useRangeWords(figuresRange(trends));
  const number = tasks.length === total ? count(total) : `${count(tasks.length)} of ${count(total)}`;
  return (
    <>
      <Notes notes={[...notes, ...(trends?.notes ?? [])]} />
      <Card
        title={`${number} ${total === 1 ? "task" : "tasks"}`}
        flush
        actions={
          trends !== null &&
          tasks.length > 0 && <span class="muted">{`Finished: ${range.toLowerCase()} · all else: all time`}</span>
        }
      >
        <TaskTable tasks={tasks} filter={filter} trends={trends} range={range} fields={fields} />
      </Card>
    </>
  );
}

/** What figures over time do not say is there only for those who chose it. */
function withoutTrends(trends: TaskList["trends"]): string[] {
  if (trends === null) return ["trends", "failing_since"];
  return trends.first_failures.length > 0 ? [] : ["failing_since"];
}

type TaskTableProps = Pick<TaskList, "tasks" | "filter" | "trends"> &
  Pick<View<TaskList>, "fields"> & { range: string };

function TaskTable({ tasks, filter, trends, fields, range }: TaskTableProps) {
  const links = useLinks();
  return (
    <ColumnTable
      caption={filter.sort === "name" ? "Tasks by name" : "Tasks, those with the most failed invocations first"}
      columns={TASK_COLUMNS}
      cells={{
        statuses: ({ task_id_key, statuses }) => <TaskStatuses task={task_id_key} statuses={statuses} />,
        trends: ({ task_id_key: task }) => (
          <TaskTrend
            trends={trends}
            task={task}
            label={range}
            href={links.stats({ ...links.timeRange, task_id: task })}
          />
        ),
        failing_since: ({ task_id_key: task }) => (
          <Time iso={trends?.first_failures.find((one) => one.task_id_key === task)?.at ?? null} relative="at" />
        ),
      }}
      hide={withoutTrends(trends)}
      fields={fields}
      records={tasks}
      keyOf={(task) => task.task_id_key}
      empty={
        filter.name !== null ? (
          <Empty title="No task has such a name">
            <a href={links.tasks()}>Show all tasks</a>
          </Empty>
        ) : (
          <Empty title="No task is stored">
            A task appears here with its first invocation or when a trigger names it. Start a runner and call one of the
            app's tasks, or choose another app above.
          </Empty>
        )
      }
    />
  );
}
