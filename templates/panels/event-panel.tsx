import { eventFacts, eventMarks, eventParts } from "../../src/presentation/facts/event.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import type { EventFacts } from "../../src/services/triggers/event-detail.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Payload } from "../fragments/values/arguments-list.tsx";
import { useLinks } from "../links.ts";
import { Panel, PanelPart, PanelTable } from "./panel.tsx";

export function EventPanel({ model }: { model: EventFacts }) {
  const links = useLinks();
  const { runs, started } = eventParts(model);
  return (
    <Panel
      kind="Event"
      title={<bdi>{visibleLine(model.event_code) || "(empty)"}</bdi>}
      state={eventMarks(model).map((mark, index) => <FactValueView key={String(index)} value={mark} />)}
      page={links.event(model.event_id)}
      timeline={model.timeline}
      id={model.event_id}
      facts={eventFacts(model)}
      hide={["event_code", "outcome"]}
    >
      <Notes notes={model.notes} tone="warn" />
      {(model.payload.length > 0 || model.payload_too_large !== null) && (
        <PanelPart title="Payload">
          <Payload event={model} />
        </PanelPart>
      )}
      <PanelTable part={started} />
      {runs.rows.length > 0 && <PanelTable part={runs} />}
    </Panel>
  );
}
