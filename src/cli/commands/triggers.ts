import { pendingPart } from "../../presentation/facts/condition.ts";
import { TRIGGER_COLUMNS } from "../../presentation/facts/trigger.ts";
import { listTriggers } from "../../services/triggers/triggers.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import { printPart, printRows } from "../print/facts.ts";
import { pageNotes } from "../print/text.ts";
import { withApp } from "../session.ts";

const FLAGS: FlagNames = { limit: "limit", page: "page" };

/** `monitor triggers`: every trigger that is registered, by task. */
export async function triggers(flags: Flags): Promise<void> {
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(FLAGS, () => listTriggers(app, raw));
    if (out.json) return out.document(list);
    const rows = list.tasks.flatMap((task) => task.triggers);
    printRows(TRIGGER_COLUMNS, rows, out, { now: app.now() });
    if (rows.length === 0 && list.page.number === 1) {
      out.say(list.stored ? "No trigger is registered." : "The triggers of this app are not in this store.");
    }
    const caption = "Met conditions with triggers that have not run yet";
    printPart(pendingPart("Conditions met, triggers not yet run", list.pending, caption), out, app.now());
    out.say(...pageNotes(list.page, "trigger"));
  });
}
