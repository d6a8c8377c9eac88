import type { FamilyPicture } from "../../src/api/causes.ts";
import { pendingPart } from "../../src/presentation/facts/condition.ts";
import { eventFacts, eventMarks, eventParts, waitingConditions } from "../../src/presentation/facts/event.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import type { EventFacts } from "../../src/services/triggers/event-detail.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactLine } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { EventsOverTime } from "../fragments/stats/events-over-time.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Payload } from "../fragments/values/arguments-list.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

/** The JSON has the chains of the event, and leaves the picture of them to its own address. */
export interface EventPage extends EventFacts {
  picture?: FamilyPicture | null;
}

/** One event: what it carried, what it met, what it caused, and what led to it. */
export function EventContent({ model }: View<WithVerdicts<EventPage>>) {
  const links = useLinks();
  const met = new Set(model.pending.map(({ condition_id }) => condition_id));
  const { conditions, runs, started } = eventParts({
    ...model,
    conditions: model.conditions.filter(({ condition_id }) => !met.has(condition_id)),
  });
  const pending = { rows: model.pending, total: model.pending.length, capped: false };
  return (
    <>
      <Head model={model} />
      <VerdictsHere of={model} />
      <Notes notes={model.notes} tone="warn" />
      <Card title="Payload">
        <Payload event={model} />
      </Card>
      <PartCard
        part={{
          ...pendingPart("Met conditions still stored", pending, "Conditions that the event met"),
          hide: ["cause"],
        }}
        id="card-pending"
      />
      <PartCard part={started} />
      {model.picture != null && model.picture.edges.length > 0 && <FamilyPictureCard picture={model.picture} />}
      <PartCard part={runs} {...((waitingConditions(model) > 0 || !model.matched) && { empty: null })} />
      <PartCard part={{ ...conditions, hide: ["condition_id"] }} {...(met.size > 0 && { empty: null })} />
      {model.around !== null && (
        <EventsOverTime
          label="Events of this code within twelve hours of this one"
          events={model.around}
          href={(range) => links.events({ event_code: model.event_code, ...range })}
        />
      )}
    </>
  );
}

/** In the line under the title. */
const HEAD_FACTS = ["timestamp", "emitter", "task", "emitter_runner"];

function Head({ model }: { model: EventFacts }) {
  const links = useLinks();
  return (
    <PageHeader
      title={<bdi>{visibleLine(model.event_code) || "(empty)"}</bdi>}
      trail={[{ label: "Events", href: links.events() }]}
      summary={<FactLine id={model.event_id} groups={eventFacts(model)} keys={HEAD_FACTS} />}
      actions={
        <>
          <ButtonLink href={links.events({ event_code: model.event_code })}>Events of this code</ButtonLink>
          {model.timeline !== null && <ButtonLink href={links.timeline({ ...model.timeline })}>Timeline</ButtonLink>}
          <ButtonLink href={links.eventApi(model.event_id)}>JSON</ButtonLink>
        </>
      }
    >
      {eventMarks(model).map((mark, index) => (
        <FactValueView key={String(index)} value={mark} />
      ))}
    </PageHeader>
  );
}
