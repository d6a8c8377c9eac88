import { triggerRuns } from "../../questions/trigger-runs.ts";
import { unknownAmong } from "../../services/model/known-names.ts";
import { listTriggerRuns } from "../../services/triggers/trigger-runs.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { pageNotes } from "../print/text.ts";
import { triggerRunColumns } from "../print/trigger-runs.ts";
import { withApp } from "../session.ts";

/** `monitor trigger-runs`: a page of the filtered list. */
export async function run(flags: Flags): Promise<void> {
  const raw = rawInput(flags, triggerRuns.input);
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(triggerRuns.input, () => listTriggerRuns(app, raw));
    const { task } = list.filter;
    if (list.trigger_runs.length === 0 && task !== null) refuseUnknown(await unknownAmong(app, { tasks: [task] }));
    if (out.json) return out.document(list);
    if (!list.events_recorded) {
      return out.say("Trigger runs are not recorded: this store has a layout older than pynenc 0.2.4.");
    }
    out.table(triggerRunColumns(app.now(), out), list.trigger_runs);
    if (list.trigger_runs.length === 0 && list.page.number === 1 && list.notes.length === 0) {
      out.say(Object.keys(raw).length > 0 ? "No trigger run matches the filter." : "No trigger has run yet.");
    }
    out.say(...pageNotes(list.page, "trigger run"), ...list.notes);
  });
}
