import { NotFoundError, quote } from "../../errors.ts";
import { TASK_COLUMNS } from "../../presentation/facts/task.ts";
import { count } from "../../presentation/text.ts";
import { tasks } from "../../questions/tasks.ts";
import { didYouMean } from "../../services/input/similar.ts";
import { similarTasks, taskKeys } from "../../services/model/task-keys.ts";
import { listTasks } from "../../services/tasks/tasks.ts";
import { type Flags, rawInput } from "../flags.ts";
import { printRows } from "../print/facts.ts";
import { withApp } from "../session.ts";

/** `monitor tasks`: all tasks in the store, or those whose name contains a text, with their invocations by status. */
export async function run(flags: Flags, [name = null]: readonly (string | null)[]): Promise<void> {
  const raw = { ...rawInput(flags, tasks.input), ...(name !== null && { name: [name] }) };
  await withApp(flags, async (app, out) => {
    const list = await listTasks(app, raw);
    if (name !== null && list.total > 0 && list.tasks.length === 0) {
      const none = `None of the ${count(list.total)} tasks has ${quote(name)} in its name.`;
      throw new NotFoundError("task", name, didYouMean(similarTasks(name, await taskKeys(app))), none);
    }
    if (out.json) return out.document(list);
    printRows(TASK_COLUMNS, list.tasks, out, { now: app.now() });
    if (list.total === 0) out.say(`${app.app_id} has no tasks yet.`);
    out.say(...list.notes);
  });
}
