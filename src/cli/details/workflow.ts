import type { WorkflowDataRow, WorkflowRunDetail, WorkflowRunList } from "../../api/workflows.ts";
import { partTitle } from "../../presentation/facts/column.ts";
import { MEMBER_COLUMNS } from "../../presentation/facts/invocation.ts";
import {
  stepsAreMembers,
  stepsPart,
  subWorkflowsPart,
  WORKFLOW_RUN_COLUMNS,
  workflowRunFacts,
} from "../../presentation/facts/workflow-run.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { workflowRunDetail, workflowRuns } from "../../services/workflows/workflows.ts";
import { callLines } from "../print/call.ts";
import { factLines, printPart, printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading, indented, pageNotes, valueLines } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** One run of a workflow: its steps, its other members and its stored data. */
export const workflowRunDetails: Detail<WorkflowRunDetail> = {
  load: (app, id) => workflowRunDetail(app, id, {}),
  print: printRun,
};

function printRun(model: WorkflowRunDetail, now: number, out: Output): void {
  const { run, members, members_page, data, data_page } = model;
  const { status } = run.invocation;
  out.lines([
    `${out.paint.bold(visibleLine(run.workflow_type_key))}  ${out.paint.status(status, visibleLine(status))}`,
    "",
    ...factLines("workflow", run.workflow_id, workflowRunFacts(model), out, ["workflow_type", "invocation"]),
    ...callLines(model, out),
  ]);
  printPart(stepsPart(model), out, now);
  if (!stepsAreMembers(model)) {
    const title = partTitle({ title: "Members", total: { count: run.members_count, capped: run.members_capped } });
    printRows(MEMBER_COLUMNS, members, out, { title, now });
  }
  if (members_page.has_next) out.say(`All of them: monitor invocations --workflow-id ${run.workflow_id}`);
  printPart(subWorkflowsPart(model), out, now);
  const own = data.filter((row) => row.purpose === null);
  if (own.length > 0)
    out.lines([...heading("Data of the workflow", out), ...own.flatMap((row) => dataLines(row, out))]);
  const kept = data.length - own.length;
  if (kept > 0) out.say(`${count(kept)} keys that pynenc keeps for replays are not shown; --json has them.`);
  if (data_page.has_next) out.say(`Data has more than the first ${count(data.length)} keys; its page has all of them.`);
}

function dataLines({ data_key, value }: WorkflowDataRow, out: Output): string[] {
  const [first = "", ...rest] = valueLines(value, out);
  return indented([`${visibleLine(data_key)} = ${first}`, ...rest]);
}

/** One workflow type, or all of them: the runs, newest first. */
export const workflowTypeDetails: Detail<WorkflowRunList> = {
  load: (app, key) => workflowRuns(app, {}, key),
  print: printRuns,
};

export function printRuns({ workflow_type_key: type, runs, page }: WorkflowRunList, now: number, out: Output): void {
  printRows(WORKFLOW_RUN_COLUMNS, runs, out, { now });
  if (runs.length === 0 && page.number === 1)
    out.say(type === null ? "No workflow runs yet." : `${visibleLine(type)} has no workflow runs.`);
  out.say(...pageNotes(page, "run"));
}
