import type { CallRow, TaskDetail } from "../../api/tasks.ts";
import { count, NOTHING, visibleLine } from "../../presentation/text.ts";
import { taskDetail } from "../../services/tasks/tasks.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** One task: its invocations by status, the latest ones, and its calls. */
export const taskDetails: Detail<TaskDetail> = { load: (app, key) => taskDetail(app, key, {}), print };

function print(
  { task, calls, calls_count, calls_from, invocations, page, notes }: TaskDetail,
  now: number,
  out: Output,
) {
  out.lines([out.paint.bold(visibleLine(task.task_id_key)), ""]);
  const more = page.total_capped ? "+" : "";
  out.lines(
    facts(
      [
        ["Invocations", task.invocations_count === null ? null : `${count(task.invocations_count)}${more}`],
        ["Statuses", task.statuses.map((row) => `${visibleLine(row.status)} ${count(row.count)}`).join(", ")],
        ["Triggers", task.triggers === 0 ? null : count(task.triggers)],
        ["Last activity", task.last_activity === null ? null : time(task.last_activity)],
      ],
      out,
    ),
  );
  printInvocations("Invocations", invocations, now, out);
  if (page.has_next) out.say(`All of them: monitor invocations --task ${task.task_id_key}`);
  if (calls.length > 0) {
    out.lines(heading(`Calls (${count(calls_count)})`, out));
    out.table(CALL_COLUMNS, calls, "  ");
    if (task.invocations_count === null || calls_from < task.invocations_count) {
      out.say(`Calls are those of the latest ${count(calls_from)} invocations.`);
    }
  }
  out.say(...notes);
}

const CALL_COLUMNS: readonly Column<CallRow>[] = [
  idColumn("CALL", (call) => call.call_id_key),
  { title: "INVOCATIONS", align: "right", cell: (call) => count(call.invocations_count) },
  { title: "ARGUMENTS", cell: (call) => call.arguments_preview ?? NOTHING, cut: "end", min: 16 },
  idColumn("LATEST INVOCATION", (call) => call.latest_invocation_id, { optional: true }),
];
