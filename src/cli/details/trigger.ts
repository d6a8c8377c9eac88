import type { TriggerDetail } from "../../api/triggers.ts";
import { pendingPart } from "../../presentation/facts/condition.ts";
import { triggerConditionsPart, triggerFacts, triggerOwnRunsPart } from "../../presentation/facts/trigger.ts";
import { visibleLine } from "../../presentation/text.ts";
import { triggerDetail } from "../../services/triggers/triggers.ts";
import { namedValueLines } from "../print/arguments.ts";
import { factLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A registered trigger with its conditions and latest runs. */
export const triggerDetails: Detail<TriggerDetail> = {
  load: triggerDetail,
  print,
  thing: (detail) => ({ kind: "trigger", detail }),
};

function print(model: TriggerDetail, now: number, out: Output): void {
  const { argument_provider: provider, trigger_runs: runs, trigger_runs_count: total } = model;
  out.lines([out.paint.bold(`Trigger of ${visibleLine(model.task_id_key)}`), ""]);
  out.lines(factLines("trigger", model.trigger_id, triggerFacts(model), out));
  if (provider.arguments.length > 0)
    out.lines([...heading("Fixed arguments", out), ...namedValueLines(provider.arguments, out)]);
  printPart(triggerConditionsPart(model), out, now);
  printPart(
    pendingPart("Met conditions still stored", model.pending, "Conditions of this trigger that are met now"),
    out,
    now,
  );
  if (runs.length === 0) out.say(model.no_runs ?? "");
  printPart(triggerOwnRunsPart(model), out, now);
  if ((total ?? 0) > runs.length || model.trigger_runs_capped) {
    out.say(`All of them: monitor trigger-runs --trigger ${model.trigger_id}`);
  }
}
