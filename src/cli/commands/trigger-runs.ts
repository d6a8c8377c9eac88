import { TRIGGER_RUN_COLUMNS } from "../../presentation/facts/trigger-run.ts";
import { unknownAmong } from "../../services/model/known-names.ts";
import { listTriggerRuns } from "../../services/triggers/trigger-runs.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { printRows } from "../print/facts.ts";
import { pageNotes } from "../print/text.ts";
import { withApp } from "../session.ts";

/** Filter parameters of the page, by flag. */
const FLAGS: FlagNames = {
  task: "task",
  trigger: "trigger",
  kind: "kind",
  from: "since",
  to: "until",
  limit: "limit",
  page: "page",
};

/** `monitor trigger-runs`: a page of the filtered list. */
export async function triggerRuns(flags: Flags): Promise<void> {
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(FLAGS, () => listTriggerRuns(app, raw));
    const { task } = list.filter;
    if (list.trigger_runs.length === 0 && task !== null) refuseUnknown(await unknownAmong(app, { tasks: [task] }));
    if (out.json) return out.document(list);
    if (!list.events_recorded) {
      return out.say("Trigger runs are not recorded: this store has a layout older than pynenc 0.2.4.");
    }
    printRows(TRIGGER_RUN_COLUMNS, list.trigger_runs, out, { now: app.now() });
    if (list.trigger_runs.length === 0 && list.page.number === 1 && list.notes.length === 0) {
      out.say(Object.keys(raw).length > 0 ? "No trigger run matches the filter." : "No trigger has run yet.");
    }
    out.say(...pageNotes(list.page, "trigger run"), ...list.notes);
  });
}
