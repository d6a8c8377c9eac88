import type { CallDetail, TaskDetail } from "../../api/tasks.ts";
import { callFacts, callsPart, taskFacts } from "../../presentation/facts/task.ts";
import { visibleLine } from "../../presentation/text.ts";
import { callDetail } from "../../services/tasks/calls.ts";
import { taskDetail } from "../../services/tasks/tasks.ts";
import { argumentLines } from "../print/arguments.ts";
import { factLines, printInvocations, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** One task: its invocations by status, the latest ones, and its calls. */
export const taskDetails: Detail<TaskDetail> = { load: (app, key) => taskDetail(app, key, {}), print: printTask };

function printTask(model: TaskDetail, now: number, out: Output): void {
  const { task, invocations, page, notes } = model;
  out.lines([out.paint.bold(visibleLine(task.task_id_key)), ""]);
  out.lines(factLines("task", task.task_id_key, taskFacts(model), out));
  printInvocations("Invocations", invocations, now, out);
  if (page.has_next) out.say(`All of them: monitor invocations --task ${task.task_id_key}`);
  printPart(callsPart(model), out, now);
  out.say(...notes);
}

/** A task with one set of arguments, and its latest invocations. */
export const callDetails: Detail<CallDetail> = { load: (app, id) => callDetail(app, id, {}), print: printCall };

function printCall(call: CallDetail, now: number, out: Output): void {
  out.lines([out.paint.bold(visibleLine(call.task_id_key)), ""]);
  out.lines(factLines("call", call.call_id_key, callFacts(call), out));
  const given = call.arguments_stored ? argumentLines(call, out) : ["  (not stored)"];
  if (given.length > 0) out.lines([...heading("Arguments", out), ...given]);
  printInvocations("Invocations", call.invocations, now, out);
  if (call.page.has_next) out.say(`All of them: monitor invocations --call ${call.call_id_key}`);
}
