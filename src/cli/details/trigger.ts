import type { TriggerCondition, TriggerDetail } from "../../api/triggers.ts";
import { count, visible, visibleLine } from "../../presentation/text.ts";
import { logicWords } from "../../pynenc/conditions.ts";
import { triggerDetail } from "../../services/triggers/triggers.ts";
import { namedValueLines } from "../print/arguments.ts";
import type { Output } from "../print/output.ts";
import { pendingSection } from "../print/pending.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn } from "../print/text.ts";
import { triggerRunColumns } from "../print/trigger-runs.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** A registered trigger with its conditions and latest runs. */
export const triggerDetails: Detail<TriggerDetail> = {
  load: triggerDetail,
  print,
  thing: (detail) => ({ kind: "trigger", detail }),
};

function print(model: TriggerDetail, now: number, out: Output): void {
  const { argument_provider: provider, conditions, waiting, trigger_runs: runs } = model;
  out.lines([out.paint.bold(`Trigger of ${visibleLine(model.task_id_key)}`), ""]);
  out.lines(
    facts(
      [
        ["Trigger", visibleLine(model.trigger_id)],
        ["Starts", visibleLine(model.task_id_key)],
        ["When", logicWords(model.logic_value, model.conditions_count)],
        ["Arguments", visibleLine(provider.sentence)],
        ["Now", waiting === null ? null : visible(waiting.sentence)],
      ],
      out,
    ),
  );
  if (provider.arguments.length > 0)
    out.lines([...heading("Fixed arguments", out), ...namedValueLines(provider.arguments, out)]);
  out.lines(heading(`Conditions (${count(model.conditions_count)})`, out));
  out.table(CONDITION_COLUMNS, conditions, "  ");
  if (model.conditions_count > conditions.length) out.say(`The first ${count(conditions.length)} are shown.`);
  pendingSection("Met conditions still stored", model.pending, out);
  if (runs.length > 0) {
    const total =
      model.trigger_runs_count === null
        ? ""
        : ` (${count(model.trigger_runs_count)}${model.trigger_runs_capped ? "+" : ""})`;
    out.lines(heading(`Runs${total}`, out));
    out.table(triggerRunColumns(now, out), runs, "  ");
    if ((model.trigger_runs_count ?? 0) > runs.length || model.trigger_runs_capped) {
      out.say(`All of them: monitor trigger-runs --trigger ${model.trigger_id}`);
    }
  } else {
    out.say(model.no_runs ?? "");
  }
}

const CONDITION_COLUMNS: readonly Column<TriggerCondition>[] = [
  { title: "CONDITION", cell: (row) => row.sentence ?? "(not registered)", cut: "end", min: 20 },
  { title: "MET NOW", cell: (row) => (row.met === null ? "not known" : row.met ? "yes" : "no") },
  {
    title: "NEXT",
    cell: ({ next_times: [next = null], never_due }) => (never_due ? "never" : time(next)),
    optional: true,
  },
  idColumn("ID", (row) => row.condition_id),
];
