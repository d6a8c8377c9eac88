import type { WorkflowDataRow, WorkflowRunDetail } from "../../api/workflows.ts";
import { count, rowDuration, visibleLine } from "../../presentation/text.ts";
import { workflowRunDetail } from "../../services/workflows/workflows.ts";
import { callLines } from "../print/call.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { facts, heading, indented, valueLines } from "../print/text.ts";
import { runColumns } from "../print/workflow-runs.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** One run of a workflow: its members and its stored data. */
export const workflowRunDetails: Detail<WorkflowRunDetail> = {
  load: (app, id) => workflowRunDetail(app, id, {}),
  print,
};

function print(model: WorkflowRunDetail, now: number, out: Output): void {
  const { run, members, members_page, sub_workflows, data, data_page } = model;
  const { status } = run.invocation;
  out.lines([
    `${out.paint.bold(visibleLine(run.workflow_type_key))}  ${out.paint.status(status, visibleLine(status))}`,
    "",
    ...facts(overview(model), out),
    ...callLines(model, out),
  ]);
  printInvocations(`Members (${count(run.members_count)}${run.members_capped ? "+" : ""})`, members, now, out);
  if (members_page.has_next) out.say(`All of them: monitor invocations --workflow-id ${run.workflow_id}`);
  if (sub_workflows.length > 0) {
    out.lines(heading("Sub-workflows", out));
    out.table(runColumns(now, out), sub_workflows, "  ");
  }
  const own = data.filter((row) => row.purpose === null);
  if (own.length > 0)
    out.lines([...heading("Data of the workflow", out), ...own.flatMap((row) => dataLines(row, out))]);
  const kept = data.length - own.length;
  if (kept > 0) out.say(`${count(kept)} keys that pynenc keeps for replays are not shown; --json has them.`);
  if (data_page.has_next) out.say(`Data has more than the first ${count(data.length)} keys; its page has all of them.`);
}

function overview({ run }: WorkflowRunDetail): [string, string | null][] {
  const { invocation, parent_workflow_id: parent, parent_workflow_type_key: type } = run;
  return [
    ["Workflow run", visibleLine(run.workflow_id)],
    ["Registered", invocation.registered_at === null ? null : time(invocation.registered_at)],
    [invocation.final ? "Finished" : "Since", invocation.status_at === null ? null : time(invocation.status_at)],
    ["Took", invocation.duration_seconds === null ? null : rowDuration(invocation)],
    ["Parent run", parent === null ? null : visibleLine(`${parent} ${type ?? ""}`.trim())],
  ];
}

function dataLines({ data_key, value }: WorkflowDataRow, out: Output): string[] {
  const [first = "", ...rest] = valueLines(value, out);
  return indented([`${visibleLine(data_key)} = ${first}`, ...rest]);
}
