import type { ConditionDetail, ConditionView, ValidConditionDetail } from "../../api/conditions.ts";
import {
  conditionTriggersPart,
  contextFacts,
  pendingPart,
  scheduleFacts,
  waitingTriggersPart,
} from "../../presentation/facts/condition.ts";
import { fact, group } from "../../presentation/facts/fact.ts";
import { count, visible, visibleLine } from "../../presentation/text.ts";
import { conditionDetail } from "../../services/triggers/conditions.ts";
import { validConditionDetail } from "../../services/triggers/valid-conditions.ts";
import { factLines, groupLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { facts as aligned, heading, indented } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A registered condition with the triggers that have it. */
export const conditionDetails: Detail<ConditionDetail> = {
  load: (app, id) => conditionDetail(app, { condition_id: [id] }),
  print: printCondition,
};

function printCondition(model: ConditionDetail, now: number, out: Output): void {
  const { condition, next_times, pending } = model;
  const scheduled = condition.type === "CronCondition" || next_times.length > 0;
  const facts = group("Condition", fact("type", "Kind", condition.type), ...(scheduled ? scheduleFacts(model) : []));
  out.lines([out.paint.bold(visibleLine(condition.sentence ?? "Condition")), ""]);
  out.lines(factLines("condition", condition.condition_id, [facts], out));
  const items = itemLines(condition, out);
  if (items.length > 0) out.lines([...heading("As registered", out), ...items]);
  printPart(
    { ...pendingPart("Met conditions still stored", pending, "What met this condition"), hide: ["condition"] },
    out,
    now,
  );
  printPart(conditionTriggersPart(model), out, now);
}

/** The members of a stored condition by name. */
function itemLines({ items }: ConditionView, out: Output): string[] {
  if (items.length === 0) return [];
  const rows = items.map((item): [string, string] => [
    visibleLine(item.label),
    item.render === "value" ? visible(item.value) : item.statuses.map(visibleLine).join(", "),
  ]);
  return indented(aligned(rows, out).flatMap((line) => line.split("\n")));
}

/** A valid condition: what met it, and which triggers wait for it. */
export const validConditionDetails: Detail<ValidConditionDetail> = {
  load: (app, id) => validConditionDetail(app, { valid_condition_id: [id] }),
  print: printValid,
};

function printValid(model: ValidConditionDetail, now: number, out: Output): void {
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
