import type { ValidConditionDetail } from "../../api/conditions.ts";
import { contextFacts, waitingTriggersPart } from "../../presentation/facts/condition.ts";
import { fact, group } from "../../presentation/facts/fact.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { validConditionDetail } from "../../services/triggers/valid-conditions.ts";
import { factLines, groupLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading, indented } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A valid condition: what met it, and which triggers wait for it. */
export const validConditionDetails: Detail<ValidConditionDetail> = {
  load: (app, id) => validConditionDetail(app, { valid_condition_id: [id] }),
  print,
};

function print(model: ValidConditionDetail, now: number, out: Output): void {
  const { condition, context, source, trigger_run_ids: runs } = model;
  const facts = group(
    "Condition",
    fact("condition", "Condition", condition === null ? "not readable" : condition.sentence),
    fact("condition_id", "Condition id", condition?.condition_id ?? null),
  );
  out.lines([out.paint.bold("Valid condition"), ""]);
  out.lines(factLines("valid_condition", model.valid_condition_id, [facts], out));
  if (context !== null) {
    out.lines([...heading("What met it", out), ...groupLines(contextFacts(context, source, model.event_stored), out)]);
  } else if (model.too_large !== null) {
    out.say(`What met it is too large to show (${count(model.too_large)} bytes).`);
  } else out.say("What met it is stored, but not readable.");
  printPart(waitingTriggersPart(model), out, now);
  if (runs.length > 0) out.lines([...heading("Trigger runs that used it", out), ...indented(runs.map(visibleLine))]);
}
