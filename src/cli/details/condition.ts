import type { ConditionDetail, ConditionTrigger } from "../../api/conditions.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { logicWords } from "../../pynenc/conditions.ts";
import { conditionDetail } from "../../services/triggers/conditions.ts";
import { itemLines } from "../print/condition-items.ts";
import type { Output } from "../print/output.ts";
import { pendingSection } from "../print/pending.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn, taskColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** A registered condition with the triggers that have it. */
export const conditionDetails: Detail<ConditionDetail> = {
  load: (app, id) => conditionDetail(app, { condition_id: [id] }),
  print,
};

function print(model: ConditionDetail, _now: number, out: Output): void {
  const { condition, triggers, next_times, never_due } = model;
  out.lines([out.paint.bold(visibleLine(condition.sentence ?? "Condition")), ""]);
  out.lines(
    facts(
      [
        ["Condition", visibleLine(condition.condition_id)],
        ["Kind", visibleLine(condition.type ?? "unknown")],
        ["Last execution", model.last_cron_execution === null ? null : time(model.last_cron_execution)],
        ["Next times", never_due ? "never: no date matches the schedule" : next_times.map(time).join(", ")],
      ],
      out,
    ),
  );
  const items = itemLines(condition, out);
  if (items.length > 0) out.lines([...heading("As registered", out), ...items]);
  pendingSection("Met and still stored", model.pending, out);
  if (triggers.length === 0) {
    out.say("No trigger has this condition, so it starts nothing.");
    return;
  }
  out.lines(heading(`Triggers that have it (${count(triggers.length)}${model.triggers_truncated ? "+" : ""})`, out));
  out.table(TRIGGER_COLUMNS, triggers, "  ");
}

const TRIGGER_COLUMNS: readonly Column<ConditionTrigger>[] = [
  idColumn("TRIGGER", (row) => row.trigger_id),
  taskColumn((row) => row.task_id_key),
  { title: "RUNS WHEN", cell: (row) => logicWords(row.logic_value, row.conditions), cut: "end" },
];
