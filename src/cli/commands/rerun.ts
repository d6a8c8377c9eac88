import type { RerunPreview } from "../../api/reruns.ts";
import { InvalidInputError } from "../../errors.ts";
import { rerunInput } from "../../inputs/actions.ts";
import { invocationFilter } from "../../inputs/common.ts";
import { calledAgainText } from "../../presentation/called-again.ts";
import { visibleLine } from "../../presentation/text.ts";
import { CONTROL_TEXT } from "../../pynenc/rerun.ts";
import { duplicateHint, previewRerun, rerun as rerunOne } from "../../services/actions/rerun.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { runAction } from "../action.ts";
import { type Flags, flagOf, inFlagWords, rawInput } from "../flags.ts";
import { printHead, printPoints, printRunners } from "../print/action.ts";
import type { Output } from "../print/output.ts";
import { sentence } from "../print/text.ts";
import { zonedTime } from "../print/zone.ts";
import { rerunMatching } from "./rerun-many.ts";

/** `monitor rerun [id...]`: registers the calls of the invocations with these ids again, or those of all that match a filter. */
export async function run(flags: Flags, ids: readonly string[]): Promise<void> {
  const filters = Object.keys(rawInput(flags, invocationFilter)).flatMap(
    (name) => flagOf(invocationFilter, name) ?? [],
  );
  if (ids.length === 0 && filters.length === 0) {
    throw new InvalidInputError(
      [{ parameter: "[id...]", value: "", accepted: "expected an invocation id or a filter" }],
      "For example: monitor rerun 93041383, or monitor rerun --status failed",
      "Name what to register again: an invocation id, or a filter such as --status or --task.",
    );
  }
  const ofMany = ["limit", "all"].filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
  const unfit = ids.length === 0 ? [] : [...filters, ...(ids.length === 1 ? ofMany : [])];
  if (unfit.length > 0) {
    throw new InvalidInputError(
      unfit.map((parameter) => ({ parameter, value: ids.join(" "), accepted: "it cannot be combined with an id" })),
      null,
      `Filters cannot be combined with an invocation id: leave out ${unfit.join(", ")} or the id.`,
    );
  }
  const [id] = ids;
  return id === undefined || ids.length > 1 ? rerunMatching(flags, ids) : rerunNamed(flags, id);
}

async function rerunNamed(flags: Flags, id: string): Promise<void> {
  const raw = rawInput(flags, rerunInput);
  await runAction(flags, async (app) => {
    const preview = await withId(app, { parameter: "[id]", kinds: ["invocation"], text: id }, (whole) =>
      inFlagWords(rerunInput, () => previewRerun(app, whole, raw)),
    );
    const { invocation_id, task_id_key } = preview.invocation;
    return {
      name: "rerun",
      preview,
      show: (out) => showOne(preview, app.now(), out),
      refused: preview.refused === null ? null : sentence(preview.refused),
      hint: preview.forcible
        ? duplicateHint([preview.requeue_instead ?? []].flat(), "--force registers it anyway.")
        : null,
      question: `Register ${task_id_key} again in ${app.app_id}?`,
      async act(record) {
        const outcome = await record(() => rerunOne(app, invocation_id, raw));
        return { outcome, ids: [outcome.new_invocation_id] };
      },
    };
  });
}

function showOne(preview: RerunPreview, now: number, out: Output): void {
  const { invocation, own_workflow, control, notes, route, runners_alive } = preview;
  printHead("Rerun", preview, out, [
    ["Task", visibleLine(invocation.task_id_key ?? "")],
    ["Invocation", visibleLine(invocation.invocation_id)],
    ["Status", out.paint.status(invocation.status, visibleLine(invocation.status))],
    ["Registered", invocation.registered_at === null ? null : zonedTime(invocation.registered_at)],
    ["Arguments", invocation.arguments === null ? null : visibleLine(invocation.arguments) || "none"],
    ["Calls again", calledAgainText(preview)],
    ["Workflow", own_workflow ? "the new invocation starts its own" : null],
    ["Queue", route === null ? null : `${visibleLine(route.queue_name)} (${visibleLine(route.queue_told_by)})`],
    ["Priority", route === null ? null : `${route.priority} (${visibleLine(route.priority_told_by)})`],
    ["Concurrency control", CONTROL_TEXT[control]],
  ]);
  printPoints("Notes", notes, out);
  printRunners(runners_alive, now, out);
}
