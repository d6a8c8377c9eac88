import type { TaskDetail } from "../../api/tasks.ts";
import { callsPart, taskFacts } from "../../presentation/facts/task.ts";
import { visibleLine } from "../../presentation/text.ts";
import { taskDetail } from "../../services/tasks/tasks.ts";
import { factLines, printPart } from "../print/facts.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import type { Detail } from "./detail.ts";

/** One task: its invocations by status, the latest ones, and its calls. */
export const taskDetails: Detail<TaskDetail> = { load: (app, key) => taskDetail(app, key, {}), print };

function print(model: TaskDetail, now: number, out: Output): void {
  const { task, invocations, page, notes } = model;
  out.lines([out.paint.bold(visibleLine(task.task_id_key)), ""]);
  out.lines(factLines("task", task.task_id_key, taskFacts(model), out));
  printInvocations("Invocations", invocations, now, out);
  if (page.has_next) out.say(`All of them: monitor invocations --task ${task.task_id_key}`);
  printPart(callsPart(model), out, now);
  out.say(...notes);
}
