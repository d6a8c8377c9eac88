import type { ComponentChildren } from "preact";
import type { ConditionTrigger } from "../../../src/api/conditions.ts";
import { logicWords } from "../../../src/pynenc/conditions.ts";
import { useLinks } from "../../links.ts";
import { TaskName } from "../invocations/task-name.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Id } from "../ui/id.tsx";

/** Triggers that share a condition. */
export function ConditionTriggerTable({
  triggers,
  empty,
}: {
  triggers: readonly ConditionTrigger[];
  empty: ComponentChildren;
}) {
  const links = useLinks();
  return (
    <DataTable
      caption="Triggers that have this condition"
      columns={[{ label: "Trigger", rowHeader: true }, { label: "Task" }, { label: "Runs when" }]}
      rows={triggers.map((trigger) => ({
        key: trigger.trigger_id,
        cells: [
          <Id key="id" value={trigger.trigger_id} href={links.trigger(trigger.trigger_id)} />,
          <TaskName key="task" task_id_key={trigger.task_id_key} href={links.task(trigger.task_id_key)} />,
          logicWords(trigger.logic_value, trigger.conditions),
        ],
      }))}
      empty={empty}
    />
  );
}
