import type { TriggerRunList } from "../../api/trigger-runs.ts";
import { TRIGGER_RUN_COLUMNS } from "../../presentation/facts/trigger-run.ts";
import { triggerRuns } from "../../questions/trigger-runs.ts";
import { answering } from "../answering.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { pageNotes } from "../print/text.ts";

/** `monitor trigger-runs`: a page of the filtered list. */
export const run = answering(triggerRuns, print, ({ trigger_runs, filter }) => {
  const { task, trigger } = filter;
  const named = (name: string | null) => (trigger_runs.length > 0 || name === null ? [] : [name]);
  return { tasks: named(task), triggers: named(trigger) };
});

function print(list: TriggerRunList, out: Output, { now, filtered }: { now: number; filtered: boolean }): void {
  if (!list.events_recorded) {
    out.say("pynenc records trigger runs since 0.2.4; this store is older.");
    return;
  }
  printRows(TRIGGER_RUN_COLUMNS, list.trigger_runs, out, { now });
  if (list.trigger_runs.length === 0 && list.page.number === 1 && list.notes.length === 0) {
    out.say(filtered ? "No trigger run matches the filter." : "No trigger runs yet.");
  }
  out.say(...pageNotes(list.page, "trigger run"), ...list.notes);
}
