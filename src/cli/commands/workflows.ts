import { InvalidInputError } from "../../errors.ts";
import { WORKFLOW_TYPE_COLUMNS } from "../../presentation/facts/workflow-run.ts";
import { workflows } from "../../questions/workflows.ts";
import { workflowRuns, workflowTypes } from "../../services/workflows/workflows.ts";
import { printRuns } from "../details/workflow.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { printRows } from "../print/facts.ts";
import { withApp } from "../session.ts";

/** `monitor workflows`: the types, or their runs with `--runs` or `--type`. */
export async function run(flags: Flags): Promise<void> {
  const { workflow_type_key: type, ...raw } = rawInput(flags, workflows.input);
  await withApp(flags, async (app, out) => {
    if (flags.runs === true || type !== undefined) {
      const list = await inFlagWords(workflows.input, () => workflowRuns(app, raw, type?.at(-1) ?? null));
      return out.json ? out.document(list) : printRuns(list, app.now(), out);
    }
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
