/** Tables of trigger runs. */
import type { TriggerRunRow } from "../../api/trigger-runs.ts";
import { count, NOTHING, shortId } from "../../presentation/text.ts";
import { causeWords } from "../../pynenc/context-summary.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { idColumn, statusColumn, taskColumn, timeColumn } from "./text.ts";

export function triggerRunColumns(now: number, out: Output): Column<TriggerRunRow>[] {
  return [
    idColumn("RUN", (run) => run.trigger_run_id),
    timeColumn("EXECUTED", (run) => run.executed_at ?? run.claimed_at, now),
    { title: "CAUSE", cell: causes, narrow: (run) => causes(run, shortId), cut: "end", min: 16 },
    taskColumn((run) => run.task_id_key),
    { ...idColumn("INVOCATION", (run: TriggerRunRow) => run.triggered_invocation?.invocation_id), optional: true },
    { ...statusColumn((run: TriggerRunRow) => run.triggered_invocation?.status, out), optional: true },
  ];
}

/** The first cause with its id, and how many more there are. */
function causes(
  { causes: [first], causes_count }: TriggerRunRow,
  id: (id: string) => string = (whole) => whole,
): string {
  if (first === undefined) return NOTHING;
  const named = first.event_id ?? first.source_invocation_id;
  const more = causes_count > 1 ? ` and ${count(causes_count - 1)} more` : "";
  return `${causeWords(first)}${named === null ? "" : ` ${id(named)}`}${more}`;
}
