import type { ParticipantView } from "../../src/api/conditions.ts";
import type { TriggerRunDetail } from "../../src/api/trigger-runs.ts";
import { conditionValue } from "../../src/presentation/facts/condition.ts";
import { triggerRunFacts } from "../../src/presentation/facts/trigger-run.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { useLinks } from "../links.ts";
import { Panel, PanelPart } from "./panel.tsx";

const SHOWN = 20;

export function TriggerRunPanel({ model }: { model: TriggerRunDetail }) {
  const links = useLinks();
  const { participant_views: participants } = model;
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
      {participants.length > 0 && (
        <PanelPart title={`Causes (${count(participants.length)}${model.truncated ? "+" : ""})`}>
          <ul class="panel-list">
            {participants.slice(0, SHOWN).map((participant, index) => (
              <li key={String(index)}>
                <Participant view={participant} />
              </li>
            ))}
          </ul>
        </PanelPart>
      )}
    </Panel>
  );
}

function Participant({ view: { condition, context, source, event_stored } }: { view: ParticipantView }) {
  const links = useLinks();
  const { event_id: event, event_code: code, timestamp } = context;
  return (
    <>
      {condition === null ? (
        visibleLine(context.type ?? "not named")
      ) : (
        <FactValueView value={conditionValue(condition)} />
      )}
      {code !== null && <bdi>{visibleLine(code)}</bdi>}
      {event !== null && <Id value={event} href={event_stored ? links.event(event) : undefined} copy={false} />}
      {source !== null && <InvocationLink row={source} />}
      <Time iso={timestamp} clock />
    </>
  );
}
