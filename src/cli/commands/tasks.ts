import type { TaskRow } from "../../api/tasks.ts";
import { count, NOTHING } from "../../presentation/text.ts";
import { listTasks } from "../../services/tasks/tasks.ts";
import type { Flags } from "../flags.ts";
import type { Column } from "../print/table.ts";
import { taskColumn, timeColumn } from "../print/text.ts";
import { withApp } from "../session.ts";

/** `monitor tasks`: every task that occurs, with its invocations by status. */
export async function tasks(flags: Flags): Promise<void> {
  await withApp(flags, async (app, out) => {
    const list = await listTasks(app);
    if (out.json) return out.document(list);
    out.table(columns(app.now()), list.tasks);
    if (list.tasks.length === 0) out.say(`This store has no task of ${app.app_id} yet.`);
    out.say(...list.notes);
  });
}

function columns(now: number): Column<TaskRow>[] {
  return [
    { ...taskColumn((task: TaskRow) => task.task_id_key), min: 16 },
    {
      title: "INVOCATIONS",
      align: "right",
      cell: (task) => (task.invocations === null ? NOTHING : count(task.invocations)),
    },
    {
      title: "STATUSES",
      cell: (task) => task.statuses.map((s) => `${s.status} ${count(s.count)}`).join(", "),
      cut: "end",
      min: 10,
    },
    { title: "TRIGGERS", align: "right", cell: (task) => count(task.triggers), optional: true },
    timeColumn("LAST ACTIVITY", (task) => task.last_activity, now),
  ];
}
