import type { TriggerRunDetail } from "../../src/api/trigger-runs.ts";
import { causesPart, triggerRunFacts } from "../../src/presentation/facts/trigger-run.ts";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { useLinks } from "../links.ts";
import { Panel, PanelTable } from "./panel.tsx";

export function TriggerRunPanel({ model }: { model: TriggerRunDetail }) {
  const links = useLinks();
  return (
    <Panel
      kind="Trigger run"
      title={<TaskName task_id_key={model.task_id_key} />}
      page={links.triggerRun(model.trigger_run_id)}
      timeline={model.timeline}
      id={model.trigger_run_id}
      facts={triggerRunFacts(model)}
      hide={["task_id_key", "participants", "others"]}
    >
      <Notes notes={model.notes} />
      <PanelTable part={causesPart(model)} />
    </Panel>
  );
}
