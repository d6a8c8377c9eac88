import type { PendingTrigger, ValidConditionDetail } from "../../api/conditions.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { validConditionDetail } from "../../services/triggers/valid-conditions.ts";
import { contextFacts, contextValues } from "../print/contexts.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { stateWords } from "../print/pending.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn, indented, taskColumn } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A valid condition: what met it, and which triggers wait for it. */
export const validConditionDetails: Detail<ValidConditionDetail> = {
  load: (app, id) => validConditionDetail(app, { valid_condition_id: [id] }),
  print,
};

function print(model: ValidConditionDetail, now: number, out: Output): void {
  const { condition, context, triggers, trigger_run_ids: runs } = model;
  out.lines([out.paint.bold("Valid condition"), ""]);
  out.lines(
    facts(
      [
        ["Valid condition", visibleLine(model.valid_condition_id)],
        ["Condition", condition === null ? "not readable" : visibleLine(condition.sentence ?? "")],
        ["Condition id", visibleLine(condition?.condition_id ?? "")],
      ],
      out,
    ),
  );
  if (context !== null) {
    out.lines([
      ...heading("What met it", out),
      ...indented(facts(contextFacts(context), out)),
      ...contextValues(context, out),
    ]);
  } else if (model.too_large !== null) {
    out.say(
      `What met it is not known: the stored text (${count(model.too_large)} bytes) is too large to read in full.`,
    );
  } else out.say("What met it is not known: the stored text has no readable context.");
  if (model.source !== null) printInvocations("Source invocation", [model.source], now, out);
  if (triggers.length > 0) {
    out.lines(
      heading(
        `Triggers that have the condition (${count(triggers.length)}${model.triggers_truncated ? "+" : ""})`,
        out,
      ),
    );
    out.table(TRIGGER_COLUMNS, triggers, "  ");
  } else out.say("No registered trigger has the condition, so no runner clears it.");
  if (runs.length > 0) out.lines([...heading("Trigger runs that used it", out), ...indented(runs.map(visibleLine))]);
}

const TRIGGER_COLUMNS: readonly Column<PendingTrigger>[] = [
  idColumn("TRIGGER", (row) => row.trigger_id),
  taskColumn((row) => row.task_id_key),
  { title: "STATE", cell: stateWords, cut: "end", min: 20 },
];
