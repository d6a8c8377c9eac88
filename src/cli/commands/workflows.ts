import { InvalidInputError } from "../../errors.ts";
import { WORKFLOW_RUN_COLUMNS, WORKFLOW_TYPE_COLUMNS } from "../../presentation/facts/workflow-run.ts";
import { workflows } from "../../questions/workflows.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { workflowRuns, workflowTypes } from "../../services/workflows/workflows.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { pageNotes } from "../print/text.ts";
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
    printRows(WORKFLOW_TYPE_COLUMNS, list.types, out, { now: app.now() });
    if (list.types.length === 0) out.say("No workflow runs yet.");
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
  printRows(WORKFLOW_RUN_COLUMNS, list.runs, out, { now: app.now() });
  if (list.runs.length === 0 && list.page.number === 1)
    out.say(type === null ? "No workflow runs yet." : `${type} has no workflow runs.`);
  out.say(...pageNotes(list.page, "run"));
}
