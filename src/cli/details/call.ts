import type { CallDetail } from "../../api/tasks.ts";
import { visibleLine } from "../../presentation/text.ts";
import { callDetail } from "../../services/tasks/calls.ts";
import { argumentLines } from "../print/arguments.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { facts, heading, totalText } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A task with one set of arguments, and its latest invocations. */
export const callDetails: Detail<CallDetail> = { load: (app, id) => callDetail(app, id, {}), print };

function print(call: CallDetail, now: number, out: Output): void {
  const total = totalText(call.page);
  out.lines([out.paint.bold(visibleLine(call.task_id_key)), ""]);
  out.lines(
    facts(
      [
        ["Call", visibleLine(call.call_id_key)],
        ["Task", visibleLine(call.task_id_key)],
        ["Arguments id", visibleLine(call.arguments_id)],
        ["Invocations", total],
      ],
      out,
    ),
  );
  const given = call.arguments_stored ? argumentLines(call, out) : ["  (no definition of this call is stored)"];
  if (given.length > 0) out.lines([...heading("Arguments", out), ...given]);
  printInvocations("Invocations", call.invocations, now, out);
  if (call.page.has_next) out.say(`All of them: monitor invocations --call ${call.call_id_key}`);
}
