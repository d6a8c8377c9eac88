import type { TaskList, TaskRow } from "../../src/api/tasks.ts";
import { count } from "../../src/presentation/text.ts";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { TaskStatuses } from "../fragments/invocations/task-statuses.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Every task that the store knows of, by name. */
export function TasksContent({ model: { tasks, notes } }: View<TaskList>) {
  return (
    <>
      <PageHeader title="Tasks" summary={tasks.length === 0 ? undefined : summary(tasks)} />
      <Notes notes={notes} />
      <Card title={tasks.length === 1 ? "1 task" : `${count(tasks.length)} tasks`} flush>
        <TaskTable tasks={tasks} />
      </Card>
    </>
  );
}

function summary(tasks: readonly TaskRow[]): string {
  const invocations = tasks.flatMap((task) => task.invocations ?? []);
  const triggered = `${count(tasks.filter((task) => task.triggers > 0).length)} of the tasks are started by triggers.`;
  if (invocations.length < tasks.length) return triggered;
  return `${count(invocations.reduce((sum, n) => sum + n, 0))} invocations in all; ${triggered}`;
}

function TaskTable({ tasks }: { tasks: readonly TaskRow[] }) {
  const links = useLinks();
  return (
    <DataTable
      caption="Tasks by name"
      columns={[
        { label: "Task", rowHeader: true },
        { label: "Invocations", align: "end" },
        { label: "By status", speaking: true, hint: "Current status of the task's invocations" },
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
            <Count value={task.invocations} />
          </a>,
          <TaskStatuses key="statuses" task={task.task_id_key} statuses={task.statuses} />,
          <Count key="triggers" value={task.triggers} />,
          <Time key="last" iso={task.last_activity} relative />,
        ],
      }))}
      empty={
        <Empty title="No tasks yet">
          <p>
            A task appears here with its first invocation or when a trigger names it. Start a runner and call one of the
            app's tasks, or choose another app above.
          </p>
        </Empty>
      }
    />
  );
}
