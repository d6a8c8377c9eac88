import type { TriggerRunRow } from "../../api/triggers.ts";
import { count, NOTHING, shortId } from "../../presentation/text.ts";
import { causeWords } from "../../pynenc/context-summary.ts";
import { listTriggerRuns } from "../../services/triggers/trigger-runs.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, statusColumn, taskColumn, timeColumn } from "../print/text.ts";
import { withApp } from "../session.ts";

/** Parameters of the page's filter with the flags that stand for them. */
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
    if (out.json) return out.document(list);
    if (!list.events_recorded) {
      return out.say("Trigger runs are not recorded: this store has a layout older than pynenc 0.2.4.");
    }
    out.table(columns(app.now(), out), list.trigger_runs);
    if (list.trigger_runs.length === 0 && list.page.number === 1 && list.notes.length === 0) {
      out.say(Object.keys(raw).length > 0 ? "No trigger run matches the filter." : "No trigger has run yet.");
    }
    out.say(...pageNotes(list.page, "trigger run"), ...list.notes);
  });
}

function columns(now: number, out: Output): Column<TriggerRunRow>[] {
  return [
    idColumn("RUN", (run) => run.trigger_run_id),
    timeColumn("EXECUTED", (run) => run.executed_at ?? run.claimed_at, now),
    { title: "CAUSE", cell: causes, narrow: (run) => causes(run, shortId), cut: "end", min: 16 },
    taskColumn((run) => run.task_id_key),
    { ...idColumn("INVOCATION", (run: TriggerRunRow) => run.triggered_invocation?.invocation_id), optional: true },
    { ...statusColumn((run: TriggerRunRow) => run.triggered_invocation?.status, out), optional: true },
  ];
}

/** The first cause with its id; more are counted. */
function causes(
  { causes: [first], causes_count }: TriggerRunRow,
  id: (id: string) => string = (whole) => whole,
): string {
  if (first === undefined) return NOTHING;
  const named = first.event_id ?? first.source_invocation_id;
  const more = causes_count > 1 ? ` and ${count(causes_count - 1)} more` : "";
  return `${causeWords(first)}${named === null ? "" : ` ${id(named)}`}${more}`;
}
