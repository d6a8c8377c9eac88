import type { WorkflowRunList } from "../../api/workflows.ts";
import { WORKFLOW_RUN_COLUMNS } from "../../presentation/facts/workflow-run.ts";
import { visibleLine } from "../../presentation/text.ts";
import { workflowRuns } from "../../services/workflows/workflows.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { pageNotes } from "../print/text.ts";
import type { Detail } from "./detail.ts";

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
