import type { WorkflowTypeRow } from "../../api/workflows.ts";
import { InvalidInputError } from "../../errors.ts";
import { count } from "../../presentation/text.ts";
import { workflows } from "../../questions/workflows.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { workflowRuns, workflowTypes } from "../../services/workflows/workflows.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, statusColumn, taskColumn, timeColumn } from "../print/text.ts";
import { runColumns } from "../print/workflow-runs.ts";
import { withApp } from "../session.ts";

/** `monitor workflows`: the types, or their runs with `--runs` or `--type`. */
export async function run(flags: Flags): Promise<void> {
  const { workflow_type_key: type, ...raw } = rawInput(flags, workflows.input);
  await withApp(flags, async (app, out) => {
    if (flags.runs === true || type !== undefined) return printRuns(app, raw, type?.at(-1) ?? null, out);
    for (const [flag, values] of Object.entries(raw)) {
      throw new InvalidInputError([
        { parameter: `--${flag}`, value: String(values), accepted: "use it with --runs or --type" },
      ]);
    }
    const list = await workflowTypes(app);
    if (out.json) return out.document(list);
    out.table(typeColumns(app.now(), out), list.types);
    if (list.types.length === 0) out.say("No workflow has run yet.");
  });
}

async function printRuns(
  app: OpenedApp,
  raw: Parameters<typeof workflowRuns>[1],
  type: string | null,
  out: Output,
): Promise<void> {
  const list = await inFlagWords(workflows.input, () => workflowRuns(app, raw, type));
  if (out.json) return out.document(list);
  out.table(runColumns(app.now(), out), list.runs);
  if (list.runs.length === 0 && list.page.number === 1)
    out.say(type === null ? "No workflow has run yet." : `${type} has not run as a workflow.`);
  out.say(...pageNotes(list.page, "run"));
}

function typeColumns(now: number, out: Output): Column<WorkflowTypeRow>[] {
  return [
    taskColumn((row) => row.workflow_type_key, "TYPE"),
    { title: "RUNS", align: "right", cell: (row) => count(row.runs) },
    idColumn("LATEST RUN", (row) => row.latest?.workflow_id),
    statusColumn((row) => row.latest?.invocation.status, out),
    timeColumn("REGISTERED", (row) => row.latest?.invocation.registered_at ?? null, now),
  ];
}
