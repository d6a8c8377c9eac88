import type { ConditionDetail } from "../../api/conditions.ts";
import { conditionTriggersPart, pendingPart, scheduleFacts } from "../../presentation/facts/condition.ts";
import { fact, group } from "../../presentation/facts/fact.ts";
import { visibleLine } from "../../presentation/text.ts";
import { conditionDetail } from "../../services/triggers/conditions.ts";
import { itemLines } from "../print/condition-items.ts";
import { factLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A registered condition with the triggers that have it. */
export const conditionDetails: Detail<ConditionDetail> = {
  load: (app, id) => conditionDetail(app, { condition_id: [id] }),
  print,
};

function print(model: ConditionDetail, now: number, out: Output): void {
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
