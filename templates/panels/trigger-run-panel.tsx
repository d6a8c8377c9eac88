import type { ParticipantView } from "../../src/api/conditions.ts";
import type { TriggerRunDetail } from "../../src/api/trigger-runs.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { NamedRunner } from "../fragments/runners/runner-table.tsx";
import { ConditionWords } from "../fragments/triggers/condition-words.tsx";
import type { Fact } from "../fragments/ui/facts.tsx";
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
      facts={useFacts(model)}
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
      {condition === null ? visibleLine(context.type ?? "not named") : <ConditionWords {...condition} />}
      {code !== null && <bdi>{visibleLine(code)}</bdi>}
      {event !== null && <Id value={event} href={event_stored ? links.event(event) : undefined} copy={false} />}
      {source !== null && <InvocationLink row={source} />}
      <Time iso={timestamp} clock />
    </>
  );
}

function useFacts(model: TriggerRunDetail): Fact[] {
  const links = useLinks();
  const { triggered_invocation: started, atomic_service_run_id: turn, atomic_service_runner: runner } = model;
  return [
    { label: "Id", value: <Id value={model.trigger_run_id} full /> },
    { label: "Claimed", value: <Time iso={model.claimed_at} /> },
    { label: "Executed", value: <Time iso={model.executed_at} /> },
    {
      label: "Started",
      value: started === null ? <span class="muted">nothing stored</span> : <InvocationLink row={started} />,
    },
    ...(turn === null ? [] : [{ label: "In service run", value: <Id value={turn} href={links.atomicRun(turn)} /> }]),
    ...(runner === null ? [] : [{ label: "On", value: <NamedRunner name={runner} /> }]),
  ];
}
