import type { TriggerList, TriggerRow } from "../../api/triggers.ts";
import { count, NOTHING } from "../../presentation/text.ts";
import { triggers } from "../../questions/triggers.ts";
import { answering } from "../answering.ts";
import type { Output } from "../print/output.ts";
import { pendingSection } from "../print/pending.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, taskColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";

/** `monitor triggers`: every trigger that is registered, by task. */
export const run = answering(triggers, print);

function print(list: TriggerList, out: Output): void {
  const rows = list.tasks.flatMap((task) => task.triggers);
  out.table(COLUMNS, rows);
  if (rows.length === 0 && list.page.number === 1) {
    out.say(list.stored ? "No trigger is registered." : "The triggers of this app are not in this store.");
  }
  pendingSection("Conditions met, triggers not yet run", list.pending, out);
  out.say(...pageNotes(list.page, "trigger"));
}

const COLUMNS: readonly Column<TriggerRow>[] = [
  taskColumn((trigger) => trigger.task_id_key),
  { title: "WHEN", cell: when, cut: "end", min: 20 },
  { title: "NEXT", cell: ({ next_time, never_due }) => (never_due ? "never" : time(next_time)) },
  {
    title: "MET",
    cell: ({ waiting }) => (waiting === null ? NOTHING : `${waiting.met ?? "?"} of ${waiting.of}`),
    optional: true,
  },
  idColumn("TRIGGER", (trigger) => trigger.trigger_id),
  { title: "ARGUMENTS", cell: (trigger) => trigger.argument_provider, cut: "end", optional: true },
];

function when({ conditions, conditions_count, logic_value }: TriggerRow): string {
  const words = conditions.map((condition) => condition.sentence ?? `${condition.condition_id} (not registered)`);
  const more = conditions_count - conditions.length;
  const joint = logic_value.toLowerCase() === "or" ? " or " : " and ";
  return [...words, ...(more > 0 ? [`${count(more)} more`] : [])].join(joint) || NOTHING;
}
