import type { FamilyPicture } from "../../src/api/causes.ts";
import type { ParticipantView } from "../../src/api/conditions.ts";
import type { TriggerRunDetail } from "../../src/api/trigger-runs.ts";
import { conditionValue } from "../../src/presentation/facts/condition.ts";
import {
  participantFacts,
  participantTitle,
  triggerRunFacts,
  triggerRunParts,
} from "../../src/presentation/facts/trigger-run.ts";
import { count } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactLine, ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** The page shows the family over time too; the JSON leaves it to its own address. */
export interface TriggerRunPage extends TriggerRunDetail {
  picture?: FamilyPicture | null;
}

interface Part {
  model: TriggerRunDetail;
}

/** One run of a trigger: what it started, and what met its conditions. */
export function TriggerRunContent({ model }: View<TriggerRunPage>) {
  const { participant_views: participants } = model;
  const met = new Set(participants.map(({ context }) => context.event_id));
  return (
    <>
      <Head model={model} />
      <Notes notes={model.notes} />
      {participants.map((participant, index) => (
        <Participant key={String(index)} view={participant} number={index + 1} of={participants.length} />
      ))}
      <Conditions model={model} />
      {model.picture != null && <FamilyPictureCard picture={model.picture} />}
      {triggerRunParts({ ...model, events: model.events.filter(({ event_id }) => !met.has(event_id)) }).map((part) => (
        <PartCard key={part.title} part={part} />
      ))}
    </>
  );
}

/** In the line under the title. */
const HEAD_FACTS = ["started", "executed_at", "trigger_id", "atomic_service_run_id", "runner"];

function Head({ model }: Part) {
  const links = useLinks();
  return (
    <PageHeader
      title={
        <>
          Trigger run of <TaskName task_id_key={model.task_id_key} />
        </>
      }
      trail={[{ label: "Trigger runs", href: links.triggerRuns() }]}
      summary={<FactLine id={model.trigger_run_id} groups={triggerRunFacts(model)} keys={HEAD_FACTS} />}
      actions={
        <>
          <ButtonLink href={links.triggerRuns({ trigger: model.trigger_id })}>Runs of this trigger</ButtonLink>
          {model.timeline !== null && <ButtonLink href={links.timeline({ ...model.timeline })}>Timeline</ButtonLink>}
          <ButtonLink href={links.triggerRunApi(model.trigger_run_id)}>JSON</ButtonLink>
        </>
      }
    />
  );
}

function Participant({ view, number, of }: { view: ParticipantView; number: number; of: number }) {
  const facts = participantFacts(view);
  return (
    <Card title={participantTitle(of, number - 1)} id={`participant-${number}`}>
      <ThingFacts
        facts={[
          ...facts.condition.filter(({ key }) => view.valid_condition_retained || key === "condition"),
          ...facts.context,
        ]}
      />
    </Card>
  );
}

/** Conditions of a record that names conditions but no participants. */
function Conditions({ model: { conditions } }: Part) {
  if (conditions.length === 0) return null;
  return (
    <Card title={`Conditions (${count(conditions.length)})`}>
      <ul class="plain-list">
        {conditions.map((condition) => (
          <li key={condition.condition_id}>
            <FactValueView value={conditionValue(condition)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
