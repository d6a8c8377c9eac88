import type { CallDetail } from "../../api/tasks.ts";
import { callFacts } from "../../presentation/facts/task.ts";
import { visibleLine } from "../../presentation/text.ts";
import { callDetail } from "../../services/tasks/calls.ts";
import { argumentLines } from "../print/arguments.ts";
import { factLines } from "../print/facts.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { heading } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A task with one set of arguments, and its latest invocations. */
export const callDetails: Detail<CallDetail> = { load: (app, id) => callDetail(app, id, {}), print };

function print(call: CallDetail, now: number, out: Output): void {
  out.lines([out.paint.bold(visibleLine(call.task_id_key)), ""]);
  out.lines(factLines("call", call.call_id_key, callFacts(call), out));
  const given = call.arguments_stored ? argumentLines(call, out) : ["  (not stored)"];
  if (given.length > 0) out.lines([...heading("Arguments", out), ...given]);
  printInvocations("Invocations", call.invocations, now, out);
  if (call.page.has_next) out.say(`All of them: monitor invocations --call ${call.call_id_key}`);
}
