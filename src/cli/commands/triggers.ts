import type { TriggerList } from "../../api/triggers.ts";
import { pendingPart } from "../../presentation/facts/condition.ts";
import { TRIGGER_COLUMNS } from "../../presentation/facts/trigger.ts";
import { triggers } from "../../questions/triggers.ts";
import { answering } from "../answering.ts";
import { printPart, printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { pageNotes } from "../print/text.ts";

/** `monitor triggers`: every trigger that is registered, by task. */
export const run = answering(triggers, print);

function print(list: TriggerList, out: Output, { now }: { now: number }): void {
  const rows = list.tasks.flatMap((task) => task.triggers);
  printRows(TRIGGER_COLUMNS, rows, out, { now });
  if (rows.length === 0 && list.page.number === 1) {
    out.say(list.stored ? "No triggers registered." : "The triggers of this app are not in this store.");
  }
  const caption = "Met conditions with triggers that have not run yet";
  printPart(pendingPart("Waiting", list.pending, caption), out, now);
  out.say(...pageNotes(list.page, "trigger"));
}
